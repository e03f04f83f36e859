# A page attacks the master of its own site, with signals, with words to the service manager in its
# name, and by capturing it: the site comes back, and the box keeps the last word.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

# What the watchdog has to find; looked at again at the very end.
stopped=$(main_pid other.example)
like "a page stops its own master" "$(run_in other.example "kill -STOP $stopped")" 'exit status: 0'

# --- words ---

master=$(main_pid blog.example)
is "a page that speaks to the service manager" "$(run_in blog.example "perl -MSocket -e '
    socket(S, PF_UNIX, SOCK_DGRAM, 0);
    connect(S, pack_sockaddr_un(q(/run/systemd/notify))) or die;
    syswrite(S, \$_) or die for q(STATUS=forged), q(MAINPID=1), qq(MAINPID=\$\$), q(STOPPING=1),
        q(EXTEND_TIMEOUT_USEC=3600000000), q(FDSTORE=1), q(WATCHDOG=trigger)'")" $'\nexit status: 0'
# The manager works through the messages in order: an answer of its own comes after them.
is "is not taken for its master: the main process stays" "$(main_pid blog.example)" "$master"
is "so does the state" \
    "$(systemctl show -P NFileDescriptorStore -P ActiveState php-fpm@blog.example.service)" $'0\nactive'
check_fails "and the status text" 1 '' \
    grep -q forged <(systemctl show -P StatusText php-fpm@blog.example.service)

# --- signals ---

for signal in QUIT KILL; do
    master=$(main_pid blog.example)
    run_in blog.example "kill -$signal $master" >/dev/null 2>&1
    check "a page that sends its master SIG$signal: the site comes back" wait_for 60 serves blog.example
    check "with another master" test "$(main_pid blog.example)" != "$master"
done

# Its idle worker, which nobody tells to quit, serves for as long as the master is stopped.
check "the watchdog ends the master that was stopped" \
    wait_for 60 test ! -e "/proc/$stopped"
check "the next request is served" wait_for 20 serves other.example
has_master() { [[ $(main_pid other.example) != 0 ]] && serves other.example; }
check "and another master takes its place" wait_for 20 has_master

done_testing
