# What a page of one tenant gets at when it runs programs of its own choice: nothing of the box's,
# nothing of another tenant's. Part of its attacks take the site down; it has to come back.
# timeout: 600
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"

scratch=$(mktemp -d)

home=/srv/tenants/alpha/sites/blog.example

# --- the tools of the attacker ------------------------------------------------------------------

# put_pages TENANT DOMAIN - a page that runs what it is sent, and two helpers for it.
put_pages() {
    local public=/srv/tenants/$1/sites/$2/public
    cat >"$public/run.php" <<'END'
<?php
exec('exec 2>&1; ' . file_get_contents('php://input'), $lines, $status);
echo implode("\n", $lines), "\nexit status: $status\n";
END
    echo '<?php echo "hello from ", $_SERVER["SERVER_NAME"];' >"$public/index.php"
    # Prints which of the sockets it can connect to; @ stands for the abstract namespace.
    cat >"$public/connect.pl" <<'END'
use Socket;
for my $path (@ARGV) {
    (my $name = $path) =~ s/^@/\0/;
    for my $type (SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET) {
        socket(my $socket, PF_UNIX, $type, 0) or die "socket: $!\n";
        print("$path\n"), last if connect($socket, pack_sockaddr_un($name));
    }
}
END
    # A system call by its number.
    cat >"$public/syscall.pl" <<'END'
my ($number, @arguments) = map { /^-?\d+$/ ? $_ + 0 : $_ } @ARGV;
my $result = syscall($number, @arguments);
die "$!\n" if $result < 0;
print "result $result\n";
END
    chown "$1:$1" "$public"/*
    chmod 0644 "$public"/*
}

run_in() { # DOMAIN COMMAND - as its page
    fetch "$1" /run.php --data-binary "$2"
}

# serves DOMAIN - within the time that a slow, emulated machine needs; what is stuck takes minutes.
serves() {
    [[ $(fetch "$1" / --max-time 30) == "hello from $1" ]]
}

main_pid() { # DOMAIN
    systemctl show --property=MainPID --value "php-fpm@$1.service"
}

# attacks: lines of NAME | what the page is told | command. Each command must fail. All go in one
# request, which answers with a line for each.
attacks() {
    local name wanted command number=0 names=() wants=() commands=() answers=()
    while IFS='|' read -r name wanted command; do
        names+=("${name%"${name##*[! ]}"}")
        read -r wanted <<<"$wanted"
        wants+=("$wanted")
        commands+=("$command")
    done
    mapfile -t answers < <(fetch blog.example /run.php --max-time 110 --data-binary \
        "$(printf 'said=$({ %s ; } 2>&1); echo "$?" $said\n' "${commands[@]}")")
    for number in "${!names[@]}"; do
        like "${names[number]}" "${answers[number]}" "^[1-9][0-9]* .*${wants[number]}"
    done
}

# --- set-up -------------------------------------------------------------------------------------

limits=(--memory-high 96M --memory-max 112M --tasks-max 40)
check "a tenant with two sites" tenantctl add site blog.example --tenant alpha "${limits[@]}"
check "its second site" tenantctl add site other.example --tenant alpha
check "another tenant" tenantctl add site shop.example --tenant beta
put_pages alpha blog.example
put_pages alpha other.example
put_pages beta shop.example
for site in blog.example other.example shop.example; do
    check "$site serves" wait_for 60 serves "$site"
done
((_tap_failed == 0)) || done_testing
master=$(main_pid blog.example)
beta_master=$(main_pid shop.example)

# What the watchdog has to find; looked at again at the very end.
stopped=$(main_pid other.example)
like "a page stops its own master" "$(run_in other.example "kill -STOP $stopped")" 'exit status: 0'

# --- the attacker's tools work -----------------------------------------------------------------

like "a page may run programs" "$(run_in blog.example id)" "uid=$(id -u alpha)\(alpha\)"
like "system calls by number reach the kernel" \
    "$(run_in blog.example 'perl syscall.pl 39')" 'result [0-9]+'
like "sockets can be connected to" \
    "$(run_in blog.example 'perl connect.pl /run/systemd/journal/stdout')" '^/run/systemd/journal/stdout'

# --- files, sockets, processes -----------------------------------------------------------------

install -m 4755 /usr/bin/id /usr/local/bin/setuid-id
is "of the tenants' homes a page sees its own" \
    "$(run_in blog.example 'ls -A /srv/tenants')" $'alpha\nexit status: 0'
like "a program that is setuid root gives a page nothing" \
    "$(run_in blog.example setuid-id)" "uid=$(id -u alpha)\(alpha\) gid=[^ ]* groups="
is "a page sees its site's processes alone" \
    "$(run_in blog.example 'cat /proc/[0-9]*/status | grep ^Uid: | sort -u | wc -l')" \
    $'1\nexit status: 0'
is "a page can write where it should, and nowhere else" \
    "$(run_in blog.example 'find / \( -path /proc -o -path /sys/kernel/security -o -path "/srv/tenants/alpha/sites/*/*/*" -o -type l \) -prune -o \
        -writable -print 2>/dev/null | grep -vxE "/dev/(full|null|ptmx|pts/ptmx|random|tty|urandom|zero)"' |
        sort | grep -v '^exit status')" \
    "$(printf '%s\n' /dev/mqueue /dev/shm /run/systemd/{notify,journal/{dev-log,socket,stdout}} \
        /srv/tenants/alpha/sites/{blog,other}.example/{public,sessions,tmp} /tmp /var/tmp | sort)"
