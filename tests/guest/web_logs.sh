# What visitors and pages write into logs is one line each, under the site's own name.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/web.bash"

fetch blog.example '/?say=%0aforged%1b%5b31m' --user-agent $'agent\x1b[31m"forged' >/dev/null
raw 'GET /raw\x1b[31m"x HTTP/1.1\r\nHost: blog.example\r\nReferer: a\x1b]0;title\x07b' >/dev/null
is "each request is one line of the log" \
    "$(grep -c '^127.0.0.1 - - \[' "$logs/access.log")" "$(wc -l <"$logs/access.log")"
is "no escape sequence gets into it" "$(grep -cP '[\x00-\x08\x0b-\x1f\x7f]' "$logs/access.log" "$logs/error.log" | tr '\n' ' ')" \
    "$logs/access.log:0 $logs/error.log:0 "
check "what was sent stands in it, escaped" grep -q 'agent\\x1B\[31m\\x22forged' "$logs/access.log"
is "the logs are outside of the home and root's" "$(stat -c '%U %a' "$logs")" "root 710"
check_fails "a tenant cannot read them" 1 'Permission denied' as_alpha cat "$logs/access.log"
check_fails "nor list them" 2 'Permission denied' as_alpha ls "$logs"
check_fails "nor write to them" 1 'Permission denied' as_alpha tee -a "$logs/access.log"
check_fails "nor replace them" 1 'Permission denied' as_alpha mv "$logs/access.log" "$logs/x"

put "$public/log.php" 0644 <<'END'
<?php
error_log("first\nJun  1 00:00:00 guest sshd[1]: forged\x1b[31m");
file_put_contents('php://stderr', "second\nphp-fpm@shop.example[1]: forged\n");
openlog('sshd', LOG_PID, LOG_AUTH);
syslog(LOG_INFO, 'third forged');
END
fetch blog.example /log.php
journal_of() {
    journalctl --quiet --no-pager --output=cat "$@"
}
logged() {
    local word text
    journalctl --sync
    text=$(journal_of -u php-fpm@blog.example.service)
    for word in first second third; do
        [[ $text == *"$word"* ]] || return 1
    done
}
check "what a page logs is in the journal" wait_for 50 logged
is "and all of it under the site's own unit, whatever it says" \
    "$(journalctl --quiet --output=json --grep forged | jq -r ._SYSTEMD_UNIT | sort -u)" php-fpm@blog.example.service
like "what it writes to its standard error has its pool before each line" \
    "$(journal_of -u php-fpm@blog.example.service --grep 'php-fpm@shop')" \
    '^\[.*\] WARNING: \[pool blog.example\] child [0-9]+ said into stderr: "php-fpm@shop'
is "none of it in the web server's log" "$(grep -c forged "$logs/error.log")" 0
check_fails "no escape sequence of it reaches a terminal" 1 '' \
    grep -qP '\x1b' <(journalctl --quiet --no-pager -u php-fpm@blog.example.service)

done_testing
