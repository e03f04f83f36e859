# A tenant is removed while its fork bomb goes off: it goes whole, and nobody else notices.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/bomb.bash"

check "its tenant is removed" tenantctl remove tenant alpha --with-sites --purge
is "with all its processes" "$(pgrep -c -f 'fork while')" 0
check "its slice" test ! -e "$slice"
is "its user and its files" "$(getent passwd alpha; ls /srv/tenants)" beta
check "beta is served" serves shop.example
no_unit_failed "no unit has failed"

done_testing
