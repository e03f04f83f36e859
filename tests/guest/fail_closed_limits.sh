# A site whose tenant has no limits starts no PHP, and says why.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/failing.bash"

sed -i '/^MemoryMax=/d' $slice
damaged "no MemoryMax" 'tenant-alpha.slice has no limit: memory.max is "max"'
sed -i '/^MemoryHigh=/d' $slice
damaged "no MemoryHigh" 'tenant-alpha.slice has no limit: memory.high is "max"'
rm $slice
damaged "no slice file" 'tenant-alpha.slice has no limit: memory.high is "max"'

no_unit_failed "no unit has failed"

done_testing
