"""The guest's disk image: made by mmdebstrap, cached by a hash of its inputs."""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import tempfile
from dataclasses import dataclass

from .command import run
from .console import GuestError, step

CACHE = pathlib.Path(os.environ.get("TENANTCTL_CACHE", "/var/cache/tenantctl-guest"))
CUSTOMIZE = pathlib.Path(__file__).with_name("customize.sh")

MIRROR = "http://deb.debian.org/debian"
DISK_SIZE = "6G"
FILESYSTEM_ID = "6f1d5a52-3c0e-4e53-9f2b-7a0f4d1f2c11"
# Newer timestamps are clamped to this one, so that equal packages give equal images.
SOURCE_DATE_EPOCH = "1735689600"

PACKAGES = """
    systemd systemd-sysv dbus udev kmod iproute2 procps openssh-server
    ca-certificates curl wrk acl attr strace nginx-light mariadb-server
    mariadb-client wordpress bpftool linux-image-cloud-amd64 initramfs-tools
    man-db bash-completion less nftables python3-minimal jq
    libsystemd0 libbpf1 libidn2-0 libsqlite3-0 libcap2
""".split()

PHP_MODULES = "fpm cli mysql gd curl mbstring xml zip intl".split()


@dataclass(frozen=True)
class Suite:
    """What differs between the Debian releases that serve as guests."""

    php: str
    packages: tuple

    def all_packages(self):
        php = [f"php{self.php}-{module}" for module in PHP_MODULES]
        return sorted({*PACKAGES, "php", *php, *self.packages})


SUITES = {
    "bookworm": Suite(
        php="8.2",
        packages=(
            "libtomlplusplus3",
            "libspdlog1.10",
            "libfmt9",
            "libacl1",
            "wordpress-theme-twentytwentythree",
        ),
    ),
    "trixie": Suite(
        php="8.4",
        packages=(
            "libtomlplusplus3t64",
            "libspdlog1.15",
            "libfmt10",
            "libacl1",
            "wordpress-theme-twentytwentyfive",
        ),
    ),
}

# Documentation and translations are half of the packages' files; our own man
# pages are installed by other means than dpkg and are not affected.
DPKG_EXCLUDES = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*")

# A small initrd boots seconds sooner: name its modules instead of taking most.
INITRAMFS_HOOK = r"""
    mkdir -p "$1/etc/initramfs-tools/conf.d"
    printf 'MODULES=list\nCOMPRESS=gzip\n' >"$1/etc/initramfs-tools/conf.d/guest"
    printf 'virtio_pci\nvirtio_blk\next4\n' >"$1/etc/initramfs-tools/modules"
"""


@dataclass(frozen=True)
class Image:
    """A finished image: a directory with a disk, a kernel and a key."""

    directory: pathlib.Path

    @property
    def key(self):
        return self.directory.name

    @property
    def disk(self):
        return self.directory / "disk.qcow2"

    @property
    def kernel(self):
        return self.directory / "vmlinuz"

    @property
    def initrd(self):
        return self.directory / "initrd.img"

    @property
    def ssh_key(self):
        return self.directory / "id_ed25519"

    @property
    def known_hosts(self):
        return self.directory / "known_hosts"


def digest(*parts):
    """A short, stable name for a set of inputs."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


@contextlib.contextmanager
def exclusive(name):
    """Hold a lock of the cache: two tools must not make the same thing twice."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def built_into(target):
    """A directory to build in, which becomes `target` only when it is complete."""
    target.parent.mkdir(parents=True, exist_ok=True)
    work = pathlib.Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        # mmdebstrap's unprivileged steps (apt's _apt user) must be able to enter.
        work.chmod(0o755)
        yield work
        work.rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


@contextlib.contextmanager
def scratch(name):
    """A directory of the cache for as long as this process needs it.

    What others left behind that were killed is removed: their locks are free.
    """
    parent = CACHE / name
    with exclusive(name):
        parent.mkdir(parents=True, exist_ok=True)
        for old in parent.iterdir():
            _remove_unless_locked(old)
        directory = pathlib.Path(tempfile.mkdtemp(dir=parent))
        lock = os.open(directory, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)
        os.close(lock)


