# No request is lost when workers come and go.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

workers() { pgrep -f '^php-fpm: pool blog.example'; }

# A request that arrives just when the master has told the last idle worker to quit. To make this
# moment last, workers are stopped before they can; the master kills them a second later.
mapfile -t idle < <(workers)
check "(a site that was visited has a worker)" test ${#idle[@]} -ge 1
kill -STOP "${idle[@]}"
last_one_quits() {
    local left
    mapfile -t left < <(workers)
    # A signal that is pending, SIGQUIT.
    [[ ${#left[@]} -le 1 ]] && grep -qE '^S(ig|hd)Pnd:.*[4-7c-f]$' "/proc/${left[0]}/status"
}
# When idle workers are kept, nobody tells them to.
wait_for 15 last_one_quits
fetch blog.example / --max-time 20 >"$scratch/answer" 2>&1 &
waiting=$!
sleep 3
kill -CONT "${idle[@]}" 2>/dev/null
wait "$waiting"
is "a request that meets an idle worker which is to quit is served" "$(<"$scratch/answer")" \
    "hello from blog.example"

# Waves of requests, a little apart, so that workers are started and ended all the time.
publish blog.example nap.php <<<'<?php usleep(200000); echo "napped";'
served=0
for wave in {1..12}; do
    for number in 1 2 3; do
        fetch blog.example /nap.php --max-time 20 >"$scratch/wave-$wave-$number" 2>&1 &
    done
    sleep "0.$((wave % 3 + 1))"
done
wait
served=$(cat "$scratch"/wave-* | grep -o napped | wc -l)
is "of $((12 * 3)) requests in waves none is lost" "$served" 36
no_unit_failed "no unit has failed"

done_testing
