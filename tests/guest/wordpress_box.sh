# A real WordPress beside a shop: its own requests to itself, what it closes, limits, sleep.
# fixture: wordpress
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/wordpress.bash"

does "an administrator logs in" wordpress_login
does "permalinks reach the front controller" wordpress_permalinks
does "the site can call itself, as wp-cron does" wordpress_loopback

is "nginx cannot even see wp-config.php" "$(status_of /wp-config.php)" 404
is "an address that is no post gets WordPress's own 404" "$(status_of /no-such-post/)" 404
like "and it is a page of the site" "$(fetch blog.example /no-such-post/)" 'Demonstration'
is "without a login there is no administration" "$(status_of /wp-admin/profile.php)" 302
is "a script that is not there is not found" \
    "$(status_of /wp-content/uploads/none.php)" 404

systemctl --quiet stop php-fpm@blog.example.service
is "(WordPress sleeps)" "$(systemctl is-active php-fpm@blog.example.service)" inactive
like "the front page wakes it" "$(fetch blog.example /)" '<title>Demonstration'

does "beta's shop is copied" shop_files
does "the shop takes an order and keeps it to itself" shop_order
does "the kernel has both tenants' limits" cgroup_tree
does "PHP complained of nothing" no_php_errors

done_testing
