# For test files of a fork bomb: tenant alpha, which may have 16 tasks, and tenant beta.
# shellcheck shell=bash disable=SC2034,SC2154

slice=$(slice_of alpha)
counter="$slice/php-fpm@blog.example.service/pids.events"

check "a tenant with a site" tenantctl add site blog.example --tenant alpha --tasks-max 16
check "another tenant's" tenantctl add site shop.example --tenant beta
put_pages blog.example
put_pages shop.example
check "beta is served" serves shop.example
fetch blog.example /run.php --data-binary 'perl -e "fork while 1"' >/dev/null 2>&1 &
check "a fork bomb stops at TasksMax" wait_for 50 grep -q 'max [1-9]' "$counter"
check "within its own slice" test "$(<"$slice/pids.current")" -le 16
