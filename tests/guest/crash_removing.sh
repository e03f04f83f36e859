# A removal that is killed half-way is finished by the next `tenantctl apply`.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/keep.bash"
. "$(dirname "$0")/killed.bash"

check "(a site to be removed)" tenantctl add site new.example --tenant new

kill_at unlink 2 tenantctl remove tenant new --with-sites --purge
is "(killed while it removes files)" $? 137
like "apply finishes a removal, however often it is killed" "$(apply_under_fire 3 7)" '^([2-9]|1[0-9])$'
rm -r /srv/tenants/new /var/log/tenantctl/new.example
same_as_remembered "a removal that was finished leaves nothing but data"
check "and the site is gone" wait_for 10 answers new.example 404
check "while the others are served" answers keep.example 200
no_unit_failed "no crash leaves a failed unit"

done_testing
