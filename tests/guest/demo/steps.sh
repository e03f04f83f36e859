#!/bin/bash
# The steps of the demonstration, each by its name. They run as root where
# tenantctl is installed; a step prints what it did and fails if it was not so.
#
# usage: steps.sh STEP [ARGUMENT]...
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(dirname "$(readlink -f "$0")")
# What later steps need to know: a password, cookies, addresses.
state=${DEMO_STATE:-/run/tenantctl-demo}

blog=/srv/tenants/alpha/sites/blog.example/public
shop=/srv/tenants/beta/sites/shop.example/public
database=tenantctl_demo
database_socket=/run/mysqld/mysqld.sock
administrator=editor

alpha_limits=(--memory-high 384M --memory-max 448M --tasks-max 64)
beta_limits=(--memory-high 96M --memory-max 128M --tasks-max 32)

die() {
    echo "$*" >&2
    exit 1
}

as() { # TENANT COMMAND... - root does not write where a tenant can.
    setpriv --reuid="$1" --regid="$1" --clear-groups --no-new-privs "${@:2}"
}

# With the cookies of this demonstration; by name, so /etc/hosts must have it.
web() {
    curl --silent --show-error --noproxy '*' --max-time 150 \
        --cookie "$state/cookies" --cookie-jar "$state/cookies" "$@"
}

# page FILE CURL-ARGUMENT... - fetch into a file, say what came; anything but a 2xx fails.
page() {
    local file=$1 got
    shift
    got=$(web --output "$file" --write-out \
        '%{http_code} %{size_download} %{time_total} %{method} %{url_effective}' "$@")
    # A long address is known by its end.
    awk '{
        url = substr($5, 8)
        if (length(url) > 44) url = "..." substr(url, length(url) - 40)
        printf "%-4s %-44s %s %8d B %6.1f s\n", $4, url, $1, $2, $3
    }' <<<"$got"
    [[ $got == 2* ]] || {
        head -c 2000 "$file" >&2
        die "Not answered with success"
    }
}

# As somebody who has no cookies.
visitor_page() {
    page "$@" --cookie /dev/null --cookie-jar /dev/null
}

says() { # FILE TEXT
    grep -qF -- "$2" "$1" || {
        head -c 2000 "$1" >&2
        die "The page does not say: $2"
    }
}

# api FILE PATH CURL-ARGUMENT... - WordPress's REST interface, logged in.
api() {
    page "$1" "http://blog.example/wp-json/$2" --header "X-WP-Nonce: $(<"$state/nonce")" "${@:3}"
}

bytes() { stat -Lc %s "$1"; }

# --- the box ----------------------------------------------------------------

# Nothing of what the demonstration makes may be there already.
preflight() {
    local tenant
    for tenant in alpha beta; do
        ! getent passwd "$tenant" >/dev/null ||
            die "A user $tenant is there already; the demonstration makes a tenant of that name"
        [[ ! -e /srv/tenants/$tenant ]] || die "/srv/tenants/$tenant is there already"
    done
    [[ ! -e /var/lib/mysql/$database ]] || die "A database $database is there already"
    rm -rf "$state"
    mkdir -m 700 "$state"
    echo "Nothing is: no user, no directory, no database"
}

versions() {
    sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release
    uname --kernel-name --kernel-release
    nginx -v 2>&1
    php --version | head -n 1
    systemctl --version | head -n 1
}

# The sites call themselves by their own names.
host_names() {
    local line='127.0.0.1 blog.example shop.example # tenantctl demo'
    grep -qxF "$line" /etc/hosts || echo "$line" >>/etc/hosts
    getent ahostsv4 blog.example | head -n 1
    getent ahostsv4 shop.example | head -n 1
}

mariadb_database() {
    systemctl start mariadb.service
    openssl rand -hex 16 >"$state/database-password"
    mariadb <<END
        CREATE DATABASE $database CHARACTER SET utf8mb4;
        CREATE USER $database@localhost IDENTIFIED BY '$(<"$state/database-password")';
        GRANT ALL ON $database.* TO $database@localhost;
END
    mariadb --silent --skip-column-names --execute \
        "SELECT CONCAT('MariaDB ', VERSION(), ', database and user $database')"
}

