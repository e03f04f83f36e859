# What a tenant can get out of the web server with its files, its pages and the clients that it
# controls: its own files, its own log lines, its own share.
# timeout: 600
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2317
. "$(dirname "$0")/lib.sh"

scratch=$(mktemp -d)

home=/srv/tenants/alpha/sites/blog.example
public=$home/public
beta_public=/srv/tenants/beta/sites/shop.example/public
logs=/var/log/tenantctl/blog.example
secret='define("DB_PASSWORD", "beta-secret")'

as_alpha() {
    runuser -u alpha -- "$@"
}

status_of() { # HOST PATH [CURL-ARGUMENT]...
    fetch "$@" --output /dev/null --write-out '%{http_code}'
}

# statuses HOST PATH... - "STATUS PATH" of each, in one run: starting curl is what takes the time.
statuses() {
    local host=$1 urls=()
    shift
    urls=("${@/#//}")
    curl --silent --max-time 100 --path-as-is --globoff --resolve "$host:80:127.0.0.1" \
        --write-out '%{stderr}%{http_code} %{url}\n' "${urls[@]/#/http://$host}" 2>&1 >/dev/null |
        sed "s,http://$host/,,"
}

# bodies HOST PATH... - what is answered, one after the other.
bodies() {
    local host=$1 urls=()
    shift
    urls=("${@/#//}")
    curl --silent --max-time 100 --path-as-is --globoff --resolve "$host:80:127.0.0.1" \
        "${urls[@]/#/http://$host}"
}

put() { # PATH MODE - a file of alpha's, from stdin
    cat >"$1"
    chown alpha:alpha "$1"
    chmod "$2" "$1"
}

raw() { # REQUEST-LINE-AND-HEADERS - as a client that curl would not be; prints the whole answer
    printf '%b\r\nConnection: close\r\n\r\n' "$1" >"$scratch/request"
    perl -MIO::Socket::INET -e '
        my $socket = IO::Socket::INET->new("127.0.0.1:80") or die "$!\n";
        local $/;
        syswrite($socket, scalar <STDIN>);
        print <$socket> =~ tr/\r\0//dr' <"$scratch/request"
}

