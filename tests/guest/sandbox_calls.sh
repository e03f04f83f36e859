# Which system calls a page that runs programs of its own choice can make; which processes, memory
# and queues it reaches.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

master=$(main_pid blog.example)
beta_master=$(main_pid shop.example)

like "system calls by number reach the kernel" \
    "$(run_in blog.example 'perl syscall.pl 39')" 'result [0-9]+'

attacks <<END
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

done_testing
