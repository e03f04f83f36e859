# A step that fails takes back those before it, and says what failed and what was taken back.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/keep.bash"

# fails_and_undoes WHEN STATUS REGEX - of adding a site and its tenant.
fails_and_undoes() {
    check_fails "add fails when $1, and says so" "$2" "$3" tenantctl add site new.example --tenant new
    same_as_remembered "nothing is left of it when $1"
}

# A step also corrects what it finds.
chmod 755 /srv/tenants
remember
mount --bind /etc/nginx /etc/nginx
mount -o remount,bind,ro /etc/nginx
fails_and_undoes "/etc/nginx is read-only" 1 'Failed to write /etc/nginx/tenantctl/new.example.conf: Read-only file system'
umount /etc/nginx
chmod 711 /srv/tenants
remember

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

echo 1 >/etc/passwd.lock
check_fails "remove fails while another holds the users' file, and says so" 1 \
    "Failed to remove user keep: .*cannot lock /etc/passwd.*Undone: StartUnit" tenantctl remove tenant keep --with-sites
rm /etc/passwd.lock
same_as_remembered "all is back when a removal fails"
check "and the site is served" wait_for 20 answers keep.example 200
no_unit_failed "no failure leaves a failed unit"
systemctl stop --quiet php-fpm@keep.example.service 2>/dev/null

done_testing
