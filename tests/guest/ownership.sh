# What is not a tenant's is never taken for it: users, groups and units of others who have its name.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/keep.bash"

spec() { # NAME [DOMAIN] - as somebody types it who did not read the manual
    printf 'name = "%s"\n' "$1"
    [[ $# -eq 1 ]] || printf '\n[[site]]\ndomain = "%s"\nphp = "%s"\n' "$2" "$(php_version)"
}
specs=/etc/tenantctl/tenants

groupadd sftponly
useradd --create-home --home-dir /srv/bob bob
useradd --create-home --home-dir /srv/deploy deploy
cat >/etc/systemd/system/tenant-deploy.slice <<'EOF'
[Unit]
Description=Somebody's own
[Slice]
MemoryMax=64M
EOF
systemctl daemon-reload
systemd-run --quiet --unit=deployment --slice=tenant-deploy.slice sleep infinity
remember

check_fails "a tenant cannot have the name of a group" 1 'Group sftponly \(gid [0-9]+\) exists already' \
    tenantctl add tenant sftponly
same_as_remembered "and the group is there as it was"
check_fails "nor of a user" 1 'User bob \(uid [0-9]+\) exists already' tenantctl add tenant bob
same_as_remembered "and the user is there as it was"
userdel deploy
check_fails "nor one whose slice is somebody's" 1 'tenant-deploy.slice was not written by tenantctl' \
    tenantctl add tenant deploy
useradd --no-create-home --home-dir /srv/deploy --uid "$(stat -c %u /srv/deploy)" deploy

check "apply with others' users and slices beside ours" tenantctl apply
check "the foreign slice is there" test -e /etc/systemd/system/tenant-deploy.slice
check "what runs in it still does" systemctl is-active --quiet deployment.service
check "and its user too" id deploy

spec bob >$specs/bob.toml
check_fails "a spec alone does not make a user the tenant's to remove" 1 \
    'User bob .* was never given a uid: nothing is removed.*delete /etc/tenantctl/tenants/bob.toml' \
    tenantctl remove tenant bob --purge
check "the user is there" id bob
check "and so are its files" test -d /srv/bob
check_fails "apply says whose user it is" 1 'Tenant bob: User bob .* exists already' tenantctl apply
check "and leaves it" id bob
rm $specs/bob.toml
check "apply after the spec is gone" tenantctl apply
check "leaves the user as well" id bob

spec carl keep.example >$specs/carl.toml
check_fails "a spec alone does not make a site the tenant's to remove" 1 \
    'Site keep.example on this box was made for tenant keep, not carl' \
    tenantctl remove tenant carl --with-sites --purge
check "the site is served" answers keep.example 200
rm $specs/carl.toml

uid=$(stat -c %g /srv/tenants/keep)
systemctl stop php-fpm@keep.example.service 2>/dev/null
usermod --login keep_of_old keep
check_fails "a tenant whose user was renamed is not made again over its uid" 1 "uid $uid is recorded as keep's" \
    tenantctl apply keep
usermod --login keep keep_of_old
check "back under its name it is the tenant's" tenantctl apply keep
systemctl stop deployment.service

done_testing
