# A site without its drop-in starts no PHP, says why, and costs little; once it is mended, even the
# request that waited is served.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/failing.bash"

# --- a template without its site ---

cursor=$(journal_cursor)
check_fails "a service without a drop-in does not start" 1 'failed' \
    systemctl start php-fpm@nobody.example.service
like "and says that it has no drop-in" "$(said php-fpm@nobody.example.service)" \
    'Refusing to start PHP-FPM: The site has no drop-in'
is "it runs no PHP" "$(pgrep -af php-fpm.*nobody)" ""
systemctl stop php-fpm@nobody.example.socket php-fpm@nobody.example.service 2>/dev/null
systemctl reset-failed php-fpm@nobody.example.service 2>/dev/null

# --- a site that lost its drop-in ---

systemctl stop $site.service 2>/dev/null
rm -r "${drop_in%/*}"
systemctl daemon-reload
request_waits
refused "no drop-in" 'The site has no drop-in that names its tenant'
paced "no drop-in"
mended "no drop-in"

no_unit_failed "no unit has failed"

done_testing
