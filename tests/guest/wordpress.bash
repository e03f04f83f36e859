# For test files of WordPress: the demonstration's steps as checks.
# shellcheck shell=bash disable=SC2034

steps=$(dirname "${BASH_SOURCE[0]}")/demo/steps.sh
export DEMO_STATE=/run/tenantctl-demo
public=/srv/tenants/alpha/sites/blog.example/public

does() { # NAME STEP
    check "$1" "$steps" "$2"
}
status_of() { fetch blog.example "$@" -o /dev/null -w '%{http_code}'; }
