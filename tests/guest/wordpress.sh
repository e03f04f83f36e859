# A real WordPress: login, image, post, and every asset of what a visitor sees.
# fixture: wordpress
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2154
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/wordpress.bash"

does "an administrator logs in" wordpress_login
does "permalinks reach the front controller" wordpress_permalinks
does "an image is uploaded and comes back byte for byte" wordpress_image
does "thumbnails that PHP made are served by nginx" wordpress_thumbnails
does "a post is published and read by a visitor" wordpress_post
does "no asset of front page, post and login is missing" wordpress_assets
is "files that PHP made are the tenant's" \
    "$(find "$public/wp-content/uploads" ! -user alpha)" ""
does "PHP complained of nothing" no_php_errors

done_testing