check "a site" tenantctl add site blog.example --tenant alpha --tasks-max 40
check "another tenant's" tenantctl add site shop.example --tenant beta
((_tap_failed == 0)) || done_testing
echo '<?php echo "blog ", $_GET["say"] ?? "";' | put "$public/index.php" 0644
echo '<?php echo "shop";' >"$beta_public/index.php"
echo "<?php $secret;" >"$beta_public/wp-config.php"
echo "beta's page" >"$beta_public/page.html"
chown beta:beta "$beta_public"/*
is "alpha's site is served" "$(fetch blog.example /?say=hello)" "blog hello"
is "beta's too" "$(fetch shop.example /)" "shop"
is "beta's static file too" "$(fetch shop.example /page.html)" "beta's page"

# --- symbolic links -----------------------------------------------------------------------------

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

# --- logs ---------------------------------------------------------------------------------------

fetch blog.example '/?say=%0aforged%1b%5b31m' --user-agent $'agent\x1b[31m"forged' >/dev/null
raw 'GET /raw\x1b[31m"x HTTP/1.1\r\nHost: blog.example\r\nReferer: a\x1b]0;title\x07b' >/dev/null
is "each request is one line of the log" \
    "$(grep -c '^127.0.0.1 - - \[' "$logs/access.log")" "$(wc -l <"$logs/access.log")"
is "no escape sequence gets into it" "$(grep -cP '[\x00-\x08\x0b-\x1f\x7f]' "$logs/access.log" "$logs/error.log" | tr '\n' ' ')" \
    "$logs/access.log:0 $logs/error.log:0 "
check "what was sent stands in it, escaped" grep -q 'agent\\x1B\[31m\\x22forged' "$logs/access.log"
is "the logs are outside of the home and root's" "$(stat -c '%U %a' "$logs")" "root 710"
check_fails "a tenant cannot read them" 1 'Permission denied' as_alpha cat "$logs/access.log"
check_fails "nor list them" 2 'Permission denied' as_alpha ls "$logs"
check_fails "nor write to them" 1 'Permission denied' as_alpha tee -a "$logs/access.log"
check_fails "nor replace them" 1 'Permission denied' as_alpha mv "$logs/access.log" "$logs/x"

put "$public/log.php" 0644 <<'END'
<?php
error_log("first\nJun  1 00:00:00 guest sshd[1]: forged\x1b[31m");
file_put_contents('php://stderr', "second\nphp-fpm@shop.example[1]: forged\n");
openlog('sshd', LOG_PID, LOG_AUTH);
syslog(LOG_INFO, 'third forged');
END
fetch blog.example /log.php
journal_of() {
    journalctl --quiet --no-pager --output=cat "$@"
}
logged() {
    local word text
    journalctl --sync
    text=$(journal_of -u php-fpm@blog.example.service)
    # What a page writes to its own standard error FPM hands on when it gets round to it.
    for word in first third; do
        [[ $text == *"$word"* ]] || return 1
    done
}
check "what a page logs is in the journal" wait_for 50 logged
is "and all of it under the site's own unit, whatever it says" \
    "$(journalctl --quiet --output=json --grep forged | jq -r ._SYSTEMD_UNIT | sort -u)" php-fpm@blog.example.service
is "none of it in the web server's log" "$(grep -c forged "$logs/error.log")" 0
check_fails "no escape sequence of it reaches a terminal" 1 '' \
    grep -qP '\x1b' <(journalctl --quiet --no-pager -u php-fpm@blog.example.service)

# --- names --------------------------------------------------------------------------------------

is "an unknown host name is nobody's" "$(status_of nobody.example /)" 404
like "nor is there one without a name" "$(raw 'GET / HTTP/1.0')" '^HTTP/1.1 404'
like "nor an address" "$(raw 'GET / HTTP/1.1\r\nHost: 127.0.0.1')" '^HTTP/1.1 404'
like "two Host headers are refused" \
    "$(raw 'GET / HTTP/1.1\r\nHost: blog.example\r\nHost: shop.example')" '^HTTP/1.1 400'
like "an absolute URI counts before the Host header" \
    "$(raw 'GET http://shop.example/ HTTP/1.1\r\nHost: blog.example')" 'shop'
for host in blog.example:8080 BLOG.Example.; do
    like "$host is the site" "$(raw "GET /?say=hello HTTP/1.1\\r\\nHost: $host")" 'blog hello'
done
for host in blog.example/../shop.example .blog.example www.blog.example; do
    like "$host is not" "$(raw "GET / HTTP/1.1\\r\\nHost: $host")" '^HTTP/1.1 40[04]'
done
put "$public/proxy.php" 0644 <<<'<?php echo "[", getenv("HTTP_PROXY"), $_SERVER["HTTP_PROXY"] ?? "", "]";'
is "a client does not choose the site's proxy" "$(fetch blog.example /proxy.php --header 'Proxy: evil:1')" "[]"

# --- shares -------------------------------------------------------------------------------------

put "$public/stuck.php" 0644 <<<'<?php sleep(100);'
for ((request = 0; request < 200; request++)); do
    printf 'url = "http://127.0.0.1/stuck.php?%d"\n' "$request"
done >"$scratch/requests"
curl --silent --parallel --parallel-immediate --parallel-max 200 --max-time 110 --header 'Host: blog.example' \
    --output /dev/null --config "$scratch/requests" >/dev/null 2>&1 &
crowd=$!
is_full() {
    [[ $(status_of blog.example /stuck.php --max-time 5) =~ ^50[23]$ ]]
}
check "when all of a tenant's requests are stuck, it gets 502 or 503" wait_for 80 is_full
is "and another tenant is served at once" "$(fetch shop.example / --max-time 30)" shop
is "its static files, too" "$(fetch shop.example /page.html --max-time 30)" "beta's page"
is "again and again" "$(bodies shop.example '?'{1..9})" "$(printf 'shop%.0s' {1..9})"
kill "$crowd"
# What waits in the socket is still served, one by one.
rm "$public/stuck.php"
check "a restart frees it" systemctl restart php-fpm@blog.example.service
is "and it is served again" "$(fetch blog.example / --max-time 50)" "blog "

done_testing
