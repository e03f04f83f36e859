# Masters and workers are killed, by signals and by the kernel for want of memory: the site serves on.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

blog='php-fpm@blog.example'
pool=/etc/tenantctl/php-fpm/blog.example.conf
slice=$(slice_of alpha)

publish blog.example pid.php <<<'<?php echo getmypid();'
publish blog.example hog.php <<<'<?php str_repeat("x", 400 << 20); echo "survived";'

kill -9 "$(main_pid blog.example)"
check "a master that is killed is started again for the next request" serves blog.example
kill -9 "$(fetch blog.example /pid.php)"
check "a worker that is killed is replaced" serves blog.example

# High is Max: what exceeds it is killed at once and not throttled first.
systemctl set-property --runtime tenant-alpha.slice MemoryHigh=96M MemoryMax=96M
sed -i 's/^\(php_admin_value\[memory_limit\] = \).*/\11G/' $pool
check "(a master with a high memory_limit)" systemctl restart $blog.service
pid=$(main_pid blog.example)
fetch blog.example /hog.php >"$scratch/hog" --max-time 30
like "a worker beyond the tenant's MemoryMax is killed" \
    "$(cat "$scratch/hog" "$slice/memory.events" | xargs)" '50[24] .*oom_kill [1-9]'
check "the site serves on" serves blog.example
is "with the same master" "$(main_pid blog.example)" "$pid"

no_unit_failed "no unit has failed"

done_testing
