# A site is served under its own names and no other.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"
. "$(dirname "$0")/web.bash"

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

done_testing
