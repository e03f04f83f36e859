# What test files do with the sites of fixtures/sites.sh.
# shellcheck shell=bash disable=SC2016,SC2034

pages=$(dirname "${BASH_SOURCE[0]}")/pages
scratch=$(mktemp -d)

tenant_of() { # DOMAIN
    case $1 in
    shop.example) echo beta ;;
    *) echo alpha ;;
    esac
}

home_of() { # DOMAIN - the site's directory
    echo "/srv/tenants/$(tenant_of "$1")/sites/$1"
}

as() { # TENANT COMMAND... - root does not write where a tenant can
    setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"
}

put_pages() { # DOMAIN
    local page
    for page in "$pages"/*; do
        publish "$1" "${page##*/}" <"$page"
    done
}

# publish DOMAIN NAME [MODE] - a file of the site's, from stdin.
publish() {
    as "$(tenant_of "$1")" sh -c 'cat >"$1" && chmod "$2" "$1"' sh "$(home_of "$1")/public/$2" "${3:-0644}"
}

# serves DOMAIN - within the time that a slow, emulated machine needs; what is stuck takes minutes.
serves() {
    [[ $(fetch "$1" / --max-time 30) == "hello from $1" ]]
}

run_in() { # DOMAIN COMMAND - as its page
    fetch "$1" /run.php --data-binary "$2"
}

# attacks: lines of NAME | what the page is told | command. Each command must fail. All go in one
# request, which answers with a line for each.
attacks() {
    local name wanted command number=0 names=() wants=() commands=() answers=()
    while IFS='|' read -r name wanted command; do
        names+=("${name%"${name##*[! ]}"}")
        read -r wanted <<<"$wanted"
        wants+=("$wanted")
        commands+=("$command")
    done
    mapfile -t answers < <(fetch blog.example /run.php --max-time 110 --data-binary \
        "$(printf 'said=$({ %s ; } 2>&1); echo "$?" $said\n' "${commands[@]}")")
    for number in "${!names[@]}"; do
        like "${names[number]}" "${answers[number]}" "^[1-9][0-9]* .*${wants[number]}"
    done
}

status_of() { # HOST PATH [CURL-ARGUMENT]...
    fetch "$@" --output /dev/null --write-out '%{http_code}'
}

state() { systemctl show -P ActiveState "$1"; }

main_pid() { # DOMAIN
    systemctl show -P MainPID "php-fpm@$1.service"
}

# That its socket may start it again is what is meant here.
stop() { systemctl stop "$@" 2>/dev/null; }

slice_of() { # TENANT - its cgroup
    echo "/sys/fs/cgroup/tenant.slice/tenant-$1.slice"
}

no_unit_failed() { # NAME
    is "$1" "$(systemctl --failed --plain --no-legend)" ""
}

journal_cursor() { journalctl --quiet -n 0 --show-cursor | sed -n 's/^-- cursor: //p'; }
