# A disk that fills up while a site is added: a clear message, and what was done is taken back.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
# What the checks note down must have room.
export TMPDIR=/dev/shm
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/keep.bash"

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

no_unit_failed "no full disk leaves a failed unit"

done_testing
