# With the least memory and tasks that tenantctl takes, PHP still serves a page, and the page can
# still start a program.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

slice=$(slice_of alpha)

check "a tenant with 32M and 8 tasks" tenantctl add site blog.example --tenant alpha \
    --memory-high 32M --memory-max 32M --tasks-max 8 --check
put_pages blog.example
check "a page is served" wait_for 20 serves blog.example
is "the kernel has these limits" "$(tenantctl status alpha --json=short |
    jq -r '.[0].kernel_limits | .["memory.high"], .["memory.max"], .["pids.max"]' | xargs)" \
    "$((32 << 20)) $((32 << 20)) 8"
like "it can start a program" "$(run_in blog.example id)" "uid=$(id -u alpha)\(alpha\)"
publish blog.example self.php <<<'<?php echo file_get_contents("http://127.0.0.1/", false,
    stream_context_create(["http" => ["header" => "Host: blog.example"]]));'
is "and fetch a page of its own" "$(fetch blog.example /self.php)" "hello from blog.example"
crowd=()
for number in {1..12}; do
    fetch blog.example / >"$scratch/crowd-$number" &
    crowd+=($!)
done
wait "${crowd[@]}"
is "twelve visitors at once are all served" "$(cat "$scratch"/crowd-* | sed 's/example/&\n/g' | sort | uniq -c | xargs)" \
    "12 hello from blog.example"
is "nothing was killed for it" "$(awk '$1 == "oom_kill" { print $2 }' "$slice/memory.events")" 0
check "the site sleeps and wakes" systemctl restart php-fpm@blog.example.service
check "with these limits" serves blog.example
no_unit_failed "no unit has failed"

done_testing
