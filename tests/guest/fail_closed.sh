# What is wrong on the box keeps a site from running, says why, and costs little; once it is mended,
# even the request that waited is served. PHP never runs as root or outside of its tenant's limits.
# timeout: 480
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"

site='php-fpm@blog.example'
slice=/etc/systemd/system/tenant-alpha.slice
drop_in=/etc/systemd/system/$site.service.d/tenant.conf
pool=/etc/tenantctl/php-fpm/blog.example.conf
answer=$(mktemp)

journal_cursor() { journalctl --quiet -n 0 --show-cursor | sed -n 's/^-- cursor: //p'; }
said() { journalctl --quiet -o cat --after-cursor="$cursor" UNIT="$1" + _SYSTEMD_UNIT="$1"; }
says() { said "$site.service" | grep -qE "$1"; }
state() { systemctl show -P ActiveState "$1"; }
processor_time_of_pid_1() { # in hundredths of a second
    local fields
    read -ra fields </proc/1/stat
    echo $((fields[13] + fields[14]))
}
serves() { [[ $(fetch blog.example / --max-time 30) == up ]]; }

# request_waits - from here on a request is in the socket.
request_waits() {
    cursor=$(journal_cursor)
    fetch blog.example / --max-time 120 >"$answer" 2>&1 &
    waiting=$!
}

# refused CASE REASON - the request that waits starts no PHP, and the journal says why.
refused() {
    check "$1: the journal says why no PHP starts" wait_for 30 says "$2"
    is "$1: no PHP runs, whoever's" "$(pgrep -a 'php-fpm')" ""
    is "$1: the socket still listens" "$(state $site.socket)" active
}

# mended CASE - `tenantctl apply` makes it good under the request that waits.
mended() {
    check "$1: tenantctl apply mends it" tenantctl apply alpha
    wait "$waiting"
    is "$1: the request that waited is served" "$(<"$answer")" up
    is "$1: by the tenant in its slice" "$(pages_place)" \
        "alpha /tenant.slice/tenant-alpha.slice/$site.service"
    systemctl stop $site.service 2>/dev/null
}
pages_place() {
    local pid
    pid=$(systemctl show -P MainPID $site.service)
    echo "$(stat -c %U "/proc/$pid") $(cut -d: -f3 "/proc/$pid/cgroup")"
}

# damaged CASE REASON - a request comes while the units on disk are as they were damaged.
damaged() {
    systemctl daemon-reload
    request_waits
    refused "$1" "$2"
    mended "$1"
}

# paced CASE - for a few seconds: a failing site is started now and then, not as fast as PID 1 can.
paced() {
    local before seconds=7 starts
    cursor=$(journal_cursor)
    before=$(processor_time_of_pid_1)
    sleep $seconds
    check "$1: PID 1 has time left" test $(($(processor_time_of_pid_1) - before)) -lt $((seconds * 50))
    starts=$(said $site.service | grep -c '^Starting')
    check "$1: started $starts times within $seconds s, at most once in 3 s" \
        test "$starts" -le $((seconds / 3 + 1))
}

# --- a template without its site ---

cursor=$(journal_cursor)
check_fails "a service without a drop-in does not start" 1 'failed' \
    systemctl start php-fpm@nobody.example.service
like "and says that it has no drop-in" "$(said php-fpm@nobody.example.service)" \
    'Refusing to start PHP-FPM: The site has no drop-in'
is "it runs no PHP" "$(pgrep -a php-fpm)" ""
systemctl stop php-fpm@nobody.example.socket php-fpm@nobody.example.service 2>/dev/null

check "a tenant with a site" tenantctl add site blog.example --tenant alpha
echo '<?php echo "up";' | setpriv --reuid=alpha --regid=alpha --clear-groups \
    tee /srv/tenants/alpha/sites/blog.example/public/index.php >/dev/null
check "it serves" wait_for 20 serves
systemctl stop $site.service 2>/dev/null

# --- units ---

rm -r "${drop_in%/*}"
systemctl daemon-reload
request_waits
refused "no drop-in" 'The site has no drop-in that names its tenant'
paced "no drop-in"
mended "no drop-in"

sed -i 's/^Slice=.*/Slice=user.slice/' "$drop_in"
damaged "another slice" 'would run in /user.slice/.* and not in /tenant.slice/tenant-alpha.slice/'
sed -i 's/^Slice=.*/Slice=tenant-alpha/' "$drop_in"
damaged "a slice that is none" 'would run in /tenant.slice/php.* and not in /tenant.slice/tenant-alpha'
sed -i '/^MemoryMax=/d' $slice
damaged "no MemoryMax" 'tenant-alpha.slice has no limit: memory.max is "max"'
rm $slice
damaged "no slice file" 'tenant-alpha.slice has no limit: memory.high is "max"'

# --- what a unit needs ---

echo 'nonsense' >>$pool
request_waits
refused "a broken pool" 'blog.example.conf.*unknown entry|status=78/CONFIG'
paced "a broken pool"
mended "a broken pool"

uid=$(id -u alpha)
userdel alpha
request_waits
refused "no user" 'status=217/USER'
mended "no user"
is "the user has its uid again" "$(id -u alpha)" "$uid"

php=$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' "$drop_in")
mv "$php" "$php.away"
request_waits
refused "no PHP" 'status=203/EXEC'
mv "$php.away" "$php"
wait "$waiting"
is "no PHP: once it is back, the request that waited is served" "$(<"$answer")" up
systemctl stop $site.service 2>/dev/null

rm -r /run/tenantctl/fpm
check "a socket's file that is gone is made again by tenantctl apply" tenantctl apply alpha
check "and the site serves" serves

is "no unit has failed" "$(systemctl --failed --plain --no-legend)" ""

done_testing
