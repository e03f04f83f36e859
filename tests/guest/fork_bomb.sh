# A fork bomb in a site: it stops at its tenant's TasksMax, others are served, the box stays
# manageable, and the tenant can be removed while the bomb goes off.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

slice=$(slice_of alpha)
counter="$slice/php-fpm@blog.example.service/pids.events"

bomb() {
    fetch blog.example /run.php --data-binary 'perl -e "fork while 1"' >/dev/null 2>&1 &
}
refused_forks() { awk '/^max/ { print $2 }' "$counter"; }

bomb
check "a fork bomb stops at TasksMax" wait_for 50 grep -q 'max [1-9]' "$counter"
check "within its own slice" test "$(<"$slice/pids.current")" -le 40
check "and beta is served at once" serves shop.example
check_output "tenantctl answers" 'blog.example' tenantctl list
check "another tenant can be added" tenantctl add tenant gamma
# It may fail: a bomb is not killed in one go, and what is left of it takes the new master's place.
# The service then starts again by itself.
systemctl restart php-fpm@blog.example.service 2>/dev/null
check "a restart ends it and the site serves again" wait_for 60 serves blog.example
is "with nothing left of it" "$(pgrep --count --euid alpha perl)" 0

bomb
check "(the bomb goes off again)" wait_for 50 grep -q 'max [1-9]' "$counter"
check "its tenant is removed" tenantctl remove tenant alpha --with-sites --purge
is "with all its processes" "$(pgrep -c -f 'fork while')" 0
check "its slice" test ! -e "$slice"
is "and its user and files" "$(getent passwd alpha; ls /srv/tenants)" $'beta\ngamma'
check "beta is served" serves shop.example
no_unit_failed "no unit has failed"

done_testing
