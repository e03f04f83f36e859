# What takes even the socket down, because systemd cannot load what it is for: a masked slice, a
# drop-in that leaves no program. No PHP runs; tenantctl apply brings the socket back.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/failing.bash"

# down CASE - a request finds nothing that could answer it.
down() {
    systemctl stop $site.service tenant-alpha.slice 2>/dev/null
    systemctl daemon-reload
    like "$1: a request gets an error" "$(status_of blog.example /)" '^50[234]$'
    is "$1: no PHP of the site runs" "$(pgrep -af 'php-fpm.*blog.example')" ""
    is "$1: the socket has failed" "$(state $site.socket)" failed
    check "$1: tenantctl apply mends it" tenantctl apply alpha
    check "$1: the next request is served" wait_for 10 serves blog.example
    is "$1: by the tenant in its slice" "$(pages_place)" \
        "alpha /tenant.slice/tenant-alpha.slice/$site.service"
}

ln -sf /dev/null $slice
down "a masked slice"
sed -i '/^ExecStart=./d' "$drop_in"
down "no program"

no_unit_failed "no unit has failed"

done_testing
