# For test files in which tenantctl is killed at work.
# shellcheck shell=bash

# kill_at SYSCALL N COMMAND... - dies with the command as it makes its Nth such call; status 137.
kill_at() {
    (
        strace -qq -o /dev/null -e trace="$1" -e inject="$1:signal=KILL:when=$2" "${@:3}"
        exit $?
    ) >/dev/null 2>&1
}
# Each run is killed a little later than the one before, until one ends; prints how many were.
apply_under_fire() { # FIRST STEP
    local kills=0
    until kill_at sendmsg $(($1 + $2 * kills)) tenantctl apply || ((++kills == 20)); do :; done
    echo "$kills"
}
