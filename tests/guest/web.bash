# For test files of the web server: alpha's blog.example against beta's shop.example.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154

home=/srv/tenants/alpha/sites/blog.example
public=$home/public
beta_public=/srv/tenants/beta/sites/shop.example/public
logs=/var/log/tenantctl/blog.example
secret='define("DB_PASSWORD", "beta-secret")'

as_alpha() { as alpha "$@"; }

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

echo '<?php echo "blog ", $_GET["say"] ?? "";' | publish blog.example index.php
echo '<?php echo "shop";' | publish shop.example index.php
echo "<?php $secret;" | publish shop.example wp-config.php
echo "beta's page" | publish shop.example page.html
# PHP looks at a script that it knows once in 2 s.
says() { [[ $(fetch "$1" "$2") == "$3" ]]; }
check "alpha's site is served" wait_for 10 says blog.example /?say=hello "blog hello"
check "beta's too" wait_for 10 says shop.example / shop
check "beta's static file too" says shop.example /page.html "beta's page"
