# A step that fails takes back those before it; what a crash leaves half done, `apply` ends.
# shellcheck shell=bash
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"

answers() { [[ $(fetch "$1" / -o /dev/null -w '%{http_code}') == "$2" ]]; }
no_unit_failed() { is "$1" "$(systemctl --failed --plain --no-legend)" ""; }

# fails_and_undoes WHEN STATUS REGEX - of adding a site and its tenant.
fails_and_undoes() {
    check_fails "add fails when $1, and says so" "$2" "$3" tenantctl add site new.example --tenant new
    same_as_before "nothing is left of it when $1"
}

check "(a site that is there all the time)" tenantctl add site keep.example --tenant keep
before=$(fingerprint)

# --- files that cannot be written ---

# A full disk: a small file system in the directory's place, with what it holds and ROOM bytes left.
fill() { # DIRECTORY ROOM
    local copy
    copy=$(mktemp -d)
    mount -t tmpfs -o size=256k,mode=755 none "$copy"
    cp -a "$1/." "$copy"
    head -c $(($(stat -f -c '%a * %S' "$copy") - $2)) /dev/zero >"$copy/.fill"
    mount --move "$copy" "$1" 2>/dev/null || { mount --bind "$copy" "$1" && umount "$copy"; }
    rmdir "$copy"
}
fill /etc/tenantctl/tenants 0
check_fails "add fails on a full disk, and says so" 1 \
    'Failed to write /etc/tenantctl/tenants/new.toml: No space left.*' tenantctl add tenant new
umount /etc/tenantctl/tenants
same_as_before "nothing is left of it on a full disk"

fill /etc/systemd/system 4096
check_fails "a disk that fills up midway takes back what was written" 1 \
    'Failed to write .*new.example.service.d/tenant.conf: No space left.*Undone: remove /etc/systemd/system/tenant-new.slice.*Undone: remove user new' \
    tenantctl add site new.example --tenant new
umount /etc/systemd/system
same_as_before "nothing is left of it when the disk filled up"

mount --bind /etc/nginx /etc/nginx
mount -o remount,bind,ro /etc/nginx
fails_and_undoes "/etc/nginx is read-only" 1 'Failed to write /etc/nginx/tenantctl/new.example.conf: Read-only file system'
umount /etc/nginx

# --- programs that refuse ---

template=/etc/tenantctl/templates/nginx/site.conf
mkdir -p ${template%/*}
echo 'server { nonsense on; }' >$template
check_fails "add fails when nginx refuses the virtual host, and says so" 78 \
    'nginx -t refuses.*"nonsense" in /etc/nginx/tenantctl/new.example.conf:1' tenantctl add site new.example --tenant keep
rm -r /etc/tenantctl/templates
same_as_before "nothing is left of it when nginx refuses"
mkdir -p /run/tenantctl/fpm/new.example.sock/in-the-way
check_fails "add fails when the socket does not start, and says so" 1 \
    'Failed to start php-fpm@new.example.socket: .*see journalctl.*Undone: DisableUnitFiles' tenantctl add site new.example --tenant new
rm -r /run/tenantctl/fpm/new.example.sock
same_as_before "nothing is left of it when the socket did not start"
no_unit_failed "not even a failed socket"
ln -s /dev/null /run/systemd/system/php-fpm@new.example.socket
check_fails "add fails when systemd refuses the unit, and says so" 1 'Failed to enable php-fpm@new.example.socket: .*masked' \
    tenantctl add site new.example --tenant new
rm /run/systemd/system/php-fpm@new.example.socket
same_as_before "nothing is left of it when systemd refused"

setpriv --reuid=keep --regid=keep --clear-groups sleep 600 &
check_fails "remove fails while a process of the tenant runs elsewhere, and says so" 1 \
    "Failed to remove user keep: .* used by process $!.*Undone: StartUnit" tenantctl remove tenant keep --with-sites
kill $!
same_as_before "all is back when a removal fails"
echo '<?php echo "still here";' >/srv/tenants/keep/sites/keep.example/public/index.php
chown keep:keep /srv/tenants/keep/sites/keep.example/public/index.php
check "and the site is served" wait_for 20 answers keep.example 200
no_unit_failed "no failure leaves a failed unit"
systemctl stop php-fpm@keep.example.service

# --- crashes ---

# Kills the command as it makes its Nth SYSCALL; status 137 then, else its own.
kill_at() { strace -qq -o /dev/null -e trace="$1" -e inject="$1:signal=KILL:when=$2" "${@:3}" 2>/dev/null; }

kill_at renameat 1 tenantctl add site new.example --tenant new
is "(killed before its intent was written down)" $? 137
check "apply after it" tenantctl apply
same_as_before "an addition that had not begun is no more"

# Each run is killed a little later than the one before, until there is nothing left to kill.
kill_at renameat 2 tenantctl add site new.example --tenant new
is "(killed once its intent was written down)" $? 137
kills=0
kill_at clone 2 tenantctl apply && fail "(apply was killed between group and user)"
kill_at renameat 2 tenantctl apply && fail "(apply was killed while it wrote)"
until kill_at sendmsg $((4 + 9 * kills)) tenantctl apply || ((++kills == 20)); do :; done
like "apply finishes an addition, however often it is killed itself" "$kills" '^([3-9]|1[0-9])$'
check "and the site is served" wait_for 20 answers new.example 403
before_second=$(fingerprint)
check "apply again" tenantctl apply
is "apply changes nothing the second time" "$(diff <(echo "$before_second") <(fingerprint))" ""

kill_at unlink 2 tenantctl remove tenant new --with-sites --purge
is "(killed while it removed files)" $? 137
kills=0
until kill_at sendmsg $((3 + 4 * kills)) tenantctl apply || ((++kills == 20)); do :; done
like "apply finishes a removal, however often it is killed itself" "$kills" '^([3-9]|1[0-9])$'
rm -r /srv/tenants/new /var/log/tenantctl/new.example
same_as_before "a removal that was finished leaves nothing but data"
check "and the site is gone" wait_for 10 answers new.example 404
check "while the others are served" answers keep.example 200
no_unit_failed "no crash leaves a failed unit"

done_testing
