# A disk that is full when a site is added or removed: a clear message, and nothing is changed.
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

# --- /run, where systemd keeps what it must not forget ---

check "(/run is full)" fill /run
check_fails "add fails when /run is full, and says so" 1 'The file system of /run/tenantctl is full; make room there.*Undone: remove user new' \
    tenantctl add site new.example --tenant new
rm /run/.fill
same_as_remembered "nothing is left of it when /run was full"

no_unit_failed "no full disk leaves a failed unit"
check "and with room again the site is added" tenantctl add site new.example --tenant new

done_testing
