# A site sleeps and wakes, is killed, reloaded and stopped: no request that waits is lost, and its
# tenant's limits are in force whenever it runs.
# timeout: 480
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"

blog='php-fpm@blog.example'
shop='php-fpm@shop.example'
slice=/sys/fs/cgroup/tenant.slice/tenant-alpha.slice
home=/srv/tenants/alpha/sites
pool=/etc/tenantctl/php-fpm/blog.example.conf
scratch=$(mktemp -d)

serves() { [[ $(fetch "$1" / --max-time 30) == up ]]; }
answers() { [[ $(fetch blog.example "$1") == "$2" ]]; }
both_serve() { wait_for 20 serves blog.example && wait_for 20 serves shop.example; }
state() { systemctl show -P ActiveState "$1"; }
main_pid() { systemctl show -P MainPID $blog.service; }
# That its socket may start it again is what is meant here.
stop() { systemctl stop "$@" 2>/dev/null; }
publish() { # DOMAIN NAME - a page from stdin
    setpriv --reuid=alpha --regid=alpha --clear-groups tee "$home/$1/public/$2" >/dev/null
}
# slow_request NAME - returns while its page is at work, for some seconds more.
slow_request() {
    rm -f $home/blog.example/tmp/at-work
    fetch blog.example /slow.php >"$scratch/$1" 2>&1 &
    slow=$!
    wait_for 20 test -e $home/blog.example/tmp/at-work
}
limits_in_force() { [[ $(cat "$slice"/memory.{high,max} | xargs) == "$limit $limit" ]]; }

# High is Max: what exceeds it is killed at once and not throttled first.
limit=$((96 << 20))
check "a tenant with a site" tenantctl add site blog.example --tenant alpha \
    --memory-high 96M --memory-max 96M
check "and a second one" tenantctl add site shop.example --tenant alpha
echo '<?php echo "up";' | publish blog.example index.php
echo '<?php echo "up";' | publish shop.example index.php
echo '<?php touch("'$home'/blog.example/tmp/at-work"); sleep(3); echo "finished";' |
    publish blog.example slow.php
echo '<?php echo getmypid();' | publish blog.example pid.php
echo '<?php echo getenv("MARK");' | publish blog.example mark.php
echo '<?php str_repeat("x", 400 << 20); echo "survived";' | publish blog.example hog.php

# --- the slices ---

check "both serve" both_serve
is "two sites of a tenant run in one slice" "$(find $slice -name 'php-fpm@*' -printf '%f\n' | sort | xargs)" \
    "$blog.service $shop.service"
total=$(awk '/^MemTotal/ {print $2 * 1024}' /proc/meminfo)
share=$((100 * $(<"${slice%/*}/memory.max") / total))
check "tenants together may have $share % of the box's memory, about 80" \
    test $share -ge 79 -a $share -le 81
stop $shop.service
check "the slice stays while one of them is awake" limits_in_force
stop $blog.service
check "and goes when the last one sleeps" wait_for 10 test ! -e $slice
check "the next request" serves blog.example
check "brings it back with its limits" limits_in_force
check "a slice that is stopped by hand takes its sites along" systemctl stop tenant-alpha.slice
is "they sleep" "$(state $blog.service)" inactive
check "and the next request" serves blog.example
check "brings back the limits" limits_in_force

# --- quick cycles ---

lost=0
for _ in {1..20}; do
    stop $blog.service
    serves blog.example || ((++lost))
done
is "of twenty quick cycles of sleep and wake no request is lost" "$lost" 0
is "the socket still listens" "$(state $blog.socket)" active

# --- stop and reload under requests ---

slow_request stopped
systemctl stop --no-block $blog.service 2>/dev/null
check "a request that comes while the site stops is served" serves blog.example
wait "$slow"
is "the one that ran was let finish" "$(<"$scratch/stopped")" finished

cp -p $pool "$scratch/pool"
pid=$(main_pid)
echo 'nonsense' >>$pool
check_fails "a reload with a bad configuration is refused" 1 '' systemctl reload $blog.service
check "the site stays up" serves blog.example
cat "$scratch/pool" >$pool
echo 'env[MARK] = new' >>$pool
slow_request reloaded
check "a reload with a good one, while a request runs" systemctl reload $blog.service
check "takes effect" wait_for 20 answers /mark.php new
wait "$slow"
is "and lets the request finish" "$(<"$scratch/reloaded")" finished
is "both without another master" "$(main_pid)" "$pid"

# --- kills ---

kill -9 "$(main_pid)"
check "a master that is killed is started again for the next request" serves blog.example
kill -9 "$(fetch blog.example /pid.php)"
check "a worker that is killed is replaced" serves blog.example
sed -i 's/^\(php_admin_value\[memory_limit\] = \).*/\11G/' $pool
check "(a master with a high memory_limit)" systemctl restart $blog.service
pid=$(main_pid)
fetch blog.example /hog.php >"$scratch/hog" --max-time 30
like "a worker beyond the tenant's MemoryMax is killed" \
    "$(cat "$scratch/hog" $slice/memory.events | xargs)" '50[24] .*oom_kill [1-9]'
check "the site serves on" serves blog.example
is "with the same master" "$(main_pid)" "$pid"
cat "$scratch/pool" >$pool

# --- the box around it ---

check "a restart of nginx" systemctl restart nginx.service
check "loses no site" wait_for 10 serves blog.example
stop $blog.service
fetch blog.example / >"$scratch/reexec" &
waiting=$!
check "systemd is started anew while a site wakes" systemctl daemon-reexec
wait "$waiting"
is "and the request is served" "$(<"$scratch/reexec")" up

# As after a boot: nothing runs, and systemd knows no unit but by its files.
stop $blog.socket $shop.socket tenant.slice
systemctl daemon-reload
check "with the sockets of the box" systemctl start sockets.target
is "those of the sites listen" "$(state $blog.socket) $(state $shop.socket)" "active active"
check "the first request" serves shop.example
check "finds the limits in force" limits_in_force

is "no unit has failed" "$(systemctl --failed --plain --no-legend)" ""

done_testing
