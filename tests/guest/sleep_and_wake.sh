# A site sleeps and wakes, is killed, reloaded and stopped: no request is lost to it, and its
# tenant's limits are in force whenever it runs.
# timeout: 240
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"

blog='php-fpm@blog.example'
shop='php-fpm@shop.example'
slice=/sys/fs/cgroup/tenant.slice/tenant-alpha.slice
pool=/etc/tenantctl/php-fpm/blog.example.conf
limit=$((96 << 20))
answers=$(mktemp -d)

serves() { [[ $(fetch "$1" / --max-time 30) == up ]]; }
state() { systemctl show -P ActiveState "$1"; }
main_pid() { systemctl show -P MainPID "$blog.service"; }
workers() { pgrep -P "$(main_pid)"; }
# That a socket may start the service again is what is meant here.
stop() { systemctl stop "$@" 2>/dev/null; }
publish() { # NAME - a page of blog.example from stdin
    setpriv --reuid=alpha --regid=alpha --clear-groups \
        tee "/srv/tenants/alpha/sites/$site/public/$1" >/dev/null
}
# slow_request NAME - leaves a request at work for three seconds; its answer goes to a file.
slow_request() {
    fetch blog.example /slow.php >"$answers/$1" 2>&1 &
    wait_for 20 test -e /srv/tenants/alpha/sites/blog.example/tmp/at-work
}

# High is Max, so that what exceeds it is killed and not throttled first.
check "a tenant with two sites" tenantctl add site blog.example --tenant alpha \
    --memory-high $limit"B" --memory-max $limit"B"
