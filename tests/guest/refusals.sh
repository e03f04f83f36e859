# What tenantctl refuses: the exit status, a message that names thing, cause and remedy, and a box
# that is as it was.
# timeout: 600
# shellcheck shell=bash source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"

tenants=/etc/tenantctl/tenants
config=/etc/tenantctl/tenantctl.toml

# refuses WHAT STATUS REGEX ARGUMENT... - of tenantctl.
refuses() {
    local what=$1
    shift
    check_fails "refused: $what" "$1" "$2" tenantctl "${@:3}"
}
# The same where a part of the system is covered: PREPARATION runs in a mount namespace of its own.
refuses_where() { # PREPARATION STATUS REGEX
    check_fails "refused: $1" "$2" "$3" unshare --mount bash -c "$1 && exec tenantctl add tenant new"
}

check "(a tenant that has a site with an alias)" \
    tenantctl add site shop.example --tenant beta --alias www.shop.example
remember

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

# --- the box ---

check_fails "refused: not root" 1 'run it as root \(sudo\)' \
    setpriv --reuid=65534 --regid=65534 --clear-groups tenantctl add tenant new
refuses_where "mount -t tmpfs none /run/systemd" 1 'systemd is not running.*as PID 1'
refuses_where "mount -t tmpfs none /sys/fs/cgroup" 1 'not the unified cgroup v2 hierarchy.*boot with systemd.unified'
refuses_where "mount -t tmpfs none /proc/pressure" 1 'no pressure stall information.*boot with psi=1'
exec 9>>/run/tenantctl/lock
flock 9
refuses "a second tenantctl at work" 1 'Another tenantctl is at work \(.*\); try again' add tenant new
exec 9>&-
same_as_remembered "none of these refusals changed anything"

# --- files that somebody wrote ---

# refuses_file WHAT FILE CONTENT REGEX - on apply, which would act on all of them.
refuses_file() {
    mkdir -p "$(dirname "$2")"
    printf '%s\n' "$3" >"$2"
    refuses "$1" 78 "$4" apply
    rm "$2"
}
site() { printf 'name = "evil"\n[[site]]\n%s\n' "$1"; } # LINES
good='domain = "e.example"
php = "8.2"'
refuses_file "a tenant file that is no TOML" $tenants/evil.toml $'name = "evil"\nplan = ' "$tenants/evil.toml:[23]: "
refuses_file "a tenant file with an unknown key" $tenants/evil.toml $'name = "evil"\nplna = "x"' \
    "$tenants/evil.toml:2: plna: unknown key; did you mean plan"
refuses_file "a tenant file of another name" $tenants/evil.toml 'name = "good"' "$tenants/evil.toml: name is \"good\""
refuses_file "a plan that is no TOML" /etc/tenantctl/plans/gold.toml $'name = "gold"\n\n[limits' \
    "/etc/tenantctl/plans/gold.toml:3: "
refuses_file "a plan with a limit that is none" /etc/tenantctl/plans/gold.toml \
    $'name = "gold"\n[limits]\nmemory_max = 512' '/plans/gold.toml:3: limits.memory_max: .*has no unit'
rmdir /etc/tenantctl/plans
refuses_file "a configuration with a wrong value" $config $'\nuid_first = "x"' "$config:2: uid_first: not a whole number"
refuses_file "a line break in a domain" $tenants/evil.toml "$(site 'domain = "a.example\nuser = root"')" \
    "$tenants/evil.toml:3: site.domain: "