# --- the tenants ------------------------------------------------------------

add_tenants() {
    tenantctl add site blog.example --tenant alpha "${alpha_limits[@]}" 2>&1 | fold -s -w 76 | sed "s, *$,,"
    tenantctl add site shop.example --tenant beta "${beta_limits[@]}" 2>&1 | fold -s -w 76 | sed "s, *$,,"
}

# --- alpha: WordPress -------------------------------------------------------

# Debian shares some of WordPress's files with other packages by links, which
# lead out of the site: copy what they lead to.
wordpress_files() {
    as alpha cp -rL --no-preserve=mode,ownership /usr/share/wordpress/. "$blog"
    [[ -z $(find "$blog" -type l) ]] || die "There are links left in $blog"
    [[ -z $(find "$blog" ! -user alpha) ]] || die "Not everything in $blog is alpha's"
    echo "$(find "$blog" -type f | wc -l) files, $(du -sh "$blog" | cut -f 1) in $blog"
}

wordpress_config() {
    local key
    {
        echo '<?php'
        for key in {AUTH,SECURE_AUTH,LOGGED_IN,NONCE}_{KEY,SALT}; do
            echo "define('$key', '$(openssl rand -base64 48)');"
        done
        cat <<END
define('DB_NAME', '$database');
define('DB_USER', '$database');
define('DB_PASSWORD', '$(<"$state/database-password")');
define('DB_HOST', 'localhost:$database_socket');
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
\$table_prefix = 'wp_';
// The box may have no way out; waiting for wordpress.org would only be slow.
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
if (!defined('ABSPATH'))
    define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
END
    } >"$state/wp-config.php"
    # Nobody's but alpha's: nginx has no need to read it.
    as alpha install --mode=600 /dev/stdin "$blog/wp-config.php" <"$state/wp-config.php"
    rm "$state/wp-config.php"
    stat --format '%n, %U:%G %a' "$blog/wp-config.php"
}

# The form that an administrator fills in at the first visit.
wordpress_install() {
    openssl rand -hex 12 >"$state/password"
    page "$state/page" 'http://blog.example/wp-admin/install.php?step=2' \
        --data-urlencode 'weblog_title=Demonstration' \
        --data-urlencode "user_name=$administrator" \
        --data-urlencode "admin_password@$state/password" \
        --data-urlencode "admin_password2@$state/password" \
        --data-urlencode pw_weak=1 \
        --data-urlencode admin_email=editor@blog.example \
        --data-urlencode blog_public=0
    says "$state/page" '<h1>Success!</h1>'
}

wordpress_login() {
    page "$state/page" http://blog.example/wp-login.php
    page "$state/page" http://blog.example/wp-login.php --location \
        --data-urlencode "log=$administrator" \
        --data-urlencode "pwd@$state/password" \
        --data-urlencode testcookie=1 \
        --data-urlencode redirect_to=http://blog.example/wp-admin/profile.php
    says "$state/page" 'id="your-profile"'
    page "$state/nonce" 'http://blog.example/wp-admin/admin-ajax.php?action=rest-nonce'
}

# Addresses without .php exist by the front controller alone.
wordpress_permalinks() {
    local nonce
    page "$state/page" http://blog.example/wp-admin/options-permalink.php
    nonce=$(grep -oP 'name="_wpnonce" value="\K[^"]+' "$state/page")
    page "$state/page" http://blog.example/wp-admin/options-permalink.php --location \
        --data-urlencode "_wpnonce=$nonce" \
        --data-urlencode selection=/%postname%/ \
        --data-urlencode permalink_structure=/%postname%/ \
        --data-urlencode submit=Save
    says "$state/page" 'Permalink structure updated'
    page "$state/page" http://blog.example/hello-world/
    says "$state/page" 'Hello world!'
}

wordpress_image() {
    # shellcheck disable=SC2016
    php -r '
        $image = imagecreatetruecolor(640, 400);
        for ($x = 0; $x < 640; $x += 4)
            for ($y = 0; $y < 400; $y += 4)
                imagefilledrectangle($image, $x, $y, $x + 3, $y + 3, $x << 14 | $y << 7 | $x ^ $y);
        imagepng($image, $argv[1]);' "$state/picture.png"
    api "$state/media.json" wp/v2/media --form "file=@$state/picture.png"
    page "$state/fetched.png" "$(jq -er .source_url "$state/media.json")"
    cmp "$state/picture.png" "$state/fetched.png"
    echo "The $(bytes "$state/fetched.png") bytes that came back are the ones sent"
}

