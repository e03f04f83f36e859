# A fork bomb in a site stops at its tenant's TasksMax; others are served, tenantctl answers, and a
# restart of the site ends it.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/bomb.bash"

check "beta is served at once" serves shop.example
check_output "tenantctl answers" 'blog.example' tenantctl list
# It may fail: a bomb is not killed in one go, and what is left of it takes the new master's place.
# The service then starts again by itself.
systemctl restart php-fpm@blog.example.service 2>/dev/null
check "a restart ends it and the site serves again" wait_for 60 serves blog.example
is "with nothing left of it" "$(pgrep --count --euid alpha perl)" 0
no_unit_failed "no unit has failed"

done_testing
