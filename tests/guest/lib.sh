# Helpers for test files that run in the guest: each check is one line of TAP.
# A test file sources this and ends with done_testing.
# shellcheck shell=bash

export LC_ALL=C.UTF-8

_tap_count=0
_tap_failed=0
_tap_directory=$(mktemp -d)
trap 'rm -rf "$_tap_directory"' EXIT

pass() { # NAME
    printf 'ok %d - %s\n' $((++_tap_count)) "$1"
}

# fail NAME [DIAGNOSTIC]... - each line of a diagnostic becomes a comment.
fail() {
    printf 'not ok %d - %s\n' $((++_tap_count)) "$1"
    ((++_tap_failed))
    shift
    [[ $# -eq 0 ]] || printf '%s\n' "$@" | note
}

# Comments keep what is printed from being taken for results.
note() {
    sed 's/^/# /'
}

# Run a command with its outputs kept; leaves them in $out, $err and $status.
_tap_run() {
    status=0
    "$@" >"$_tap_directory/out" 2>"$_tap_directory/err" </dev/null || status=$?
    out=$(tr -d '\0' <"$_tap_directory/out")
    err=$(tr -d '\0' <"$_tap_directory/err")
}

_tap_outcome() { # COMMAND... - what _tap_run saw, as diagnostics
    printf '%s\n' "command: $*" "exit status: $status" "stdout: $out" "stderr: $err"
}

# check NAME COMMAND... - passes when the command does.
check() {
    local name=$1 out err status
    shift
    _tap_run "$@"
    if [[ $status -eq 0 ]]; then
        pass "$name"
    else
        fail "$name" "$(_tap_outcome "$@")"
    fi
}

# check_fails NAME STATUS REGEX COMMAND... - passes when the command ends with
# this exit status and says something that matches on stderr.
check_fails() {
    local name=$1 wanted=$2 regex=$3 out err status
    shift 3
    _tap_run "$@"
    if [[ $status -eq $wanted && $err =~ $regex ]]; then
        pass "$name"
    else
        fail "$name" "wanted: exit status $wanted, stderr =~ $regex" "$(_tap_outcome "$@")"
    fi
}

# check_output NAME REGEX COMMAND... - passes when the command does and what it
# prints on stdout matches.
check_output() {
    local name=$1 regex=$2 out err status
    shift 2
    _tap_run "$@"
    if [[ $status -eq 0 && $out =~ $regex ]]; then
        pass "$name"
    else
        fail "$name" "wanted: stdout =~ $regex" "$(_tap_outcome "$@")"
    fi
}

is() { # NAME GOT WANT
    if [[ $2 == "$3" ]]; then
        pass "$1"
    else
        fail "$1" "got:  $2" "want: $3"
    fi
}

like() { # NAME GOT REGEX
    if [[ $2 =~ $3 ]]; then
        pass "$1"
    else
        fail "$1" "got:  $2" "want: =~ $3"
    fi
}

# wait_for SECONDS COMMAND... - poll until the command passes; fails in the end.
wait_for() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.2
    done
}

# fetch HOST PATH [CURL-ARGUMENT]... - from this machine's web server, by name.
fetch() {
    local host=$1 path=$2
    shift 2
    curl --silent --show-error --max-time 60 --resolve "$host:80:127.0.0.1" "$@" "http://$host$path"
}

# The version of PHP that the box has.
php_version() {
    local program
    program=$(basename /usr/sbin/php-fpm?.*)
    echo "${program#php-fpm}"
}

# Print the plan and exit, with 1 if any test failed.
done_testing() {
    printf '1..%d\n' "$_tap_count"
    exit $((_tap_failed > 0))
}
