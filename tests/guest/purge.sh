# remove --purge: data goes last and for good, after all that can fail; what fails before loses
# nothing, with sites that write all the time.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/keep.bash"

home=/srv/tenants/keep
cat >$public/write.php <<'EOF'
<?php
ignore_user_abort(true);
for ($i = 0; $i < 1e6; $i++) {
    @mkdir("d$i");
    file_put_contents("d$i/file", str_repeat("x", 1000));
}
EOF
chown keep:keep $public/write.php
write_all_the_time() {
    for _ in 1 2 3; do fetch keep.example /write.php >/dev/null 2>&1 & done
    wait_for 20 test -e $public/d9/file
}
data() { (cd $home && find . -path '*/d[0-9]*' -prune -o -path '*/tmp/*' -o -print | sort); }
all_data=$(data)
nothing_is_lost() { # WHEN
    is "no file is lost when $1" "$(data)" "$all_data"
    check "and the site is served" wait_for 30 answers keep.example 200
}

# --- what is refused before the first step ---

runuser -u keep -- sleep 600 &
wait_for 10 pgrep -u keep -x sleep
check_fails "a purge is refused while a process of the tenant runs elsewhere, and says which" 1 \
    'Processes of user keep run outside of the tenant.s slice \(1\): PID [0-9]+ \(sleep\).*Nothing was changed' \
    tenantctl remove tenant keep --with-sites --purge
pkill -u keep -x sleep
nothing_is_lost "it was refused"
check "(a service of the administrator's runs as the tenant)" \
    systemd-run --quiet --unit=elsewhere --uid=keep sleep infinity
check_fails "likewise with a service that runs as the tenant, with the remedy" 1 \
    'elsewhere.service.*systemctl stop UNIT.*loginctl terminate-user keep' tenantctl remove tenant keep --with-sites
systemctl stop elsewhere.service
nothing_is_lost "it was refused again"

# --- what fails on the way ---

write_all_the_time
echo 1 >/etc/passwd.lock
check_fails "a purge that fails at the user is undone" 1 \
    'Failed to remove user keep: .*cannot lock /etc/passwd.*Undone: write /etc/tenantctl/tenants/keep.toml' \
    tenantctl remove tenant keep --with-sites --purge
rm /etc/passwd.lock
nothing_is_lost "the user could not be removed"
stop_writing() { systemctl stop php-fpm@keep.example.service 2>/dev/null; }
stop_writing

mkdir $home/sites/keep.example/public/mounted
mount -t tmpfs tmpfs $home/sites/keep.example/public/mounted
touch $home/sites/keep.example/public/mounted/others
write_all_the_time
check_fails "what cannot be deleted at the end is said, and by what it will be" 1 \
    'All is done but what follows, which "tenantctl apply" tries again.*Not done: remove directory /srv/tenants/.removed.keep .*mount point' \
    tenantctl remove tenant keep --with-sites --purge
check_fails "the tenant is gone all the same" 4 'no tenant' tenantctl status keep
check "what is mounted there was not entered" test -e /srv/tenants/.removed.keep/sites/keep.example/public/mounted/others
check_fails "apply says that it is still there" 1 'mount point' tenantctl apply
umount /srv/tenants/.removed.keep/sites/keep.example/public/mounted
check "apply deletes it when it can" tenantctl apply
check "and it is gone" test ! -e /srv/tenants/.removed.keep -a ! -e $home

# --- what works ---

mkdir -p /srv/tenants/.removed.first
mount -t tmpfs tmpfs /srv/tenants/.removed.first
mkdir -p /srv/tenants/.removed.second/file
check_fails "what cannot be deleted" 1 'removed.first.*' tenantctl apply
check "keeps nothing else from being deleted" test ! -e /srv/tenants/.removed.second
check "a site whose pages write all the time" tenantctl add site keep.example --tenant keep
cat >$public/write.php <<'EOF'
<?php for ($i = 0; $i < 1e6; $i++) { @mkdir("d$i"); file_put_contents("d$i/file", "x"); }
EOF
chown keep:keep $public/write.php
write_all_the_time
check_fails "a purge says before that it is for good" 0 'Deleting /srv/tenants/keep/sites/keep.example, /var/log/tenantctl/keep.example for good' \
    tenantctl remove site keep.example --purge
check "nothing is left of the site's data" test ! -e $home/sites/keep.example -a ! -e $home/sites/.removed.keep.example \
    -a ! -e /var/log/tenantctl/keep.example -a ! -e /var/log/tenantctl/.removed.keep.example
check "the site comes back" tenantctl add site keep.example --tenant keep
check "and so does the tenant after its own purge" tenantctl remove tenant keep --with-sites --purge
check "nothing of it is left" test ! -e $home -a ! -e /srv/tenants/.removed.keep -a ! -e /var/log/tenantctl/keep.example
umount /srv/tenants/.removed.first
check "(a directory of somebody's where a home would be)" mkdir /srv/tenants/other
touch /srv/tenants/other/theirs
echo 'name = "other"' >/etc/tenantctl/tenants/other.toml
check_fails "a home is deleted only when it is the tenant's" 1 \
    '/srv/tenants/other belongs to group 0, which is not the tenant.s.*nothing is removed' \
    tenantctl remove tenant other --purge
check "the files are there" test -e /srv/tenants/other/theirs
check "without --purge the spec goes" tenantctl remove tenant other
check "and the files are still there" test -e /srv/tenants/other/theirs
no_unit_failed "no unit has failed"

done_testing
