# What an administrator sets over a tenant's limits by systemctl: it counts, and apply says so.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

slice=$(slice_of alpha)
memory() { cat "$slice"/memory.{high,max} | xargs; }
spec="$((96 << 20)) $((112 << 20))"

is "(the limits are the tenant's)" "$(memory)" "$spec"
check "systemctl set-property" systemctl set-property tenant-alpha.slice MemoryMax=150M
is "takes effect" "$(memory)" "$((96 << 20)) $((150 << 20))"
check_fails "apply names what overrides the limit, and the remedy" 1 \
    'memory.max of .*tenant-alpha.slice is 157286400, not 117440512; what overrides .*/system.control/tenant-alpha.slice.d/50-MemoryMax.conf: systemctl revert tenant-alpha.slice' \
    tenantctl apply alpha
check "the remedy" systemctl revert tenant-alpha.slice
check "helps" tenantctl apply alpha
is "the limits are the tenant's again" "$(memory)" "$spec"
check "all sites serve" serves blog.example
check "on and on" serves other.example
no_unit_failed "no unit has failed"

done_testing
