# add site --check: only an answer of the site's own will do, and not one of somebody else's server.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/keep.bash"

check "a site whose server block answers, if only with 403, passes" \
    tenantctl add site new.example --tenant new --check
is "it was asked under its name, by a request of its own" \
    "$(awk '/tenantctl-check/ { print $9, $(NF - 4) }' /var/log/tenantctl/new.example/access.log)" "403 new.example"
tenantctl remove tenant new --with-sites --purge 2>/dev/null

# nginx takes the first of two blocks with one name.
printf 'server { listen 80; server_name new.example; return 200 "mine"; }\n' >/etc/nginx/conf.d/foreign.conf
remember
check_fails "a site whose name is another server block's does not pass" 1 \
    'new.example/: the answer "HTTP/1.1 200 OK" did not come from the site.*another server block.*nginx -T.*Undone: ' \
    tenantctl add site new.example --tenant new --check
same_as_remembered "and is taken back"
rm /etc/nginx/conf.d/foreign.conf
systemctl reload nginx.service

tenantctl remove site keep.example 2>/dev/null
echo '<?php throw new Exception("broken");' >$public/index.php
remember
check_fails "a site whose page fails does not pass" 1 \
    'the answer was "HTTP/1.1 500.*; see journalctl -u php-fpm@keep.example' \
    tenantctl add site keep.example --tenant keep --check
same_as_remembered "and is taken back, too"

done_testing