is "devices are the harmless ones" \
    "$(run_in blog.example 'ls /dev | grep -vxE "char|core|fd|full|log|mqueue|null|ptmx|pts|random|shm|std(err|in|out)|tty|urandom|zero|hugepages"')" \
    $'\nexit status: 1'

# Every socket of the box that something listens on or that has a name in the file system.
mapfile -t sockets < <(awk 'NR > 1 && $8 { print $8 }' /proc/net/unix | sort -u)
reached=$(run_in blog.example "perl connect.pl ${sockets[*]@Q}" |
    grep -vxE '/run/systemd/(notify|journal/(dev-log|socket|stdout))|exit status: 0')
is "of the box's ${#sockets[@]} sockets a page reaches the journal's and the notify socket" "$reached" ""
for socket in /run/dbus/system_bus_socket /run/systemd/private \
    /run/tenantctl/fpm/blog.example.sock /run/tenantctl/fpm/shop.example.sock; do
    is "$socket is among them" "$(printf '%s\n' "${sockets[@]}" | grep -cxF "$socket")" 1
done
check_fails "outside of the sandbox, too, a tenant cannot reach a site's socket" 13 'Permission denied' \
    runuser -u alpha -- perl -MIO::Socket::UNIX -e \
    'IO::Socket::UNIX->new(Peer => "/run/tenantctl/fpm/shop.example.sock") or die "$!\n"'
check_fails "nor hard link a file of another's" 1 'Operation not permitted' \
    runuser -u alpha -- ln /etc/passwd "$home/public/passwd"

