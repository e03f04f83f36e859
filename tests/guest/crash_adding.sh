# An addition that is killed half-way is undone or finished by the next `tenantctl apply`.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/keep.bash"
. "$(dirname "$0")/killed.bash"

kill_at renameat 1 tenantctl add site new.example --tenant new
is "(killed before its intent was written down)" $? 137
check "apply after it" tenantctl apply
same_as_remembered "an addition that had not begun is no more"

kill_at clone 2 tenantctl add site new.example --tenant new
is "(killed between the group and the user)" "$? $(getent group new | cut -d: -f1)$(getent passwd new)" "137 new"
kill_at renameat 2 tenantctl apply
is "(apply is killed while it writes)" $? 137
like "apply finishes an addition, however often it is killed" "$(apply_under_fire 6 13)" '^([2-9]|1[0-9])$'
check "and the site is served" wait_for 20 answers new.example 403
all=$(fingerprint)
check "apply again" tenantctl apply
is "apply changes nothing the second time" "$(diff <(echo "$all") <(fingerprint))" ""

no_unit_failed "no crash leaves a failed unit"

done_testing
