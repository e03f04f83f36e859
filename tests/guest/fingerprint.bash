# What a command that refused, or took its work back, must leave as it was.
# shellcheck shell=bash

# One line for each file that could be ours, with its content where others do not write, and for
# each unit of ours that is loaded. Aside: the lock, the uid ledger (a number once chosen for a name
# stays with it) and the backups that useradd makes.
fingerprint() {
    find /etc /srv /run/tenantctl /var/log/tenantctl /var/lib/systemd/linger /var/spool/cron \
        \( -path /run/tenantctl/lock -o -path /etc/.pwd.lock -o -path '/etc/*-' -o -path /etc/ssl \) -prune \
        -o -printf '%p %y %m %U:%G %l\n' 2>/dev/null | sort
    find /etc/{tenantctl,nginx,systemd,passwd,group,shadow,gshadow,subuid,subgid} /srv \
        -type f -exec cksum {} + | sort
    systemctl list-units --all --plain --no-legend 'php-fpm@*' 'tenant-*' 'tenantctl-*' | sort
    ls -A /var/lib
}

remember() {
    remembered=$(fingerprint)
}

same_as_remembered() { # NAME
    is "$1" "$(diff <(echo "$remembered") <(fingerprint))" ""
}