# The smaller copies that WordPress made of the image.
wordpress_thumbnails() {
    local width height url
    jq -er '.media_details.sizes | del(.full) | .[] | "\(.width) \(.height) \(.source_url)"' \
        "$state/media.json" >"$state/sizes"
    while read -r width height url; do
        page "$state/thumbnail.png" "$url"
        [[ $(pixels_of "$state/thumbnail.png") == "$width $height" ]] ||
            die "$url is not an image of $width x $height"
    done <"$state/sizes"
}

pixels_of() {
    # shellcheck disable=SC2016
    php -r '[$width, $height] = getimagesize($argv[1]); echo "$width $height";' "$1"
}

wordpress_post() {
    local body
    body=$(jq -n --arg image "$(jq -er .source_url "$state/media.json")" \
        --argjson id "$(jq -e .id "$state/media.json")" '{
            status: "publish", title: "A post from the demonstration", slug: "demonstration",
            featured_media: $id,
            content: "<p>Übergrößen, 日本語 &amp; more</p><img alt=\"picture\" src=\"\($image)\">"}')
    api "$state/post.json" wp/v2/posts --json "$body"
    visitor_page "$state/post.html" "$(jq -er .link "$state/post.json")"
    says "$state/post.html" 'A post from the demonstration'
    says "$state/post.html" 'Übergrößen, 日本語 &amp; more'
    says "$state/post.html" "$(jq -er .source_url "$state/media.json")"
}

# Every style sheet, script, image and font that the pages name, then those that
# the style sheets name.
wordpress_assets() {
    local url count=0
    : >"$state/sources"
    for url in http://blog.example/ "$(jq -er .link "$state/post.json")" http://blog.example/wp-login.php; do
        count=$((count + 1))
        visitor_page "$state/page-$count" "$url"
        echo "html $state/page-$count $url" >>"$state/sources"
    done
    fetch_assets
    awk '$4 ~ /\.css/ { print "css", $3, $4 }' "$state/answers" >"$state/sources"
    fetch_assets
}

fetch_assets() {
    local missing
    php "$here/assets.php" <"$state/sources" | sort -u | awk -v directory="$state" \
        '{ printf "url = \"%s\"\noutput = \"%s/asset-%d\"\n", $0, directory, NR }' >"$state/fetch"
    web --config "$state/fetch" \
        --write-out '%{http_code} %{size_download} %{filename_effective} %{url}\n' >"$state/answers"
    missing=$(awk '$1 != 200 || $2 == 0' "$state/answers")
    [[ -z $missing ]] || die "Missing: $missing"
    awk '{ n++; size += $2; sub(/[?#].*/, "", $4); sub(/.*\./, "", $4); kinds[$4]++ }
        END {
            printf "%d assets, %d B, none missing:", n, size
            for (kind in kinds) printf " %d %s", kinds[kind], kind
            print ""
        }' "$state/answers"
}

# WordPress's own look at whether it can call itself, as wp-cron does.
wordpress_loopback() {
    api "$state/health" wp-site-health/v1/tests/loopback-requests
    jq -er '"\(.label): \(.status)"' "$state/health"
    [[ $(jq -er .status "$state/health") == good ]] || die "$(<"$state/health")"
    awk '$6 == "\"POST" && $7 ~ /^\/wp-cron\.php/ && $9 == 200 { n++ }
        END { printf "%d requests of the site to its own wp-cron.php\n", n; exit n == 0 }' \
        /var/log/tenantctl/blog.example/access.log
}

# --- beta: a small shop -----------------------------------------------------

shop_files() {
    as beta install --mode=644 /dev/stdin "$shop/index.php" <"$here/shop/index.php"
    as beta install --mode=644 /dev/stdin "$shop/shop.css" <"$here/shop/shop.css"
    echo "$(cat "$shop"/* | wc -l) lines in $shop"
}

