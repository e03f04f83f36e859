#!/bin/bash
# Show tenantctl at work on this machine, where it is installed: two tenants, a
# WordPress and a small shop. Ends with status 0 only if all of it happened.
set -euo pipefail
export LC_ALL=C.UTF-8

here=$(dirname "$(readlink -f "$0")")
# shellcheck source-path=SCRIPTDIR source=show.bash
. "$here/show.bash"

now() { # TITLE STEP [ARGUMENT]...
    step "$1" "$here/steps.sh" "${@:2}"
}

on_exit() {
    local status=$?
    end_children
    [[ $status -eq 0 || $status -gt 128 ]] || show_logs
}

show_logs() {
    heading 'What the sites and the web server said last'
    journalctl --quiet --no-pager --lines=20 --output=cat --unit='php-fpm@*.service' --unit=nginx.service
    find /var/log/tenantctl -name '*.log' -size +0 -exec tail -v -n 8 {} +
}

trap on_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

heading 'The box'
now 'What is installed' versions
now 'Checking that nothing of the demonstration is here yet' preflight
now 'Giving the sites their names in /etc/hosts' host_names
now 'Starting MariaDB, with a database of its own for the blog' mariadb_database

heading 'Two tenants'
now 'tenantctl add site: blog.example of alpha, shop.example of beta' add_tenants

heading 'Tenant alpha: WordPress on blog.example'
now 'Copying Debian'\''s WordPress into the site, links resolved' wordpress_files
now 'Writing its wp-config.php' wordpress_config
now 'Installing WordPress by its web page' wordpress_install
now 'Logging in' wordpress_login
now 'Choosing permalinks: addresses without .php' wordpress_permalinks
now 'Uploading an image, fetching it back' wordpress_image
now 'Fetching the smaller images that WordPress made of it' wordpress_thumbnails
now 'Publishing a post, reading it as a visitor' wordpress_post
now 'Fetching every asset of the front page, the post and the login' wordpress_assets
now 'The site calling itself, as wp-cron does' wordpress_loopback

heading 'Tenant beta: a small shop on shop.example'
now 'Copying the shop into the site' shop_files
now 'Ordering two mugs and a packet of tea' shop_order

heading 'What is there now'
now 'Both sites through nginx, by their Host names' fetch_by_name
now 'Looking for complaints of PHP' no_php_errors
now 'The cgroups as the kernel has them' cgroup_tree
now 'tenantctl list' list
now 'tenantctl status alpha' status alpha
"$here/steps.sh" clean_up
