#!/bin/bash
# Asks the real programs what they make of the files that are rendered for the example tenant:
# php-fpm -tt, nginx -t, systemd-analyze. A program that is not there is a failure.
#
# usage: TENANTCTL_SOURCE_DIR=DIR native_syntax_test.sh RENDER_EXAMPLE
set -uo pipefail

export PATH="$PATH:/usr/sbin:/sbin" LC_ALL=C
render=$1
source_dir=${TENANTCTL_SOURCE_DIR:?}
domain=my-blog.example
site=/srv/tenants/alpha/sites/$domain
count=0
failed=0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# ok NAME COMMAND...: one line of TAP; what a failing command said goes below it.
ok() {
    local name=$1 said
    shift
    count=$((count + 1))
    if said=$("$@" 2>&1 </dev/null); then
        echo "ok $count - $name"
    else
        failed=$((failed + 1))
        echo "not ok $count - $name"
        printf '# %s\n' "${said//$'\n'/$'\n'# }"
    fi
}

# The pool is the tenant's to read and to run: root is refused by FPM, as it should be.
as_tenant() {
    if [[ $EUID -eq 0 ]]; then
        setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}

# Binding port 80 is part of nginx's test; a network of its own keeps it away from the machine's.
with_ports() {
    if [[ $EUID -eq 0 ]]; then
        unshare --net "$@"
    else
        unshare --map-root-user --net "$@"
    fi
}

newest_fpm() {
    find /usr/sbin -name 'php-fpm[0-9]*' | sort -V | tail -n 1
}

check_pool() {
    as_tenant "$(newest_fpm)" -tt --fpm-config "$work/out/pool.conf"
}

check_pool_as_root() {
    # Root, but as seen from inside only: the file is readable, nothing else of root's is at stake.
    local said
    said=$(unshare --map-root-user "$(newest_fpm)" -t --fpm-config "$work/out/pool.conf" 2>&1)
    [[ $? -eq 78 && $said == *"user has not been defined"* ]] || { echo "$said"; return 1; }
}

# effective SETTING: that is what FPM understood.
effective() {
    check_pool 2>&1 | sed -E 's/^.*NOTICE[]:]+[[:space:]]*//' | grep -xF -- "$1"
}

prepare_nginx() {
    mkdir -p "$work/nginx/sites" "$work/nginx/log/$domain"
    local moved="s|/etc/nginx/tenantctl|$work/nginx/sites|; s|/var/log/tenantctl|$work/nginx/log|"
    sed "$moved" "$source_dir/templates/nginx/tenantctl.conf" >"$work/nginx/tenantctl.conf"
    # Its user and its directories are not the machine's: in a user name space only root is mapped.
    cat >"$work/nginx/nginx.conf" <<CONF
user root root;
pid $work/nginx/pid;
error_log stderr warn;
events {}
http {
    client_body_temp_path $work/nginx/tmp 1;
    proxy_temp_path $work/nginx/tmp 1;
    fastcgi_temp_path $work/nginx/tmp 1;
    uwsgi_temp_path $work/nginx/tmp 1;
    scgi_temp_path $work/nginx/tmp 1;
    include /etc/nginx/mime.types;
    access_log off;
    include $work/nginx/tenantctl.conf;
}
CONF
}

# Warnings count: a conflicting server name is no more than that to nginx.
check_nginx() {
    local said status
    said=$(with_ports nginx -t -p "$work/nginx" -c "$work/nginx/nginx.conf" 2>&1)
    status=$?
    echo "$said"
    [[ $status -eq 0 && $said != *"[warn]"* ]]
}

# A root of its own, with systemd's units and ours and with what they run.
prepare_units() {
    local root=$work/root program
    local drop_in="$root/etc/systemd/system/php-fpm@$domain.service.d"
    mkdir -p "$root/usr/lib/systemd/system" "$drop_in"
    cp -a /usr/lib/systemd/system/. "$root/usr/lib/systemd/system/"
    cp -a "$source_dir"/units/*.service "$source_dir"/units/*.socket "$source_dir"/units/*.slice \
        "$source_dir"/units/*.d "$root/usr/lib/systemd/system/"
    cp "$work/out/tenant-alpha.slice" "$root/etc/systemd/system/"
    cp "$work/out/tenant.conf" "$drop_in/"
    for program in usr/lib/tenantctl/check-slice usr/sbin/php-fpm8.2 bin/{sh,sleep,kill,false}; do
        install -D -m 755 /dev/null "$root/$program"
    done
}

# What it says counts as well as its status: an unknown directive is only a warning to it.
check_units() {
    local said status
    said=$(systemd-analyze verify --root="$work/root" --man=no "$@" 2>&1)
    status=$?
    echo "$said"
    [[ $status -eq 0 && -z $said ]]
}

check_exposure() {
    systemd-analyze security --offline=true --root="$work/root" --threshold=13 --no-pager \
        "php-fpm@$domain.service"
}

mkdir "$work/out"
ok "the example is rendered" "$render" "$work/out"
chmod -R a+rX "$work/out"

ok "php-fpm accepts the pool" check_pool
ok "php-fpm refuses to run the pool as root" check_pool_as_root
while IFS= read -r line; do
    ok "php-fpm understood: $line" effective "$line"
done <<LINES
listen = /run/tenantctl/fpm/$domain.sock
pm = dynamic
pm.max_children = 8
pm.start_servers = 3
pm.min_spare_servers = 2
pm.max_spare_servers = 3
process_control_timeout = 10s
error_log = syslog
syslog.ident = php-fpm@$domain
request_terminate_timeout = 120s
request_slowlog_timeout = 0s
catch_workers_output = yes
decorate_workers_output = yes
clear_env = yes
security.limit_extensions = .php
env[TMPDIR] = $site/tmp
php_admin_value[open_basedir] = $site/:/usr/share/php/
php_admin_value[session.save_path] = $site/sessions
php_admin_value[upload_tmp_dir] = $site/tmp
php_admin_value[sys_temp_dir] = $site/tmp
php_admin_value[disable_functions] = exec,passthru,shell_exec
php_admin_value[memory_limit] = 192M
php_admin_value[error_log] = syslog
LINES

prepare_nginx
ok "nginx accepts a box without sites" check_nginx
sed "s|/var/log/tenantctl|$work/nginx/log|" "$work/out/site.conf" >"$work/nginx/sites/$domain.conf"
ok "nginx accepts the virtual host" check_nginx

prepare_units
ok "systemd accepts the site's units" \
    check_units "php-fpm@$domain.service" "php-fpm@$domain.socket"
ok "systemd accepts the slices" check_units tenant-alpha.slice tenant.slice
ok "systemd accepts the bare template" check_units php-fpm@other.example.service
ok "the site's service is exposed by 1.3 or less" check_exposure

echo "1..$count"
[[ $failed -eq 0 ]]