attacks <<END
/etc/shadow is not readable           | Permission denied      | cat /etc/shadow
beta's home does not exist            | No such file           | ls -d /srv/tenants/beta
the tenants' files are not listed     | Permission denied      | ls /etc/tenantctl/tenants
nor the web server's                  | Permission denied      | ls /etc/nginx
nor the units of others               | Permission denied      | ls /etc/systemd/system
nor the logs                          | Permission denied      | ls /var/log
nor pools                             | Permission denied      | ls /etc/tenantctl/php-fpm
nor /run/user                         | Permission denied      | ls /run/user
nor pinned BPF objects                | Permission denied      | ls /sys/fs/bpf
cron takes nothing                    | Read-only file system  | touch /etc/cron.d/x
/run/lock is not shared with others   | Permission denied      | touch /run/lock/x
the home is root's                    | Permission denied      | mv $home/public $home/elsewhere
beta's processes are not visible      | No such file           | cat /proc/$beta_master/cmdline
PID 1's are not                       | No such file           | cat /proc/1/cmdline
beta's master is not killed           | not permitted          | kill -KILL $beta_master
nor stopped                           | not permitted          | kill -STOP $beta_master
nginx is not killed                   | not permitted          | kill -KILL $(cat /run/nginx.pid)
ptrace of the own master              | not permitted          | perl syscall.pl 101 16 $master 0 0
pidfd_getfd                           | not permitted          | perl syscall.pl 438 0 0 0
su                                    | .                      | echo x | su root -c id
mount                                 | must be superuser      | mount -t tmpfs none /tmp
the mount system call                 | not permitted          | perl syscall.pl 165 none /tmp tmpfs 0 0
a user namespace                      | not permitted          | unshare --user true
a mount namespace                     | not permitted          | unshare --mount true
clone with namespaces                 | not permitted          | perl syscall.pl 56 268435473 0 0 0 0
clone3 (cannot be filtered, so none)  | not implemented        | perl syscall.pl 435 0 0
setns                                 | not permitted          | perl syscall.pl 308 0 0
a user manager                        | .                      | systemd-run --user --quiet true
a unit of the system's                | .                      | systemd-run --quiet true
linger                                | .                      | loginctl enable-linger
the own slice's limit                 | cannot create          | echo max >/sys/fs/cgroup/tenant.slice/tenant-alpha.slice/memory.max
another cgroup                        | cannot create          | echo \$\$ >/sys/fs/cgroup/cgroup.procs
a cgroup of its own                   | Read-only file system  | mkdir /sys/fs/cgroup/tenant.slice/tenant-alpha.slice/x
/proc/sys                             | nonexistent            | echo 1 >/proc/sys/kernel/core_uses_pid
/sys                                  | cannot create          | echo 1 >/sys/kernel/profiling
a device node                         | not permitted          | mknod node b 254 0
a raw socket                          | not permitted          | perl syscall.pl 41 2 3 1
a netlink socket                      | not supported          | perl syscall.pl 41 16 3 15
a packet socket                       | not supported          | perl syscall.pl 41 17 3 0
a vsock socket                        | not supported          | perl syscall.pl 41 40 1 0
a socket of the kernel's ciphers      | not supported          | perl syscall.pl 41 38 5 0
io_uring, which no filter sees into   | not permitted          | perl syscall.pl 425 1 0
bpf                                   | not permitted          | perl syscall.pl 321 0 0 0
perf_event_open                       | not permitted          | perl syscall.pl 298 0 0 0 0 0
userfaultfd                           | not permitted          | perl syscall.pl 323 1
keyctl                                | not permitted          | perl syscall.pl 250 0 -3 0
add_key                               | not permitted          | perl syscall.pl 248 user x y 1 -3
kernel modules                        | not permitted          | perl syscall.pl 313 0 0 0
kexec                                 | not permitted          | perl syscall.pl 246 0 0 0 0
raising a limit                       | not permitted          | perl syscall.pl 160 7 0
an executable of its own in public    | Permission denied      | cp /bin/true x && ./x
in tmp                                | Permission denied      | cp /bin/true ../tmp/x && ../tmp/x
in /tmp                               | Permission denied      | cp /bin/true /tmp/x && /tmp/x
in /var/tmp                           | Permission denied      | cp /bin/true /var/tmp/x && /var/tmp/x
in /dev/shm                           | Permission denied      | cp /bin/true /dev/shm/x && /dev/shm/x
by way of the dynamic loader          | failed to map segment  | cp /bin/true x && /lib64/ld-linux-x86-64.so.2 ./x
a setuid file                         | not permitted          | chmod 4755 x
END

# --- what tenants share, and what not ----------------------------------------------------------

run_in blog.example 'rm -f x ../tmp/x; touch /tmp/marker /var/tmp/marker /dev/shm/marker
    perl syscall.pl 29 4242 4096 950; perl syscall.pl 240 marker 66 438 0' >"$scratch/made"
is "a page makes a shared memory segment and a message queue" \
    "$(grep -c '^result' "$scratch/made")" 2
like "another tenant sees none of what it left in /tmp, /var/tmp, /dev/shm" \
    "$(run_in shop.example 'ls /tmp/marker /var/tmp/marker /dev/shm/marker | wc -l; ls /dev/shm')" \
    $'No such.*No such.*No such.*\n0\n'
