# For test files of what tenantctl refuses, on a box with one site that has an alias.
# shellcheck shell=bash

# refuses WHAT STATUS REGEX ARGUMENT... - of tenantctl.
refuses() {
    local what=$1
    shift
    check_fails "refused: $what" "$1" "$2" tenantctl "${@:3}"
}

check "(a tenant that has a site with an alias)" \
    tenantctl add site shop.example --tenant beta --alias www.shop.example
remember
