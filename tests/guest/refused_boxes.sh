# Boxes that tenantctl refuses to work on, and what nginx and PHP-FPM refuse.
# shellcheck shell=bash source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/refuses.bash"

# The same where a part of the system is covered: PREPARATION runs in a mount namespace of its own.
refuses_where() { # PREPARATION STATUS REGEX
    check_fails "refused: $1" "$2" "$3" unshare --mount bash -c "$1 && exec tenantctl add tenant new"
}

# --- the box ---

check_fails "refused: not root" 1 'run it as root \(sudo\)' \
    setpriv --reuid=65534 --regid=65534 --clear-groups tenantctl add tenant new
refuses_where "mount -t tmpfs none /run/systemd" 1 'systemd is not running.*as PID 1'
refuses_where "mount -t tmpfs none /sys/fs/cgroup" 1 'not the unified cgroup v2 hierarchy.*boot with systemd.unified'
refuses_where "mount -t tmpfs none /proc/pressure" 1 'no pressure stall information.*boot with psi=1'
exec 9>>/run/tenantctl/lock
flock 9
refuses "a second tenantctl at work" 1 'Another tenantctl is at work \(.*\); try again' add tenant new
exec 9>&-

same_as_remembered "none of these refusals changed anything"

# --- what the other programs refuse ---

echo 'nonsense on;' >/etc/nginx/conf.d/foreign.conf
refuses "a site while nginx refuses somebody else's file" 78 \
    'nginx -t refuses.*nonsense.*/etc/nginx/conf.d/foreign.conf:1.*Undone: remove /etc/nginx/tenantctl/new.example.conf' \
    add site new.example --tenant new
rm /etc/nginx/conf.d/foreign.conf
same_as_remembered "and it was undone"
template=/etc/tenantctl/templates/php-fpm/pool.conf
install -D -m 644 /usr/share/tenantctl/templates/php-fpm/pool.conf $template
echo 'pm.nonsense = 1' >>$template
refuses "a pool that PHP-FPM refuses" 78 'php-fpm[0-9.]+ refuses /etc/tenantctl/php-fpm/new.example.conf:.*pm.nonsense' \
    add site new.example --tenant new
echo '@{domian}' >$template
refuses "a template with an unknown value" 78 'Template php-fpm/pool.conf: line 1: unknown value "domian"; did you mean "domain"' \
    add site new.example --tenant new
rm -r /etc/tenantctl/templates
same_as_remembered "and that was undone"

done_testing
