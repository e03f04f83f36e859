# A site sleeps and wakes: its tenant's limits are in force whenever it runs, and no request is lost.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

blog='php-fpm@blog.example'
other='php-fpm@other.example'
slice=$(slice_of alpha)

limits_in_force() {
    [[ $(cat "$slice"/memory.{high,max} "$slice"/pids.max | xargs) == "$((96 << 20)) $((112 << 20)) 40" ]]
}

# --- the slice comes and goes ---

is "two sites of a tenant run in one slice" "$(find "$slice" -name 'php-fpm@*' -printf '%f\n' | sort | xargs)" \
    "$blog.service $other.service"
stop $other.service
check "the slice stays while one of them is awake" limits_in_force
stop $blog.service
check "and goes when the last one sleeps" wait_for 10 test ! -e "$slice"
check "the next request" serves blog.example
check "brings it back with its limits" limits_in_force
check "a slice that is stopped by hand takes its sites along" systemctl stop tenant-alpha.slice
is "they sleep" "$(state $blog.service)" inactive
check "and the next request" serves blog.example
check "brings back the limits" limits_in_force

total=$(awk '/^MemTotal/ {print $2 * 1024}' /proc/meminfo)
share=$((100 * $(<"${slice%/*}/memory.max") / total))
check "tenants together may have $share % of the box's memory, about 80" \
    test $share -ge 79 -a $share -le 81

# --- quick cycles ---

lost=0
for _ in {1..7}; do
    stop $blog.service
    serves blog.example || ((++lost))
done
is "of seven quick cycles of sleep and wake no request is lost" "$lost" 0
is "the socket still listens" "$(state $blog.socket)" active

no_unit_failed "no unit has failed"

done_testing