shop_order() {
    local token
    page "$state/page" http://shop.example/
    says "$state/page" '<h1>Shop of beta</h1>'
    token=$(grep -oP 'name="token" value="\K[0-9a-f]+' "$state/page")
    page "$state/page" http://shop.example/order --location --data-urlencode "token=$token" \
        --data-urlencode 'name=Zoë <Quine>' --data-urlencode 'amount[mug]=2' --data-urlencode 'amount[tea]=1'
    says "$state/page" 'Thank you, Zoë &lt;Quine&gt;'
    says "$state/page" '31.50'
    page "$state/page" http://shop.example/shop.css
    [[ $(web --output /dev/null --write-out '%{http_code}' http://shop.example/.orders.jsonl) == 404 ]] ||
        die "nginx gives the shop's orders to everybody"
    echo "Orders kept: $(wc -l <"$shop/.orders.jsonl"); asked for by a browser: 404"
}

# --- what it looks like -----------------------------------------------------

# By their Host names alone, as any browser would get them.
fetch_by_name() {
    local host file=$state/page
    for host in blog.example shop.example; do
        visitor_page "$file" "http://$host/"
        echo "     $(grep -oP -m 1 '<title>\K[^<]+' "$file")"
    done
}

# The values are the kernel's; they must be what the tenants were given.
cgroup_tree() {
    local top=/sys/fs/cgroup
    printf '%-40s %8s %8s %8s %6s\n' 'cgroup' current high max pids
    find "$top/tenant.slice" -type d -printf '%d %P\n' | sort -k 2 | while read -r depth path; do
        local directory=$top/tenant.slice/$path
        printf '%-40.40s %8s %8s %8s %6s\n' \
            "$(printf '%*s%s' $((2 * depth)) '' "$(basename "$directory")")" \
            "$(amount "$directory/memory.current")" "$(amount "$directory/memory.high")" \
            "$(amount "$directory/memory.max")" "$(<"$directory/pids.max")"
    done
    has_limits alpha $((384 << 20)) $((448 << 20)) 64
    has_limits beta $((96 << 20)) $((128 << 20)) 32
}

amount() { # FILE - in MiB, as people read it
    awk '{ if ($1 == "max") print "max"; else printf "%.1fM\n", $1 / 1048576 }' "$1"
}

has_limits() { # TENANT HIGH MAX TASKS
    local slice=/sys/fs/cgroup/tenant.slice/tenant-$1.slice kernel
    kernel=$(cat "$slice"/{memory.high,memory.max,pids.max} | xargs)
    [[ $kernel == "$2 $3 $4" ]] || die "The kernel has other limits for $1: $kernel, not $2 $3 $4"
}

list() { tenantctl list; }
status() { tenantctl status "${1:-alpha}"; }

# --- sleep ------------------------------------------------------------------

sleep_and_wake() {
    systemctl --quiet stop php-fpm@blog.example.service
    [[ $(systemctl is-active php-fpm@blog.example.service) == inactive ]] || die "It does not sleep"
    echo 'The service of blog.example is stopped, its socket listens'
    page "$state/page" http://blog.example/
    says "$state/page" 'A post from the demonstration'
}

# Nothing of what was done so far may have made PHP complain. Aside: two variables
# that Debian's change of install.php uses and never sets, and WordPress's regret
# that wp-config.php keeps it from asking wordpress.org for updates.
no_php_errors() {
    local found
    # shellcheck disable=SC2016
    found=$(journalctl --quiet --no-pager --output=cat --unit='php-fpm@*.service' |
        grep -E 'PHP [A-Z][a-z]+( error)?: |(^|\] )(ALERT|ERROR)|exited on signal (6|7|11)|terminating' |
        grep -vE -e 'Undefined variable \$upload_(url_)?path in .*/wp-admin/install\.php' \
            -e 'could not establish a secure connection to WordPress\.org' || true)
    [[ -z $found ]] || die "$found"
    echo 'No error and no warning of PHP in the journals of both sites'
}

clean_up() { rm -rf "$state"; }

[[ $(type -t "${1:-}") == function ]] || die "usage: steps.sh STEP [ARGUMENT]..."
"$@"
