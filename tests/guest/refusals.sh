# Arguments that tenantctl refuses: the exit status, a message that names thing, cause and remedy, and
# a box that is as it was.
# shellcheck shell=bash source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/refuses.bash"

# --- limits ---

refuses "a size without a unit" 78 'MemoryMax: "512" has no unit; write 512M or 512G' \
    add tenant new --memory-max 512
refuses "a size that is none" 78 'MemoryHigh: "much" is not a size; write it as 512M' \
    add tenant new --memory-high much
refuses "memory below the floor" 78 'Tenant new: MemoryHigh 16M is below the floor of 32M: PHP' \
    add tenant new --memory-high 16M
refuses "MemoryHigh above MemoryMax" 78 'MemoryHigh 512M is above MemoryMax 256M.*raise --memory-max' \
    add site new.example --memory-high 512M --memory-max 256M
refuses "no end of memory" 78 'MemoryMax: a tenant needs a finite limit' \
    add tenant new --memory-max infinity
refuses "MemoryLow above MemoryHigh" 78 'MemoryLow 1G is above MemoryHigh 448M' add tenant new --memory-low 1G
refuses "too few tasks" 78 'TasksMax: "7" is not a whole number from 8' add tenant new --tasks-max 7
refuses "a quota without a percent sign" 78 'CPUQuota: "150" is not a percentage; write 150%' \
    add tenant new --cpu-quota 150
refuses "a quota of nothing" 78 'CPUQuota: "0" is not a whole number from 1' add tenant new --cpu-quota 0%
refuses "a weight out of range" 78 'CPUWeight: "10001" is not a whole number from 1 to 10000' \
    add tenant new --cpu-weight 10001
refuses "an IO weight that nothing enforces" 1 'IOWeight would not be enforced.*bfq.*leave --io-weight out' \
    add tenant new --io-weight 200
refuses "a plan that is not there" 78 'There is no plan "gold" for tenant new; plans are files in /etc/tenantctl/plans' \
    add tenant new --plan gold
refuses "limits for a tenant that has its own" 2 'Tenant beta exists and keeps its own MemoryMax' \
    add site new.example --tenant beta --memory-max 1G

# --- names ---

for name in a-b .. $'a\nb'; do
    refuses "the tenant name ${name@Q}" 78 'is not a tenant.s name: ' add tenant "$name"
done
refuses "a name that looks like an option" 78 '"-rf" is not a tenant.s name' add tenant -- -rf
refuses "a reserved name" 78 '"www" is reserved.*take another' add tenant www
# shellcheck disable=SC2016 # it must not expand
for domain in example '*.example' 'a.example;' $'a.example\nx' '${HOME}.example' 'a].example'; do
    refuses "the domain ${domain@Q}" 78 'is not a domain' add site "$domain"
done
refuses "a domain too long for a socket's path" 78 'is too long: 8[0-9] bytes, at most [0-9]+ fit into the path' \
    add site "$(printf 'a%.0s' {1..40}).$(printf 'a%.0s' {1..40}).com"
refuses "a domain that is taken" 78 'shop.example is taken already, as a site or an alias of tenant beta' \
    add site SHOP.example --tenant new
refuses "a domain that is an alias" 78 'www.shop.example is taken already' add site www.shop.example --tenant new
refuses "an alias that is taken" 78 'shop.example is already a site of tenant beta' \
    add site new.example --alias shop.example
refuses "an alias that is the site itself" 78 'new.example is already taken within tenant' \
    add site new.example --alias new.example
refuses "a tenant that is there" 78 'Tenant beta exists already.*tenantctl apply beta' add tenant beta
for root in ../../../beta /srv/tenants/beta/sites/shop.example/public; do
    refuses "the document root $root" 78 'Document root .*(is outside|"\.\." component)' \
        add site new.example --tenant new --root "$root"
done
refuses "a PHP that is not there" 78 'PHP 5.6 is not installed \(found: [0-9.]+\); apt-get install php5.6-fpm' \
    add site new.example --php 5.6
refuses "a PHP version that is none" 78 '"8" is not a PHP version; write it as 8.2' add site new.example --php 8

# --- the command line ---

refuses "an unknown verb" 2 'Unknown verb "lsit", did you mean "list"' lsit
refuses "an unknown thing to add" 2 'Unknown verb "sit", did you mean "site"' add sit new.example
refuses "an unknown option" 2 'Unknown option "--memory-hihg", did you mean "--memory-high"' \
    add tenant new --memory-hihg 1G
refuses "an unknown JSON mode" 2 'pretty.*short.*off' list --json=xml
refuses "no verb" 2 'see tenantctl --help'
refuses "an unknown property" 2 'There is no property Nope' show beta -p Nope
refuses "status of nobody" 4 'There is no tenant or site betta; did you mean beta' status betta
refuses "show of nobody" 4 'There is no tenant or site nobody_here' show nobody_here
refuses "removing no site" 4 'There is no site new.example' remove site new.example
refuses "removing a site by an alias" 4 'There is no site www.shop.example' remove site www.shop.example
refuses "removing no tenant" 4 'There is no tenant new' remove tenant beta new --with-sites
refuses "applying no tenant" 4 'There is no tenant new' apply new

same_as_remembered "none of these refusals changed anything"

done_testing
