# What a command that refused, or took its work back, must leave as it was.
# shellcheck shell=bash

# One line for each file below /etc, /srv, /var/lib and /run/tenantctl (content too, where it is
# ours to change) and each unit of ours that is loaded. Aside: the lock, the uid ledger (a number
# once chosen for a name stays with it), and the backups that useradd makes.
fingerprint() {
    find /etc /srv /var/lib /run/tenantctl \
        \( -path /run/tenantctl/lock -o -path /var/lib/tenantctl -o -path /var/lib/dpkg \
        -o -path /var/lib/nginx -o -path /var/lib/systemd -o -path /etc/.pwd.lock \
        -o -path '/etc/*-' \) -prune -o -printf '%p %y %m %U:%G %l\n' | sort
    find /etc /srv -type f ! -name '*-' ! -name .pwd.lock -size -100k -print0 | sort -z | xargs -0 cksum
    systemctl list-units --all --plain --no-legend 'php-fpm@*' 'tenant-*' 'tenantctl-*' | sort
}

# same_as_before NAME - compares with the fingerprint in $before.
same_as_before() {
    local changes
    changes=$(diff <(echo "$before") <(fingerprint))
    is "$1" "$changes" ""
}
