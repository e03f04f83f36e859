# A site whose drop-in names another slice than its tenant's starts no PHP, and says why.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/failing.bash"

sed -i 's/^Slice=.*/Slice=user.slice/' "$drop_in"
damaged "another slice" 'would run in /user.slice/.* and not in /tenant.slice/tenant-alpha.slice/'
sed -i 's/^Slice=.*/Slice=tenant-alpha/' "$drop_in"
damaged "a slice that is none" 'would run in /tenant.slice/php.* and not in /tenant.slice/tenant-alpha'

no_unit_failed "no unit has failed"

done_testing
