# A site that takes all the memory it can get meets its tenant's limits, and nobody else does.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

slice=$(slice_of alpha)
beta_master=$(main_pid shop.example)

like "what a site puts into /dev/shm ends before its memory does" \
    "$(run_in blog.example 'head -c 1G /dev/zero >/dev/shm/full')" 'No space left'
check "and it still serves" serves blog.example
run_in blog.example 'rm /dev/shm/full' >/dev/null

event() { awk -v name="$1" '$1 == name { print $2 }' "$slice/memory.events"; }
met_limit() { (($(event high) > high || $(event oom_kill) > killed)); }
high=$(event high) killed=$(event oom_kill)
fetch blog.example /run.php --data-binary 'perl -e "push @a, q(x) x 1e6 while 1"' >/dev/null 2>&1 &
check "a memory hog meets its tenant's limits" wait_for 50 met_limit
check "never above MemoryMax" test "$(<"$slice/memory.current")" -le $((112 << 20))
check "and beta is served at once" serves shop.example
is "none of beta's was killed" "$(main_pid shop.example)" "$beta_master"
check "a restart ends it" systemctl restart php-fpm@blog.example.service
check "and the site serves again" wait_for 60 serves blog.example
no_unit_failed "no unit has failed"

done_testing
