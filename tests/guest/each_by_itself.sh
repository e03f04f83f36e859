# One tenant that is not as it should be keeps no other from being mended, and nothing is removed
# while it is not known what is wanted.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/keep.bash"

specs=/etc/tenantctl/tenants
check "(a second tenant)" tenantctl add site shop.example --tenant beta
remember
all_as_before() { # NAME - sites that were visited are put to sleep again
    systemctl stop php-fpm@{keep,shop}.example.service 2>/dev/null
    same_as_remembered "$1"
}
damage() { rm -f /etc/systemd/system/tenant-keep.slice /etc/tenantctl/php-fpm/keep.example.conf; }

cp $specs/beta.toml /root/beta.toml
echo 'memory_maximum = 1' >>$specs/beta.toml
damage
check_fails "apply says which spec is malformed, and ends with the status of that" 78 \
    'Tenant beta is left as it is: .*beta.toml.*memory_maximum' tenantctl apply
check "the other tenant is mended" test -e /etc/systemd/system/tenant-keep.slice -a -e /etc/tenantctl/php-fpm/keep.example.conf
check "it is served" wait_for 20 answers keep.example 200
check "the tenant of the malformed spec as well" wait_for 20 answers shop.example 403
check_fails "list shows the others, and says which it cannot" 78 'Tenant beta is not listed: .*beta.toml' tenantctl list
like "the others are listed" "$(tenantctl list 2>/dev/null)" 'keep.example'
check_output "status shows another" 'keep' tenantctl status keep
check_fails "status of it says why not" 78 'beta.toml.*memory_maximum' tenantctl status beta
check_fails "nothing is added while not all names are known" 78 'beta.toml' tenantctl add site other.example
check_fails "it cannot be removed either" 78 'beta.toml' tenantctl remove tenant beta --with-sites
cp /root/beta.toml $specs/beta.toml
all_as_before "with the spec mended all is as it was"

echo 'plan = "gold"' >$specs/beta.toml
sed -n '/name/p;/^\[\[site/,$p' /root/beta.toml >>$specs/beta.toml
mkdir -p /etc/tenantctl/plans
echo 'memory_max = "' >/etc/tenantctl/plans/gold.toml
damage
check_fails "a malformed plan concerns its tenants only" 1 'Tenant beta: Tenant beta has plan gold: .*gold.toml' tenantctl apply
check "the other tenant is mended" test -e /etc/systemd/system/tenant-keep.slice
rm -r /etc/tenantctl/plans
cp /root/beta.toml $specs/beta.toml
all_as_before "with the plan gone all is as it was"

mv $specs /root/specs
check_fails "apply removes nothing when the directory of the specs is missing" 1 \
    'Tenant beta: it is in no spec, but /etc/tenantctl/tenants is missing.*Not as specified: .*Tenant keep' tenantctl apply
check "the users are there" id beta keep
check "the sites are served" answers keep.example 200
mv /root/specs $specs
all_as_before "and all is as it was"

mkdir /root/away
mv $specs/keep.toml /root/away
ln -s /nowhere $specs/keep.toml
check_fails "nor when a spec cannot be read" 1 'Tenant keep is left as it is: .*keep.toml' tenantctl apply
check "its user is there" id keep
rm $specs/keep.toml
mv /root/away/keep.toml $specs

mv $specs/beta.toml /root
check_output "a spec that is deleted by hand takes its tenant with it" '' tenantctl apply
check_fails "user included" 1 'no such user' id beta
check "but not its files" test -d /srv/tenants/beta/sites/shop.example/public
check "the other is served" answers keep.example 200
no_unit_failed "no unit has failed"

done_testing