def _remove_unless_locked(directory):
    lock = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(directory, ignore_errors=True)
    except BlockingIOError:
        pass
    finally:
        os.close(lock)


def image_for(suite_name):
    """The name of the image of a suite, whether it is built or not."""
    if suite_name not in SUITES:
        raise GuestError(f"Unknown suite {suite_name!r}, known are: {', '.join(SUITES)}")
    suite = SUITES[suite_name]
    inputs = digest(
        suite_name,
        suite.all_packages(),
        DPKG_EXCLUDES,
        INITRAMFS_HOOK,
        CUSTOMIZE.read_text(),
        [MIRROR, DISK_SIZE, FILESYSTEM_ID, SOURCE_DATE_EPOCH],
    )
    return Image(CACHE / "images" / f"{suite_name}-{inputs}")


def build(suite_name, force=False):
    """Build the image of a suite unless the cache has it."""
    image = image_for(suite_name)
    with exclusive("images"):
        if force and image.directory.exists():
            shutil.rmtree(image.directory)
        if not image.directory.exists():
            with built_into(image.directory) as work:
                _build_in(work, suite_name)
    return image


def _build_in(work, suite_name):
    root = work / "root"
    _make_key(work)
    with step(f"Installing Debian {suite_name} for the guest"):
        _bootstrap(root, suite_name, work / "id_ed25519.pub")
    with step("Making the guest's disk"):
        _take_out(root, work)
        _make_disk(root, work)
    shutil.rmtree(root)


def _make_key(work):
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "guest", "-f", work / "id_ed25519")


def _bootstrap(root, suite_name, public_key):
    command = ["mmdebstrap", "--quiet", "--variant=minbase"]
    command += [f"--include={','.join(SUITES[suite_name].all_packages())}"]
    command += [f"--dpkgopt=path-exclude={pattern}" for pattern in DPKG_EXCLUDES]
    command += [f"--essential-hook={INITRAMFS_HOOK}"]
    command += [f'--customize-hook=sh "{CUSTOMIZE}" "$1" "{public_key}"']
    run(*command, suite_name, root, *_sources(suite_name), env=_reproducible())


def _sources(suite_name):
    yield f"deb {MIRROR} {suite_name} main"
    yield f"deb {MIRROR} {suite_name}-updates main"
    yield f"deb {MIRROR}-security {suite_name}-security main"


def _reproducible():
    return {
        **os.environ,
        "SOURCE_DATE_EPOCH": SOURCE_DATE_EPOCH,
        # What mke2fs before 1.47.1 reads in its place.
        "E2FSPROGS_FAKE_TIME": SOURCE_DATE_EPOCH,
    }


def _take_out(root, work):
    """Copy out what is needed without mounting the disk."""
    for name, pattern in (("vmlinuz", "vmlinuz-*"), ("initrd.img", "initrd.img-*")):
        found = list((root / "boot").glob(pattern))
        if len(found) != 1:
            raise GuestError(f"Expected one {pattern} in the image, found {len(found)}")
        shutil.copy(found[0], work / name)
    host_key = (root / "etc/ssh/ssh_host_ed25519_key.pub").read_text().split()
    (work / "known_hosts").write_text(f"guest {host_key[0]} {host_key[1]}\n")
    packages = run("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W")
    (work / "packages.txt").write_text(packages)


def _make_disk(root, work):
    raw = work / "disk.raw"
    run(
        *("mke2fs", "-q", "-t", "ext4", "-L", "guest", "-m", "0"),
        *("-U", FILESYSTEM_ID, "-E", f"hash_seed={FILESYSTEM_ID}"),
        *("-d", root, raw, DISK_SIZE),
        env=_reproducible(),
    )
    run("qemu-img", "convert", "-O", "qcow2", raw, work / "disk.qcow2")
    raw.unlink()
