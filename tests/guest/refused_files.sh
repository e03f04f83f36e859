# Files that somebody wrote by hand, and what tenantctl refuses about them before it does anything.
# shellcheck shell=bash source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/refuses.bash"

tenants=/etc/tenantctl/tenants
config=/etc/tenantctl/tenantctl.toml

# refuses_file WHAT FILE CONTENT REGEX - on apply, to the tenant alone if the file is one's.
refuses_file() {
    mkdir -p "$(dirname "$2")"
    printf '%s\n' "$3" >"$2"
    if [[ $2 == "$tenants"/* ]]; then
        refuses "$1" 78 "$4" apply evil
    else
        refuses "$1" 78 "$4" apply
    fi
    rm "$2"
}
site() { printf 'name = "evil"\n[[site]]\n%s\n' "$1"; } # LINES
good="domain = \"e.example\"
php = \"$(php_version)\""
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
same_as_remembered "none of these files changed anything"

done_testing
