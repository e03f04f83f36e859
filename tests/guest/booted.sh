# After a boot sites are sockets and no process; the first request finds the limits in force.
# fixture: rebooted
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

slice=$(slice_of alpha)

check_fails "(the box was booted again)" 1 '' cmp -s /root/boot_id /proc/sys/kernel/random/boot_id
for site in blog.example other.example shop.example; do
    is "the socket of $site listens, its service sleeps" \
        "$(state "php-fpm@$site.socket") $(state "php-fpm@$site.service")" "active inactive"
done
is "its socket is root's, for the web server's group alone" \
    "$(stat -c '%F %U:%G %a' /run/tenantctl/fpm/blog.example.sock)" "socket root:www-data 660"
is "no PHP runs" "$(pgrep -a php-fpm)" ""
check "no tenant has a cgroup" test ! -e "$slice"
is "tenantctl apply finds nothing to change" \
    "$(tenantctl --dry-run --json=short apply | jq -r '.[].step' | grep -vE '^(verify|check|Reload)')" ""

check "the first request is served" serves blog.example
is "the limits are in force" "$(cat "$slice"/memory.{high,max} "$slice"/pids.max | xargs)" \
    "$((96 << 20)) $((112 << 20)) 40"
is "sessions outlive a boot" "$(ls "$(home_of blog.example)/sessions")" sess_kept
check "tenants of another slice are served" serves shop.example
check "a site that is removed after a boot" tenantctl remove site other.example --purge
is "leaves no unit loaded" "$(systemctl list-units --all --plain --no-legend '*other.example*')" ""
check "a reload of systemd, as by a package's update" systemctl daemon-reload
check "leaves the limits" test "$(<"$slice/memory.max")" = $((112 << 20))
no_unit_failed "no unit has failed"

done_testing