like "nor its shared memory" "$(run_in shop.example 'perl syscall.pl 29 4242 4096 438')" 'No such file'
like "nor its message queues" "$(run_in shop.example 'perl syscall.pl 240 marker 2 438 0')" 'No such file'
check_fails "nor has the box a file of that name" 2 'No such' ls /tmp/marker /var/tmp/marker /dev/shm/marker

score=$(systemd-analyze security --no-pager php-fpm@blog.example.service | awk '/Overall/ { print $(NF - 2) }')
check "systemd-analyze security scores the site ${score:-nothing}, at most 1.3" \
    awk -v score="$score" 'BEGIN { exit !(score != "" && score <= 1.3) }'

# --- what a site says to systemd ----------------------------------------------------------------

run_in blog.example "perl -MSocket -e '
    socket(S, PF_UNIX, SOCK_DGRAM, 0);
    connect(S, pack_sockaddr_un(q(/run/systemd/notify))) or die;
    syswrite(S, \$_) for q(STATUS=forged), q(MAINPID=1), qq(MAINPID=\$\$), q(STOPPING=1),
        q(EXTEND_TIMEOUT_USEC=3600000000), q(FDSTORE=1), q(WATCHDOG=trigger)'" >"$scratch/notify"
# The manager works through the messages in order: an answer of its own comes after them.
is "the manager takes no word of a page for its master's: the main process stays" \
    "$(main_pid blog.example)" "$master"
is "so does the state" \
    "$(systemctl show -P NFileDescriptorStore -P ActiveState php-fpm@blog.example.service)" $'0\nactive'
check_fails "and the status text" 1 '' \
    grep -q forged <(systemctl show -P StatusText php-fpm@blog.example.service)

# --- a site under its own fire ------------------------------------------------------------------

for signal in QUIT KILL; do
    master=$(main_pid blog.example)
    run_in blog.example "kill -$signal $master" >/dev/null 2>&1
    check "a page that sends its master SIG$signal: the site comes back" wait_for 60 serves blog.example
    isnt=$(main_pid blog.example)
    check "with another master" test "$isnt" != "$master"
done

slice=/sys/fs/cgroup/tenant.slice/tenant-alpha.slice
full_shm=$(run_in blog.example 'head -c 1G /dev/zero >/dev/shm/full')
like "what a site puts into /dev/shm ends before its memory does" "$full_shm" 'No space left'
check "and it still serves" serves blog.example
run_in blog.example 'rm /dev/shm/full' >/dev/null

fetch blog.example /run.php --data-binary 'perl -e "fork while 1"' >/dev/null 2>&1 &
check "a fork bomb stops at TasksMax" wait_for 50 grep -q 'max [1-9]' "$slice/php-fpm@blog.example.service/pids.events"
check "within its own slice" test "$(<"$slice/pids.current")" -le 40
check "and beta is served at once" serves shop.example
# It may fail: a bomb is not killed in one go, and what is left of it takes the new master's place.
# The service then starts again by itself.
systemctl restart php-fpm@blog.example.service
check "a restart ends it and the site serves again" wait_for 60 serves blog.example
is "with nothing left of it" "$(pgrep --count --euid alpha perl)" 0

oom_before=$(awk '/^(high|oom_kill) / { sum += $2 } END { print sum }' "$slice/memory.events")
fetch blog.example /run.php --data-binary 'perl -e "push @a, q(x) x 1e6 while 1"' >/dev/null 2>&1 &
more_pressure() {
    (($(awk '/^(high|oom_kill) / { sum += $2 } END { print sum }' "$slice/memory.events") > oom_before))
}
check "a memory hog meets its tenant's limits" wait_for 50 more_pressure
check "and beta is served at once" serves shop.example
is "none of beta's was killed" "$(main_pid shop.example)" "$beta_master"
check "a restart ends it" systemctl restart php-fpm@blog.example.service
check "and the site serves again" wait_for 60 serves blog.example

check "the watchdog ends the master that was stopped; the next request is served" \
    wait_for 90 serves other.example

done_testing
