# What nginx serves of a site's files: no source, no dot file; what PHP writes.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/web.bash"

# --- source, scripts, dot files -----------------------------------------------------------------

as_alpha mkdir "$public/upload" "$public/.git" "$public/.well-known"
script='<?php echo "ran", "-it"; $password = "source";'
sources=(x.php.bak X.PHP x.pHp x.php5 x.phtml x.PHTML x.phar x.pht x.phps x.inc x.inc.php~ x.php~
    x.php.save x.php.swp .x.php.swp x.php_ x.php.1 x.php-old dump.sql .env .env.local .htaccess .git/config)
for name in "${sources[@]}" upload/x.jpg; do
    put "$public/$name" 0644 <<<"$script"
done
is "no source is served: ${sources[*]}" \
    "$(statuses blog.example "${sources[@]}" %2egit/config %2Eenv upload/..//./.env | grep -v '^404 ')" ""
echo '<?php header("X-Accel-Redirect: " . $_GET["to"]);' | put "$public/accel.php" 0644
is "nor by way of the page's own redirect" "$(status_of blog.example /accel.php?to=/.env)" 404
is "which is no way out either" "$(fetch blog.example /accel.php?to=/shop/page.html)" "blog "
is "an upload is not run as PHP, whatever stands behind its name" \
    "$(statuses blog.example upload/x.jpg/{y.php,.php,index.php} upload/x.jpg%00.php | grep -v '^40[04] ')" ""
is "the upload itself is a file" "$(fetch blog.example /upload/x.jpg)" "$script"
echo token | put "$public/.well-known/acme" 0644
is ".well-known is served" "$(fetch blog.example /.well-known/acme)" token
echo secret | put "$public/.well-known/.hidden" 0644
is "but for dot files in it" "$(status_of blog.example /.well-known/.hidden)" 404

# --- files that PHP writes ----------------------------------------------------------------------

put "$public/write.php" 0644 <<'END'
<?php
mkdir('made/deep', 0755, true);
file_put_contents('made/deep/plain.txt', 'plain');
foreach ([0600, 0640, 0644] as $mode) {
    $file = sprintf('made/%o.txt', $mode);
    file_put_contents($file, 'chmod');
    chmod($file, $mode);
}
$temporary = tempnam('made', 'x');
file_put_contents($temporary, 'renamed');
chmod($temporary, 0644);
rename($temporary, 'made/renamed.txt');
move_uploaded_file($_FILES['image']['tmp_name'], 'made/uploaded.txt') or die('not moved');
echo 'written';
END
is "a page takes an upload and writes files" \
    "$(echo uploaded >"$scratch/image"; fetch blog.example /write.php --form "image=@$scratch/image")" \
    written
is "what PHP writes is served" \
    "$(bodies blog.example made/{deep/plain,640,644,renamed,uploaded}.txt | tr -d '\n')" \
    plainchmodchmodrenameduploaded
is "but for what the site closes (0600): it is the front controller's" \
    "$(fetch blog.example /made/600.txt)" "blog "
as_alpha chmod 0700 "$public/made"
is "and what is in a directory that it closes (0700)" "$(fetch blog.example /made/644.txt)" "blog "
for directory in tmp sessions; do
    check_fails "$directory is nobody else's" 2 'Permission denied' \
        runuser -u www-data -- ls "$home/$directory"
done

done_testing