refuses_file "an expansion in an alias" $tenants/evil.toml "$(site "$good"$'\naliases = ["${x}.example"]')" 'is not a domain'
refuses_file "a section in an alias" $tenants/evil.toml "$(site "$good"$'\naliases = ["x]\\n[global.example"]')" 'is not a domain'
refuses_file "a directive in a root" $tenants/evil.toml \
    "$(site "$good"$'\nroot = "/srv/tenants/evil/sites/e.example/public\\"; autoindex on; #"')" 'may have only letters'
refuses_file "a PHP version with an argument" $tenants/evil.toml "$(site $'domain = "e.example"\nphp = "8.2 -R"')" \
    'is not a PHP version'
refuses_file "control characters in a plan's name" $tenants/evil.toml $'name = "evil"\nplan = "\\u001b[31m"' \
    'no plan "\\x1b\[31m"'
refuses_file "a quota with a line break" $tenants/evil.toml $'name = "evil"\n[limits]\ncpu_quota = "10%\\nMemoryMax=infinity"' \
    "$tenants/evil.toml:3: limits.cpu_quota"
refuses_file "a directive in body_max" $config 'body_max = "64m; autoindex on"' 'Body size .* is not a size'
printf 'name = "default"\ndisable_functions = ["exec\\"\\nuser = root"]\n[limits]\nmemory_max = "512M"' |
    install -D /dev/stdin /etc/tenantctl/plans/default.toml
refuses "a quote and a line break among disabled functions" 78 'PHP function .* is not an identifier' apply
rm -r /etc/tenantctl/plans
same_as_remembered "nor did any of these"

# --- what the other programs refuse ---

echo 'nonsense on;' >/etc/nginx/conf.d/foreign.conf
refuses "a site while nginx refuses somebody else's file" 78 \
    'nginx -t refuses.*nonsense.*/etc/nginx/conf.d/foreign.conf:1.*Undone: remove /etc/nginx/tenantctl/new.example.conf' \
    add site new.example --tenant new
rm /etc/nginx/conf.d/foreign.conf
same_as_remembered "and it was undone"
template=/etc/tenantctl/templates/php-fpm/pool.conf
install -D -m 644 /usr/share/tenantctl/templates/php-fpm/pool.conf $template
echo 'pm.nonsense = 1' >>$template
refuses "a pool that PHP-FPM refuses" 78 'php-fpm[0-9.]+ refuses /etc/tenantctl/php-fpm/new.example.conf:.*pm.nonsense' \
    add site new.example --tenant new
echo '@{domian}' >$template
refuses "a template with an unknown value" 78 'Template php-fpm/pool.conf: line 1: unknown value "domian"; did you mean "domain"' \
    add site new.example --tenant new
rm -r /etc/tenantctl/templates
same_as_remembered "and that was undone"

# --- dry run, and a box that does not run ---

plan=$(tenantctl add site new.example --tenant new --dry-run)
like "a dry run prints steps, diffs and D-Bus calls" "$plan" \
    ' 1\. write /etc/tenantctl/tenants/new.toml.*\+name = .new.*create user new.*\+MemoryMax=512M.*StartUnit\(php-fpm@new.example.socket\).*ReloadUnit\(nginx.service\)'
check_output "a dry run of a removal shows what goes" \
    '-server \{.*StopUnit\(php-fpm@shop.example.socket\)' tenantctl remove site shop.example --dry-run
check_output "a dry run may be JSON" '^"remove user beta"$' \
    bash -c 'tenantctl -n --json=short remove tenant beta --with-sites | jq ".[].step" | grep user'
same_as_remembered "a dry run changes nothing"

image=/root/image
for file in passwd group shadow gshadow login.defs; do install -D "/etc/$file" "$image/etc/$file"; done
sed -i /^beta:/d $image/etc/{passwd,group,shadow,gshadow}
install -D /dev/null $image/usr/sbin/php-fpm8.2
check "with --root a site is added to an image" tenantctl --root=$image add site new.example --tenant new
check_output "its files are all in there" '^new /srv/tenants/new.php-fpm@new.example.socket 750.etc/nginx/' bash -c \
    "cd $image && awk -F: '/^new:/{print \$1,\$6}' etc/passwd && basename -s .socket etc/systemd/system/*/php-fpm@new.example.socket &&
     stat -c 'socket %a' srv/tenants/new; ls etc/tenantctl/php-fpm/new.example.conf etc/nginx/tenantctl/new.example.conf" 
check_output "list reads the image" '^new +new.example +8.2 +unknown' tenantctl --root=$image list --no-legend
check "and removed" tenantctl --root=$image remove tenant new --with-sites --purge
is "without a trace" "$(grep -c ^new: $image/etc/passwd; find $image -name '*new*' -o -name '*.sock')" 0
same_as_remembered "what is done to an image changes nothing on the box"

done_testing
