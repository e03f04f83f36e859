# A site whose pool, user, program or socket is broken says why; once it is mended, even the request
# that waited is served.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/failing.bash"

echo 'nonsense' >>$pool
request_waits
refused "a broken pool" 'blog.example.conf.*unknown entry|status=78/CONFIG'
paced "a broken pool"
mended "a broken pool"

# Processes of the tenant keep userdel from removing its user.
systemctl stop $site.service 2>/dev/null
uid=$(id -u alpha)
userdel alpha
request_waits
refused "no user" 'status=217/USER'
mended "no user"
is "the user has its uid again" "$(id -u alpha)" "$uid"

php=$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' "$drop_in")
mv "$php" "$php.away"
request_waits
refused "no PHP" 'status=203/EXEC'
mv "$php.away" "$php"
is_served "no PHP, once it is back"

rm -r /run/tenantctl/fpm
check "a socket's file that is gone is made again by tenantctl apply" tenantctl apply alpha
check "and the site serves" serves blog.example

no_unit_failed "no unit has failed"

done_testing
