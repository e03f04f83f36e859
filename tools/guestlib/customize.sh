#!/bin/sh
# Turn a fresh Debian root into the guest that the tests expect: it boots
# quickly, starts nothing by itself but sshd and nginx, and stays quiet.
#
# usage: customize.sh ROOT AUTHORIZED_KEY_FILE
set -eu

root=$1
authorized_key=$2

write() { # PATH, content on stdin
    mkdir -p "$root/$(dirname "$1")"
    cat >"$root/$1"
}

# --- identity -------------------------------------------------------------

echo guest | write etc/hostname
printf '127.0.0.1 localhost guest\n::1 localhost\n' | write etc/hosts
echo '/dev/vda / ext4 rw,relatime,errors=remount-ro 0 0' | write etc/fstab
# Empty, not missing: "first boot" would apply presets and undo what follows.
: | write etc/machine-id

# --- network: fixed addresses of QEMU's user network ------------------------

# By driver, so that interfaces which tests make are left alone.
write etc/systemd/network/10-guest.network <<'END'
[Match]
Driver=virtio_net

[Network]
Address=10.0.2.15/24
Gateway=10.0.2.2
LinkLocalAddressing=no
IPv6AcceptRA=no
END

# --- ssh: the way in --------------------------------------------------------

# Only cheap cryptography: all of it is emulated.
rm -f "$root"/etc/ssh/ssh_host_rsa_key* "$root"/etc/ssh/ssh_host_ecdsa_key*
write etc/ssh/sshd_config.d/guest.conf <<'END'
HostKey /etc/ssh/ssh_host_ed25519_key
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintMotd no
PrintLastLog no
MaxSessions 100
ClientAliveInterval 20
END
install -d -m 700 "$root/root/.ssh"
cp "$authorized_key" "$root/root/.ssh/authorized_keys"
chmod 600 "$root/root/.ssh/authorized_keys"

# --- services ---------------------------------------------------------------

# Debian's default site would claim default_server before ours.
rm -f "$root/etc/nginx/sites-enabled/default"

# Small enough to start quickly and to stay out of the way of memory tests.
write etc/mysql/mariadb.conf.d/90-guest.cnf <<'END'
[mariadbd]
innodb_buffer_pool_size = 32M
innodb_log_file_size = 8M
innodb_flush_log_at_trx_commit = 0
performance_schema = OFF
skip_name_resolve = ON
END

systemctl --root="$root" --quiet enable systemd-networkd.service ssh.service nginx.service
systemctl --root="$root" --quiet disable mariadb.service
for unit in "$root"/lib/systemd/system/php*-fpm.service; do
    systemctl --root="$root" --quiet disable "${unit##*/}"
done

# Whatever wakes up by itself makes timings and logs differ between runs.
systemctl --root="$root" --quiet mask \
    apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
    e2scrub_all.timer e2scrub_reap.service fstrim.timer man-db.timer \
    phpsessionclean.timer systemd-tmpfiles-clean.timer \
    systemd-networkd-wait-online.service \
    getty@tty1.service serial-getty@ttyS0.service
