# A master that its site's pages have captured refuses to end, and asks systemd for ever more time:
# what an administrator removes goes all the same.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

check "a tenant with a site" tenantctl add site blog.example --tenant alpha
unit=php-fpm@blog.example.service
drop_in=/etc/systemd/system/$unit.d

# In the place of the master, with all that its sandbox leaves it.
cat >/usr/local/bin/captured <<'END_OF_PROGRAM'
#!/usr/bin/perl
use Socket;
socket(my $manager, PF_UNIX, SOCK_DGRAM, 0);
connect($manager, pack_sockaddr_un($ENV{NOTIFY_SOCKET})) or die "$!\n";
$SIG{$_} = "IGNORE" for qw(TERM QUIT HUP INT);
syswrite($manager, "READY=1");
while (1) {
    syswrite($manager, "WATCHDOG=1");
    syswrite($manager, "EXTEND_TIMEOUT_USEC=60000000");
    select(undef, undef, undef, 1);
}
END_OF_PROGRAM
chmod 755 /usr/local/bin/captured
printf '[Service]\nExecStart=\nExecStart=/usr/local/bin/captured\n' >$drop_in/zz-captured.conf
systemctl daemon-reload
systemctl restart $unit
captured=$(main_pid blog.example)
is "(the captured master is alpha's, in its slice)" \
    "$(stat -c %U "/proc/$captured") $(cut -d: -f3 "/proc/$captured/cgroup")" \
    "alpha /tenant.slice/tenant-alpha.slice/$unit"

# Without a kill of the whole unit, the stop would be overdue for ever.
check "a tenant is removed whose master will not end" tenantctl remove tenant alpha --with-sites --purge
is "nothing of it is left" \
    "$(pgrep -f /usr/local/bin/captured; getent passwd alpha; ls -A /srv/tenants)" ""
rm -r $drop_in
no_unit_failed "no unit has failed"

done_testing
