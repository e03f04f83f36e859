# A site from `add` to `remove`: what the kernel, systemd, nginx and the disk show of it.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"

slice=/sys/fs/cgroup/tenant.slice/tenant-alpha.slice
public=/srv/tenants/alpha/sites/blog.example/public
limits=(--memory-high 200M --memory-max 256M --memory-swap-max 64M --memory-low 33M
    --tasks-max 50 --cpu-quota 150% --cpu-weight 200)

as_tenant() { setpriv --reuid=alpha --regid=alpha --clear-groups "$@"; }
answers() { [[ $(fetch "$1" "$2") == "$3" ]]; }
answers_status() { [[ $(fetch "$1" / -o /dev/null -w '%{http_code}') == "$2" ]]; }
units_named() { systemctl list-units --all --plain --no-legend "*$1*"; }
# PID 1 says "Reloading." or "Reloading requested from ..."; "Reloading nginx.service" is a job.
reloads_since() { journalctl --quiet -o cat _PID=1 --after-cursor="$1" | grep -cE '^Reloading( requested|\.)'; }
journal_cursor() { journalctl --quiet -n 0 --show-cursor | sed -n 's/^-- cursor: //p'; }
# Files, links, sockets and cgroups of that name, and files that speak of it.
traces_of() {
    find /etc /run /sys/fs/cgroup -name "*$1*" 2>/dev/null
    grep -rlF --exclude='*-' "$1" /etc 2>/dev/null
}

# --- add ---

cursor=$(journal_cursor)
check "add site makes a tenant and a site with all limit options" \
    tenantctl add site blog.example --tenant alpha --alias www.blog.example "${limits[@]}"
is "adding a site reloads no unit files" "$(reloads_since "$cursor")" 0
is "a new site has no process" "$(pgrep -u alpha)" ""
check "a new site has no cgroup" test ! -e $slice
is "its socket is root's, for the web server's group alone" \
    "$(stat -c '%F %U:%G %a' /run/tenantctl/fpm/blog.example.sock)" "socket root:www-data 660"
is "its socket is wanted at boot" \
    "$(systemctl is-enabled php-fpm@blog.example.socket)" enabled
is "what was made needs no reload" \
    "$(systemctl show -P NeedDaemonReload php-fpm@blog.example.socket php-fpm@blog.example.service \
        tenant-alpha.slice | sort -u | xargs)" no
is "the tenant has no password, shell or subordinate ids" \
    "$(getent passwd alpha | cut -d: -f7) $(passwd -S alpha | cut -d' ' -f2) $(grep -c ^alpha: /etc/subuid)" \
    "/usr/sbin/nologin L 0"

# --- the first request ---

echo '<?php echo getmypid();' | as_tenant tee $public/index.php >/dev/null
wait_for 20 answers_status blog.example 200
pid=$(fetch blog.example /)
like "the first request is answered by PHP" "$pid" '^[0-9]+$'
is "the page is served by the tenant's user" \
    "$(stat -c %U "/proc/$pid")" alpha
is "the page is served inside the tenant's slice" "$(cat "/proc/$pid/cgroup")" \
    "0::/tenant.slice/tenant-alpha.slice/php-fpm@blog.example.service"
kernel=$(cd $slice && grep -H '' memory.high memory.max memory.swap.max memory.low pids.max cpu.max cpu.weight)
is "the kernel has every limit while the site is awake" "$kernel" "\
memory.high:$((200 << 20))
memory.max:$((256 << 20))
memory.swap.max:$((64 << 20))
memory.low:$((33 << 20))
pids.max:50
cpu.max:150000 100000
cpu.weight:200"
like "an alias serves the same site" "$(fetch www.blog.example /)" '^[0-9]+$'

# --- a second site: IDN, document root below public ---

check "a second site of the tenant may have an IDN and a root below public" \
    tenantctl add site bücher.example --tenant alpha --root public/web
echo web | as_tenant tee /srv/tenants/alpha/sites/xn--bcher-kva.example/public/web/index.html >/dev/null
check "an IDN is served under its punycode, from its root" \
    wait_for 20 answers xn--bcher-kva.example / web
is "both sites share one slice" \
    "$(systemctl show -P Slice php-fpm@blog.example.service php-fpm@xn--bcher-kva.example.service | xargs)" \
    "tenant-alpha.slice tenant-alpha.slice"

# --- remove ---

check "remove site" tenantctl remove site blog.example
is "no unit of a removed site is loaded" "$(units_named blog.example)" ""
is "nothing of a removed site is left on the system" "$(traces_of blog.example)" ""
is "no process of a removed site is left" "$(pgrep -u alpha)" ""
check "a request for a removed site gets nginx's 404" wait_for 10 answers_status blog.example 404
check "its files and logs stay" test -s $public/index.php -a -s /var/log/tenantctl/blog.example/access.log
check "a site whose files stayed can be added again" tenantctl add site blog.example --tenant alpha
check "and serves them" wait_for 20 answers_status blog.example 200

# What sockets.target wants since a boot stays loaded: a reload has the same effect.
systemctl daemon-reload
like "(a reload is what PID 1 logs as one)" "$(reloads_since "$cursor")" '^[1-9]'
check "remove site --purge of a site that was enabled before a boot" \
    tenantctl remove site blog.example --purge
is "no unit of it is loaded" "$(units_named blog.example)" ""
is "nothing of it is left on the system" "$(traces_of blog.example)" ""
is "its files and logs are gone" \
    "$(find /srv/tenants /var/log/tenantctl -name blog.example)" ""

check_fails "a tenant that has sites is not removed unasked" 1 'xn--bcher-kva.example.*--with-sites' \
    tenantctl remove tenant alpha
check "remove tenant --with-sites --purge" tenantctl remove tenant alpha --with-sites --purge
is "no user and no group is left" "$(getent passwd alpha; getent group alpha)" ""
is "no unit of the tenant is loaded" "$(units_named alpha)$(units_named xn--bcher)" ""
is "nothing of the tenant is left on the system" \
    "$(traces_of tenant-alpha; traces_of tenants/alpha; traces_of xn--bcher)" ""
is "its home and logs are gone" "$(ls -A /srv/tenants /var/log/tenantctl)" \
    $'/srv/tenants:\n\n/var/log/tenantctl:'
is "an empty box is listed as such" "$(tenantctl list --no-legend)" ""
is "no unit has failed" "$(systemctl --failed --plain --no-legend)" ""

done_testing
