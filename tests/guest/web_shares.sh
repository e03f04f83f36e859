# A tenant whose requests are all stuck has used up its own share of the web server.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/web.bash"

put "$public/stuck.php" 0644 <<<'<?php sleep(100);'
for ((request = 0; request < 200; request++)); do
    printf 'url = "http://127.0.0.1/stuck.php?%d"\n' "$request"
done >"$scratch/requests"
curl --silent --parallel --parallel-immediate --parallel-max 200 --max-time 110 --header 'Host: blog.example' \
    --output /dev/null --config "$scratch/requests" >/dev/null 2>&1 &
crowd=$!
is_full() {
    [[ $(status_of blog.example /stuck.php --max-time 5) =~ ^50[23]$ ]]
}
check "when all of a tenant's requests are stuck, it gets 502 or 503" wait_for 80 is_full
is "and another tenant is served at once" "$(fetch shop.example / --max-time 30)" shop
is "its static files, too" "$(fetch shop.example /page.html --max-time 30)" "beta's page"
is "again and again" "$(bodies shop.example '?'{1..9})" "$(printf 'shop%.0s' {1..9})"
kill "$crowd"
# What waits in the socket is still served, one by one.
rm "$public/stuck.php"
check "a restart frees it" systemctl restart php-fpm@blog.example.service
is "and it is served again" "$(fetch blog.example / --max-time 50)" "blog "

done_testing
