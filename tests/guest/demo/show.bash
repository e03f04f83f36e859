# How the demonstration shows its steps: a heading, what happens, how long it took.
# shellcheck shell=bash

bold='' plain=''
if [[ ${DEMO_BOLD:-} == yes || (-t 1 && -z ${NO_COLOR:-}) ]]; then
    bold=$'\e[1m' plain=$'\e[m'
fi

heartbeat_seconds=10
child='' beater=''

# Each child in a process group of its own, so that it can be ended as a whole.
set -m

# A pause that leaves no process behind when it is killed.
exec {never}<> <(:)
pause() { read -rt "$1" -u "$never" _ || true; }

heading() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

# With a log: also its last line, which is where the work is.
beat() { # BEGAN [LOG]
    while pause "$heartbeat_seconds"; do
        printf '    ... %d s' $((SECONDS - $1))
        [[ -z ${2:-} ]] || tail -n 1 "$2" | cut -c -60 | sed 's/^/  /' | tr -d '\n'
        echo
    done
}

# Children are waited for like this, since bash acts on a signal only between foreground commands.
wait_for_child() {
    local status=0
    wait "$child" || status=$?
    child=''
    return "$status"
}

end_beat() {
    [[ -z $beater ]] || kill "$beater" 2>/dev/null || true
    beater=''
}

# What an exit trap calls: nothing that was started here goes on.
end_children() {
    end_beat
    [[ -z $child ]] || kill -- "-$child" 2>/dev/null || true
    [[ -z $child ]] || wait "$child" 2>/dev/null || true
    child=''
}

# run COMMAND... - as it is, but to be ended by end_children.
run() {
    "$@" </dev/null &
    child=$!
    wait_for_child
}

# step TITLE COMMAND... - a heading, then the command's output as it comes.
step() {
    local title=$1 status=0 began=$SECONDS filter out
    shift
    printf '%s==> %s%s\n' "$bold" "$title" "$plain"
    exec {out}> >(sed -u 's/^/    /')
    filter=$!
    beat "$began" &
    beater=$!
    disown "$beater"
    "$@" </dev/null >&"$out" 2>&1 &
    child=$!
    exec {out}>&-
    wait_for_child || status=$?
    end_beat
    wait "$filter"
    end_step "$title" "$status" "$began"
}

# logged_step TITLE LOG COMMAND... - the output goes to a log, which a failure shows.
logged_step() {
    local title=$1 log=$2 status=0 began=$SECONDS
    shift 2
    printf '%s==> %s%s\n' "$bold" "$title" "$plain"
    : >"$log"
    beat "$began" "$log" &
    beater=$!
    disown "$beater"
    "$@" </dev/null >"$log" 2>&1 &
    child=$!
    wait_for_child || status=$?
    end_beat
    [[ $status -eq 0 ]] || sed 's/^/    | /' "$log" | tail -n 60
    end_step "$title" "$status" "$began"
}

end_step() { # TITLE STATUS BEGAN
    local took=$((SECONDS - $3))
    if [[ $2 -eq 0 ]]; then
        echo "    took $took s"
    else
        echo "    ${bold}FAILED${plain} after $took s with status $2: $1"
    fi
    return "$2"
}
