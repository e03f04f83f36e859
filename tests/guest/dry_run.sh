# What only looks: --dry-run; what works on a box that does not run: --root=.
# shellcheck shell=bash source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/fingerprint.bash"
. "$(dirname "$0")/refuses.bash"

# --- dry run, and a box that does not run ---

plan=$(tenantctl add site new.example --tenant new --dry-run)
like "a dry run prints steps, diffs and D-Bus calls" "$plan" \
    ' 1\. write /etc/tenantctl/tenants/new.toml.*\+name = .new.*create user new.*\+MemoryMax=512M.*StartUnit\(php-fpm@new.example.socket\).*ReloadUnit\(nginx.service\)'
check_output "a dry run of a removal shows what goes" \
    '-server \{.*StopUnit\(php-fpm@shop.example.socket\)' tenantctl remove site shop.example --dry-run
check_output "a dry run may be JSON" '^"remove user beta .uid [0-9]+."$' \
    bash -c 'tenantctl -n --json=short remove tenant beta --with-sites | jq ".[].step" | grep user'
check "(a second tenant)" tenantctl add tenant gamma
remember
is "it is one document, also for several tenants" \
    "$(tenantctl --dry-run --json=short apply | jq -s -c '[length, (.[0] | map(.step) | map(select(startswith("verify the limits"))) | length)]')" \
    '[1,2]'
same_as_remembered "a dry run changes nothing"

image=/root/image
for file in passwd group shadow gshadow login.defs; do install -D "/etc/$file" "$image/etc/$file"; done
sed -i /^beta:/d $image/etc/{passwd,group,shadow,gshadow}
install -D /dev/null "$image/usr/sbin/php-fpm$(php_version)"
check "with --root a site is added to an image" tenantctl --root=$image add site new.example --tenant new
check_output "its files are all in there" '^new /srv/tenants/new.php-fpm@new.example.socket 750.etc/nginx/' bash -c \
    "cd $image && awk -F: '/^new:/{print \$1,\$6}' etc/passwd && basename -s .socket etc/systemd/system/*/php-fpm@new.example.socket &&
     stat -c 'socket %a' srv/tenants/new; ls etc/tenantctl/php-fpm/new.example.conf etc/nginx/tenantctl/new.example.conf" 
check_output "list reads the image" "^new +new.example +$(php_version) +unknown" tenantctl --root=$image list --no-legend
check "and removed" tenantctl --root=$image remove tenant new --with-sites --purge
is "without a trace" "$(grep -c ^new: $image/etc/passwd; find $image -name '*new*' -o -name '*.sock')" 0
same_as_remembered "what is done to an image changes nothing on the box"

done_testing
