# Symbolic links lead a visitor to nothing that is not the site's own.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/web.bash"

as_alpha ln -s "$beta_public/wp-config.php" "$public/config.txt"
as_alpha ln -s "$beta_public/page.html" "$public/page.html"
as_alpha ln -s "$beta_public" "$public/shop"
as_alpha ln -s /srv/tenants/beta/sites "$public/sites"
as_alpha ln -s /etc/passwd "$public/passwd.txt"
as_alpha ln -s / "$public/root"
as_alpha mkfifo "$public/pipe.txt"
echo own | put "$public/own.txt" 0644
as_alpha ln -s own.txt "$public/alias.txt"
# All that is no file is the front controller's to answer, so it is the answer that counts.
linked=(config.txt page.html shop/page.html shop/ sites/shop.example/public/page.html passwd.txt
    root/etc/passwd root/srv/tenants/beta/sites/shop.example/public/page.html)
is "links to what is not alpha's are not followed: ${linked[*]}" \
    "$(bodies blog.example "${linked[@]}" | sed 's/blog //g')" ""
is "a link to its own file is" "$(fetch blog.example /alias.txt)" own
is "a pipe among the files does not hold the web server" \
    "$(status_of blog.example /pipe.txt --max-time 20)" 404
is "a linked script of beta's is not run either" "$(status_of blog.example /shop/index.php)" 404
check_fails "the document root cannot be replaced: its parent is root's" 1 'Permission denied' \
    as_alpha mv "$public" "$home/moved"
check_fails "nor removed" 1 'Permission denied' as_alpha rmdir "$public"
for directory in /srv/tenants/alpha /srv/tenants/alpha/sites "$home"; do
    is "$directory is root's and not to be written by others" \
        "$(stat -c %U "$directory") $(as_alpha test -w "$directory"; echo $?)" "root 1"
done
# Should it be replaced all the same (an earlier owner, a restored backup), the link is not followed.
mv "$public" "$home/aside"
ln -s "$beta_public" "$public"
chown -h alpha:alpha "$public"
like "a document root that is a link to beta's serves nothing" \
    "$(status_of blog.example /page.html)" '40[34]'
rm "$public"
mv "$home/aside" "$public"

done_testing
