# What a removed tenant leaves behind (a home, a uid) stays its own, and nothing else of it does.
# shellcheck shell=bash source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

uid_of() { id -u "$1" 2>&1; }
# What the kernel enforces on the tenant, asked for from inside its slice.
in_slice() { systemd-run --quiet --pipe --wait --collect --slice=tenant-alpha.slice cat "/sys/fs/cgroup/tenant.slice/tenant-alpha.slice/$1"; }
forget_ledger() { rm -r /var/lib/tenantctl/uids; }

tenantctl add tenant alpha --memory-max 512M 2>/dev/null
uid=$(uid_of alpha)
mkdir -p /srv/tenants/alpha/sites/old.example
install -o alpha -g alpha -m 600 /dev/null /srv/tenants/alpha/sites/old.example/secret

# --- limits ---

systemctl set-property tenant-alpha.slice MemoryMax=96M MemoryHigh=80M
is "(limits that were set for good count)" "$(in_slice memory.max)" $((96 << 20))
check "(they are kept outside the slice's own file)" test -d /etc/systemd/system.control/tenant-alpha.slice.d
check "remove tenant" tenantctl remove tenant alpha
check "limits set for good go with the tenant" test ! -e /etc/systemd/system.control/tenant-alpha.slice.d
is "its files stay when its user goes" \
    "$(stat -c %u:%g /srv/tenants/alpha/sites/old.example/secret) $(uid_of alpha)" \
    "$uid:$uid id: ‘alpha’: no such user"

# --- uids ---

check "add another tenant" tenantctl add tenant gamma
is "it does not get the uid of one whose files stay" "$(uid_of gamma)" $((uid + 1))
check "a tenant is added again under its name" tenantctl add tenant alpha --memory-max 256M
is "it gets its own uid back, and its files with it" \
    "$(uid_of alpha) $(stat -c %U:%G /srv/tenants/alpha/sites/old.example/secret)" "$uid alpha:alpha"
is "it has the new limits and not the old ones" \
    "$(in_slice memory.max) $(in_slice memory.high)" "$((256 << 20)) $((224 << 20))"

tenantctl remove tenant alpha gamma 2>/dev/null
forget_ledger
check "add a tenant when the ledger is lost" tenantctl add tenant delta
is "the uid of a home that stayed is still not given away" \
    "$(stat -c %g /srv/tenants/alpha) $(uid_of delta)" "$uid $((uid + 1))"
tenantctl add tenant alpha 2>/dev/null
is "and its tenant still gets it back" "$(uid_of alpha)" "$uid"
tenantctl remove tenant alpha delta --purge 2>/dev/null
check "add a tenant when all earlier homes are gone" tenantctl add tenant epsilon
is "even then a uid is never given twice" "$(uid_of epsilon)" $((uid + 2))

# --- users that are nobody's tenants ---

useradd --no-create-home --uid 1234 byhand
check_fails "a user that was made by hand does not become a tenant" 1 \
    'User byhand \(uid [0-9]+\) exists already.*another tenant name' tenantctl add tenant byhand
useradd --no-create-home --uid "$uid" squatter
check_fails "a tenant whose uid another user has taken is not added" 1 \
    "uid $uid is recorded as alpha's, but squatter has it" tenantctl add tenant alpha
userdel squatter
groupadd --gid $((uid + 3)) squatters
check "a uid whose number is a group's is passed over" tenantctl add tenant zeta
is "and the next one given" "$(uid_of zeta)" $((uid + 4))

printf 'uid_first = %d\nuid_last = %d\n' "$uid" $((uid + 4)) >/etc/tenantctl/tenantctl.toml
check_fails "a range that is used up is said to be" 1 \
    "All uids from $uid to $((uid + 4)) were given out; widen uid_first and uid_last in /etc/tenantctl/tenantctl.toml" \
    tenantctl add tenant eta
check "a tenant that was removed still fits into it" tenantctl add tenant alpha

done_testing
