# A disk that is full, or fills up while a site is added: a clear message, and nothing is changed.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
# What the checks note down must have room.
export TMPDIR=/dev/shm
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/keep.bash"

# fill DIRECTORY - all of its file system.
fill() {
    local left
    left=$(df --output=avail -k "$1" | tail -n 1)
    fallocate -l "$((left - 1024))K" "$1/.fill"
    # What is left bit by bit: a file system keeps some to itself.
    head -c 2M /dev/zero >>"$1/.fill" 2>/dev/null
    [[ $(df --output=avail -k "$1" | tail -n 1) -lt 8 ]]
}

# fails_on_full WHAT REGEX - of adding a site and its tenant.
fails_on_full() {
    check_fails "add fails on $1, and says so" 1 "$2" tenantctl add site new.example --tenant new
    same_as_remembered "nothing is left of it on $1"
}

# --- the root file system ---

check "(the root file system is full)" fill /
fails_on_full "a full disk" 'Failed to (write|make directory) [^ ]*: No space left on device.*The file system of /etc/systemd/system is full; make room there'
check_fails "a removal fails on a full disk, and says so" 1 'No space left on device' \
    tenantctl remove site keep.example
rm /.fill
same_as_remembered "all is there when a removal failed on a full disk"
check "and the site is served" wait_for 20 answers keep.example 200
systemctl stop php-fpm@keep.example.service 2>/dev/null

# --- at each point ---

# A small file system in the place of each directory that is written to, one after the other: what
# was written elsewhere before is taken back.
small() { # DIRECTORY ROOM - tmpfs, with what the directory holds and ROOM KiB left
    local copy
    copy=$(mktemp -d)
    mount -t tmpfs -o size=512k,mode=755 none "$copy"
    cp -a "$1/." "$copy"
    fallocate -l "$(($(df --output=avail -k "$copy" | tail -n 1) - $2))K" "$copy/.fill"
    mount --bind "$copy" "$1"
    umount "$copy"
    rmdir "$copy"
}
fills_up() { # DIRECTORY ROOM REGEX
    small "$1" "$2"
    check_fails "add fails when $1 fills up, and says so" 1 "$3" tenantctl add site new.example --tenant new
    umount "$1"
    same_as_remembered "nothing is left of it when $1 filled up"
}
fills_up /etc/tenantctl/tenants 0 'Failed to write /etc/tenantctl/tenants/new.toml: No space left on device'
fills_up /etc/systemd/system 4 \
    'Failed to write .*new.example.service.d/tenant.conf: No space left.*Undone: remove /etc/systemd/system/tenant-new.slice.*Undone: remove user new'
fills_up /etc/tenantctl/php-fpm 0 'Failed to write .*/new.example.conf: No space left.*Undone: remove user new'
fills_up /etc/nginx/tenantctl 0 \
    'Failed to write /etc/nginx/tenantctl/new.example.conf: No space left.*Undone: remove .*tenant.conf.*Undone: remove user new'

# --- /run, where systemd keeps what it must not forget ---

check "(/run is full)" fill /run
check_fails "add fails when /run is full, and says so" 1 'The file system of /run/tenantctl is full; make room there.*Undone: remove user new' \
    tenantctl add site new.example --tenant new
rm /run/.fill
same_as_remembered "nothing is left of it when /run was full"

no_unit_failed "no full disk leaves a failed unit"
check "and with room again the site is added" tenantctl add site new.example --tenant new

done_testing
