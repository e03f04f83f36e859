# Neither a change nor its undo depends on somebody who reads what they print.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/keep.bash"

remove_again() {
    tenantctl remove tenant new --with-sites --purge >/dev/null 2>&1
    same_as_remembered "(and away again)"
}
is_whole() { # WHEN
    is "the addition is whole when $1" "$(tenantctl --dry-run --json=short apply new |
        jq -r '.[].step' | grep -vE '^(verify|check|Reload)')" ""
    check "and the site answers" wait_for 20 answers new.example 403
    remove_again
}
broken_template() {
    mkdir -p /etc/tenantctl/templates/php-fpm
    sed 's|^listen = .*|listen = "/run/elsewhere.sock"|' /usr/share/tenantctl/templates/php-fpm/pool.conf \
        >/etc/tenantctl/templates/php-fpm/pool.conf
}
new=(tenantctl -v add site new.example --tenant new)

"${new[@]}" 2>&1 | head -3 >/dev/null
is "a reader that goes after three lines does not end the change" "${PIPESTATUS[0]}" 0
is_whole "its reader went"
"${new[@]}" 2>/dev/full >/dev/full
is "nor does a full disk under its messages" $? 0
is_whole "the disk under its messages was full"
"${new[@]}" 2>&- >&-
is "nor do descriptors that are closed" $? 0
is_whole "it had nowhere to print to"
# A terminal that goes away: script(1) is killed, which hangs up what runs under it.
script --quiet --command "${new[*]}" /dev/null >/dev/null 2>&1 </dev/null &
terminal=$!
wait_for 20 test -e /etc/tenantctl/tenants/new.toml
kill -KILL $terminal
wait_for 120 sh -c '! pgrep -x tenantctl'
check "a terminal that goes away leaves all or nothing" tenantctl apply
if [[ -e /etc/tenantctl/tenants/new.toml ]]; then
    is_whole "the terminal went"
else
    same_as_remembered "nothing is left when the terminal went"
fi

broken_template
"${new[@]}" 2>&1 | head -3 >/dev/null
is "an undo whose reader has gone" "${PIPESTATUS[0]}" 1
rm -r /etc/tenantctl/templates
same_as_remembered "leaves nothing"
broken_template
"${new[@]}" 2>/dev/full
is "an undo on a full disk" $? 1
rm -r /etc/tenantctl/templates
same_as_remembered "leaves nothing either"

tenantctl list | head -0
is "a view whose reader has gone ends as other programs do" "${PIPESTATUS[0]}" 141
said=$(tenantctl list 2>&1 >/dev/full)
is "a view that cannot be written fails" $? 1
like "and says so" "$said" '[A-Za-z]'

done_testing
