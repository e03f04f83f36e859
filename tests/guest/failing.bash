# For test files in which the one site of the box fails.
# shellcheck shell=bash disable=SC2034,SC2154

site='php-fpm@blog.example'
slice=/etc/systemd/system/tenant-alpha.slice
drop_in=/etc/systemd/system/$site.service.d/tenant.conf
pool=/etc/tenantctl/php-fpm/blog.example.conf
answer=$(mktemp)

said() { journalctl --quiet -o cat --after-cursor="$cursor" UNIT="$1" + _SYSTEMD_UNIT="$1"; }
says() { said "$site.service" | grep -qE "$1"; }
processor_time_of_pid_1() { # in hundredths of a second
    local fields
    read -ra fields </proc/1/stat
    echo $((fields[13] + fields[14]))
}

# request_waits - from here on a request is in the socket of the site, which slept.
request_waits() {
    systemctl stop $site.service 2>/dev/null
    cursor=$(journal_cursor)
    fetch blog.example / --max-time 120 >"$answer" 2>&1 &
    waiting=$!
}

# refused CASE REASON - the request that waits starts no PHP, and the journal says why.
refused() {
    check "$1: the journal says why no PHP starts" wait_for 30 says "$2"
    is "$1: no PHP of the site runs, whoever's" "$(pgrep -af 'php-fpm.*blog.example')" ""
    is "$1: the socket still listens" "$(state $site.socket)" active
}

# is_served CASE - the request that waited is.
is_served() {
    wait "$waiting"
    is "$1: the request that waited is served" "$(<"$answer")" "hello from blog.example"
    is "$1: by the tenant in its slice" "$(pages_place)" \
        "alpha /tenant.slice/tenant-alpha.slice/$site.service"
}
pages_place() {
    local pid
    pid=$(main_pid blog.example)
    echo "$(stat -c %U "/proc/$pid") $(cut -d: -f3 "/proc/$pid/cgroup")"
}

# mended CASE - `tenantctl apply` makes it good under the request that waits.
mended() {
    check "$1: tenantctl apply mends it" tenantctl apply alpha
    is_served "$1"
}

# damaged CASE REASON - a request comes while the units on disk are as they were damaged.
damaged() {
    systemctl stop $site.service 2>/dev/null
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

check "a tenant with a site" tenantctl add site blog.example --tenant alpha
put_pages blog.example
check "it serves" wait_for 20 serves blog.example
