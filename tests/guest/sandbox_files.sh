# What a page that runs programs of its own choice gets at in the file system: its own site's, and
# of the sockets the journal's and the notify socket.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

home=$(home_of blog.example)

like "a page may run programs" "$(run_in blog.example id)" "uid=$(id -u alpha)\(alpha\)"

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
the own slice's limit                 | cannot create          | echo max >/sys/fs/cgroup/tenant.slice/tenant-alpha.slice/memory.max
another cgroup                        | cannot create          | echo \$\$ >/sys/fs/cgroup/cgroup.procs
a cgroup of its own                   | Read-only file system  | mkdir /sys/fs/cgroup/tenant.slice/tenant-alpha.slice/x
/proc/sys                             | nonexistent            | echo 1 >/proc/sys/kernel/core_uses_pid
/sys                                  | cannot create          | echo 1 >/sys/kernel/profiling
an executable of its own in public    | Permission denied      | cp /bin/true x && ./x
in tmp                                | Permission denied      | cp /bin/true ../tmp/x && ../tmp/x
in /tmp                               | Permission denied      | cp /bin/true /tmp/x && /tmp/x
in /var/tmp                           | Permission denied      | cp /bin/true /var/tmp/x && /var/tmp/x
in /dev/shm                           | Permission denied      | cp /bin/true /dev/shm/x && /dev/shm/x
by way of the dynamic loader          | failed to map segment  | cp /bin/true x && /lib64/ld-linux-x86-64.so.2 ./x
a setuid file                         | not permitted          | chmod 4755 x
END

done_testing
