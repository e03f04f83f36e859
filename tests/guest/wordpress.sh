# A real WordPress: the demonstration's own steps, and what a demonstration leaves out.
# PHP is ten to thirty times slower in an emulated guest.
# timeout: 900
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"

steps=$(dirname "$0")/demo/steps.sh
export DEMO_STATE=/run/tenantctl-demo
public=/srv/tenants/alpha/sites/blog.example/public

does() { # NAME STEP
    check "$1" "$steps" "$2"
}
status_of() { fetch blog.example "$@" -o /dev/null -w '%{http_code}'; }

does "the box is fresh" preflight
does "the sites have names" host_names
does "there is a database" mariadb_database
does "two tenants are added" add_tenants
does "WordPress is copied into the site as the tenant" wordpress_files
does "its configuration is the tenant's alone" wordpress_config

does "WordPress installs itself, with its database behind a socket" wordpress_install
does "an administrator logs in" wordpress_login
does "permalinks reach the front controller" wordpress_permalinks
does "an image is uploaded and comes back byte for byte" wordpress_image
does "thumbnails that PHP made are served by nginx" wordpress_thumbnails
does "a post is published and read by a visitor" wordpress_post
does "no asset of front page, post and login is missing" wordpress_assets
does "the site can call itself, as wp-cron does" wordpress_loopback

is "nginx cannot even see wp-config.php" "$(status_of /wp-config.php)" 404
is "an address that is no post gets WordPress's own 404" "$(status_of /no-such-post/)" 404
like "and it is a page of the site" "$(fetch blog.example /no-such-post/)" 'Demonstration'
is "without a login there is no administration" "$(status_of /wp-admin/profile.php)" 302
is "a script that is not there is not found" \
    "$(status_of /wp-content/uploads/none.php)" 404
is "files that PHP made are the tenant's" \
    "$(find "$public/wp-content/uploads" ! -user alpha)" ""

does "the front page wakes a site that sleeps" sleep_and_wake

does "beta's shop is copied" shop_files
does "the shop takes an order and keeps it to itself" shop_order
does "the kernel has both tenants' limits" cgroup_tree
does "PHP complained of nothing" no_php_errors

done_testing
