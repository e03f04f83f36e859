# A site is stopped and reloaded under requests: those that run finish, those that wait are served.
# fixture: sites
# shellcheck shell=bash source-path=SCRIPTDIR disable=SC2016,SC2154,SC2317
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/sites.bash"

blog='php-fpm@blog.example'
pool=/etc/tenantctl/php-fpm/blog.example.conf
at_work=$(home_of blog.example)/tmp/at-work

answers() { [[ $(fetch blog.example "$1") == "$2" ]]; }
# slow_request NAME - returns while its page is at work, for some seconds more.
slow_request() {
    rm -f "$at_work"
    fetch blog.example /slow.php >"$scratch/$1" 2>&1 &
    slow=$!
    wait_for 20 test -e "$at_work"
}

publish blog.example slow.php <<<"<?php touch('$at_work'); sleep(3); echo 'finished';"
publish blog.example mark.php <<<'<?php echo getenv("MARK");'

slow_request stopped
systemctl stop --no-block $blog.service 2>/dev/null
check "a request that comes while the site stops is served" serves blog.example
wait "$slow"
is "the one that ran was let finish" "$(<"$scratch/stopped")" finished

cp -p $pool "$scratch/pool"
pid=$(main_pid blog.example)
echo 'nonsense' >>$pool
check_fails "a reload with a bad configuration is refused" 1 '' systemctl reload $blog.service
check "the site stays up" serves blog.example
cat "$scratch/pool" >$pool
echo 'env[MARK] = new' >>$pool
slow_request reloaded
check "a reload with a good one, while a request runs" systemctl reload $blog.service
check "takes effect" wait_for 20 answers /mark.php new
wait "$slow"
is "and lets the request finish" "$(<"$scratch/reloaded")" finished
is "both without another master" "$(main_pid blog.example)" "$pid"

check "a restart of nginx" systemctl restart nginx.service
check "loses no site" wait_for 10 serves blog.example
stop $blog.service
fetch blog.example / >"$scratch/reexec" &
waiting=$!
check "systemd is started anew while a site wakes" systemctl daemon-reexec
wait "$waiting"
is "and the request is served" "$(<"$scratch/reexec")" "hello from blog.example"

no_unit_failed "no unit has failed"

done_testing
