# A step that fails takes back those before it; what a crash leaves half done, `apply` ends.
# timeout: 600
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"

answers() { [[ $(fetch "$1" / -o /dev/null -w '%{http_code}') == "$2" ]]; }
no_unit_failed() { is "$1" "$(systemctl --failed --plain --no-legend)" ""; }

# fails_and_undoes WHEN STATUS REGEX - of adding a site and its tenant.
fails_and_undoes() {
    check_fails "add fails when $1, and says so" "$2" "$3" tenantctl add site new.example --tenant new
    same_as_remembered "nothing is left of it when $1"
}

public=/srv/tenants/keep/sites/keep.example/public
check "(a site that is there all the time)" tenantctl add site keep.example --tenant keep
echo '<?php echo "still here";' >$public/index.php
chown keep:keep $public/index.php
remember

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
same_as_remembered "nothing is left of it on a full disk"

fill /etc/systemd/system 4096
check_fails "a disk that fills up midway takes back what was written" 1 \
    'Failed to write .*new.example.service.d/tenant.conf: No space left.*Undone: remove /etc/systemd/system/tenant-new.slice.*Undone: remove user new' \
    tenantctl add site new.example --tenant new
umount /etc/systemd/system
same_as_remembered "nothing is left of it when the disk filled up"

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
same_as_remembered "nothing is left of it when nginx refuses"
mkdir -p /run/tenantctl/fpm/new.example.sock/in-the-way
check_fails "add fails when the socket does not start, and says so" 1 \
    'Failed to start php-fpm@new.example.socket: .*see journalctl.*Undone: DisableUnitFiles' tenantctl add site new.example --tenant new
rm -r /run/tenantctl/fpm/new.example.sock
same_as_remembered "nothing is left of it when the socket did not start"
mkdir -p /etc/tenantctl/templates/php-fpm
sed 's|^listen = .*|listen = "/run/elsewhere.sock"|' /usr/share/tenantctl/templates/php-fpm/pool.conf \
    >/etc/tenantctl/templates/php-fpm/pool.conf
check_fails "add fails when PHP-FPM does not start, and says so" 1 \
    'Failed to start php-fpm@new.example.service: .*see journalctl.*Undone: StopUnit' tenantctl add site new.example --tenant new
rm -r /etc/tenantctl/templates
same_as_remembered "nothing is left of it when PHP-FPM did not start"
ln -s /dev/null /run/systemd/system/php-fpm@new.example.socket
check_fails "add fails when systemd refuses the unit, and says so" 1 'Failed to enable php-fpm@new.example.socket: .*masked' \
    tenantctl add site new.example --tenant new
rm /run/systemd/system/php-fpm@new.example.socket
same_as_remembered "nothing is left of it when systemd refused"

setpriv --reuid=keep --regid=keep --clear-groups sleep 600 &
check_fails "remove fails while a process of the tenant runs elsewhere, and says so" 1 \
    "Failed to remove user keep: .* used by process $!.*Undone: StartUnit" tenantctl remove tenant keep --with-sites
kill $!
same_as_remembered "all is back when a removal fails"
check "and the site is served" wait_for 20 answers keep.example 200
no_unit_failed "no failure leaves a failed unit"
systemctl stop --quiet php-fpm@keep.example.service 2>/dev/null

# --- crashes ---

# kill_at SYSCALL N COMMAND... - dies with the command as it makes its Nth such call; status 137.
kill_at() {
    (
        strace -qq -o /dev/null -e trace="$1" -e inject="$1:signal=KILL:when=$2" "${@:3}"
        exit $?
    ) >/dev/null 2>&1
}
# Each run is killed a little later than the one before, until one ends; prints how many were.
apply_under_fire() { # FIRST STEP
    local kills=0
    until kill_at sendmsg $(($1 + $2 * kills)) tenantctl apply || ((++kills == 20)); do :; done
    echo "$kills"
}

kill_at renameat 1 tenantctl add site new.example --tenant new
is "(killed before its intent was written down)" $? 137
check "apply after it" tenantctl apply
same_as_remembered "an addition that had not begun is no more"

kill_at clone 2 tenantctl add site new.example --tenant new
is "(killed between the group and the user)" "$? $(getent group new | cut -d: -f1)$(getent passwd new)" "137 new"
kill_at renameat 2 tenantctl apply
is "(apply is killed while it writes)" $? 137
like "apply finishes an addition, however often it is killed" "$(apply_under_fire 4 9)" '^([2-9]|1[0-9])$'
check "and the site is served" wait_for 20 answers new.example 403
all=$(fingerprint)
check "apply again" tenantctl apply
is "apply changes nothing the second time" "$(diff <(echo "$all") <(fingerprint))" ""

kill_at unlink 2 tenantctl remove tenant new --with-sites --purge
is "(killed while it removes files)" $? 137
like "apply finishes a removal, however often it is killed" "$(apply_under_fire 3 7)" '^([2-9]|1[0-9])$'
rm -r /srv/tenants/new /var/log/tenantctl/new.example
same_as_remembered "a removal that was finished leaves nothing but data"
check "and the site is gone" wait_for 10 answers new.example 404
check "while the others are served" answers keep.example 200
no_unit_failed "no crash leaves a failed unit"

done_testing
