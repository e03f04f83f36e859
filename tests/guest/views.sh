# What list, status and show print: tables for people, JSON for programs.
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2317
. "$(dirname "$0")/lib.sh"

check "a tenant with limits and a site with an alias" tenantctl add site blog.example --tenant alpha \
    --alias www.blog.example --memory-high 200M --memory-max 256M --tasks-max 50 --cpu-quota 150%
check "an IDN" tenantctl add site bücher.example --tenant alpha
is "(a site without a page is forbidden, and awake)" \
    "$(fetch blog.example / -o /dev/null -w '%{http_code}'; systemctl start php-fpm@blog.example.service)" 403

list=$(tenantctl list)
like "list has a heading, a line for each site and a total" "$list" \
    'TENANT +SITE.*alpha +blog.example +8\.[0-9] +running.*alpha +xn--bcher-kva.example +8\.[0-9] +sleeping.*1 tenant, 2 sites listed'
is "list --no-legend has only the sites" "$(tenantctl list --no-legend | wc -l)" 2
is "list takes patterns" "$(tenantctl list --no-legend 'blog.*' | awk '{print $2}')" blog.example
is "list --json=short is one line of JSON with numbers" \
    "$(tenantctl list --json=short | jq -s -c '.[0][0] | [.site, .state, .memory_max, (.tasks > 0)]')" \
    "[\"blog.example\",\"running\",$((256 << 20)),true]"
is "JSON that is short has no line breaks, pretty has" \
    "$(tenantctl list --json=short | wc -l) $(($(tenantctl list --json=pretty | wc -l) > 10))" "1 1"
like "status shows limits, use and sites" "$(tenantctl status alpha)" \
    'high: 200M, max: 256M.*limit: 50.*CPUQuota=150%.*blog.example \(running, PID [0-9]+.*Aliases: www.blog.example'
is "status of a site shows that site alone" \
    "$(tenantctl status blog.example | grep -c 'PHP 8')" 1
is "status --json has the kernel's own values" \
    "$(tenantctl status alpha --json=pretty | jq -r '.[0].kernel_limits["memory.max"]')" $((256 << 20))
is "show prints properties by name" \
    "$(tenantctl show alpha -p MemoryHigh,KernelMemoryHigh)" \
    "MemoryHigh=$((200 << 20))"$'\n'"KernelMemoryHigh=$((200 << 20))"
is "show --json is JSON" \
    "$(tenantctl show blog.example --json=short | jq -r '.[0].Aliases')" www.blog.example

all_views() {
    tenantctl list
    tenantctl status alpha
    tenantctl show alpha blog.example
}
on_terminal() { script -qec "stty cols 80; $1" /dev/null </dev/null; }
is "without a terminal there is no escape sequence" "$(all_views | grep -c $'\e')" 0
like "on a terminal a running site is green" "$(on_terminal 'tenantctl status alpha')" $'\e\\[32m'
is "NO_COLOR takes the colours away" "$(on_terminal 'NO_COLOR=1 tenantctl status alpha' | grep -c $'\e')" 0
long=$(printf 'a%.0s' {1..60}).example
printf 'name = "long"\n[[site]]\ndomain = "%s"\nphp = "%s"\n' "$long" "$(php_version)" >/etc/tenantctl/tenants/long.toml
is "on a terminal of 80 columns no line of list is longer" \
    "$(on_terminal 'tenantctl list' | tr -d '\r' | awk 'length > 80' | wc -l)" 0
like "elsewhere nothing is cut" "$(tenantctl list)" "$long"
rm /etc/tenantctl/tenants/long.toml

done_testing
