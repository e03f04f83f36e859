"""A running guest: boot, copying, snapshots; and how one is started."""

import contextlib
import os
import pathlib
import re
import shlex
import subprocess
import time

from . import image as images
from . import machine
from .connection import Connected
from .console import GuestError, step

DEFAULT_SUITE = "bookworm"
DEFAULT_MEMORY_MIB = 2048
BOOT_SECONDS = 300
# What a saved guest consists of: files of its directory.
DISK = "disk.qcow2"
STATE = "state"


class Instance(Connected):
    """All that can be done with a guest."""

    def set_clock(self):
        """A restored guest still lives in the past."""
        self.output("date", "--set", f"@{time.time():.3f}")

    def reboot(self):
        """Boot the guest again from its own disk, and wait until it is up."""
        boot_id = ("cat", "/proc/sys/kernel/random/boot_id")
        before = self.output(*boot_id)
        self.execute(["systemctl", "--no-block", "reboot"], stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + BOOT_SECONDS
        while True:
            # A connection to the boot that ends is no use.
            self.disconnect()
            self.connect(BOOT_SECONDS)
            with contextlib.suppress(GuestError):
                if self.output(*boot_id) != before:
                    break
            if time.monotonic() > deadline:
                raise GuestError(f"Guest {self.name!r} did not boot again")
            time.sleep(1)
        self.set_clock()
        self.wait_until_up()

    def wait_until_up(self):
        state = self.execute(
            ["systemctl", "is-system-running", "--wait"],
            BOOT_SECONDS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout.strip()
        if state != "running":
            failed = self.output("systemctl", "--failed", "--no-pager")
            raise GuestError(f"The guest booted into state {state!r}:\n{failed}")

    # --- copying ---

    def push(self, source, target):
        """Copy a file to the path `target`, or a directory's content into it."""
        source = pathlib.Path(source)
        if source.is_dir():
            pack = ["tar", "-C", str(source), "--owner=0", "--group=0", "-c", "."]
            # What is there already keeps its owner and mode, be it "/" itself.
            unpack = (
                f"mkdir -p {shlex.quote(target)} && tar -C {shlex.quote(target)}"
                " --no-overwrite-dir --keep-directory-symlink -xp"
            )
        elif source.is_file():
            if target.endswith("/"):
                target += source.name
            mode = f"{source.stat().st_mode & 0o7777:o}"
            pack = ["cat", str(source)]
            unpack = (
                f"mkdir -p {shlex.quote(os.path.dirname(target) or '.')}"
                f" && cat >{shlex.quote(target)} && chmod {mode} {shlex.quote(target)}"
            )
        else:
            raise GuestError(f"No such file or directory: {source}")
        self._pipe(pack, self.remote(["sh", "-c", unpack]), f"push {source}")

    def pull(self, source, target):
        """The other way round."""
        target = pathlib.Path(target)
        quoted = shlex.quote(source)
        question = f"if test -d {quoted}; then echo dir; else test -f {quoted} && echo file; fi"
        kind = self.output("sh", "-c", question).strip()
        if kind == "dir":
            target.mkdir(parents=True, exist_ok=True)
            pack, unpack = ["tar", "-C", source, "-c", "."], ["tar", "-C", str(target), "-x"]
        else:
            if target.is_dir():
                target /= pathlib.PurePath(source).name
            pack, unpack = ["cat", source], ["dd", f"of={target}", "status=none"]
        self._pipe(self.remote(pack), unpack, f"pull {source}")

    @staticmethod
    def _pipe(producer, consumer, what):
        first = subprocess.Popen(producer, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        second = subprocess.run(consumer, stdin=first.stdout)
        first.stdout.close()
        if first.wait() != 0 or second.returncode != 0:
            raise GuestError(f"Failed to {what}")

    # --- snapshots ---

    def snapshot(self, name):
        """Save the whole machine under a name, in the instance's own disk."""
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
            raise GuestError(f"Not a name for a snapshot: {name!r}")
        self._without_connection(f"savevm {name}")

    def restore(self, name):
        with self.monitor() as monitor:
            # A load that fails leaves the guest stopped, so look before.
            if name not in monitor.human("info snapshots").split():
                raise GuestError(f"Guest {self.name!r} has no snapshot {name!r}")
        self._without_connection(f"loadvm {name}")
        self.connect()
        self.set_clock()

    def save_and_stop(self, directory):
        """End the guest; any number of guests can go on from what `directory` then holds.

        The disk refers to the one that this guest was started from, by its path.
        """
        directory.mkdir(parents=True, exist_ok=True)
        self.disconnect()
        with self.monitor() as monitor:
            monitor.save_state(directory / STATE)
        # While QEMU still has it open: as soon as it has ended, its directory may be swept.
        (self.directory / DISK).rename(directory / DISK)
        self.stop()

    def _without_connection(self, line):
        # A connection would be saved half-open, or be lost without notice.
        self.disconnect()
        with self.monitor() as monitor:
            # The human monitor has no error status: it is silent on success.
            complaint = monitor.human(line)
        if complaint:
            raise GuestError(f"QEMU: {line}: {complaint}")


def start(name, suite=DEFAULT_SUITE, memory_mib=DEFAULT_MEMORY_MIB, forwards=(), tied=True):
    """Start a guest from the state it had when it was first booted."""
    image = images.build(suite)
    saved = booted(image, memory_mib)
    with step(f"Starting guest {name}"):
        return start_saved(name, image, saved, memory_mib, forwards, tied)


def start_saved(name, image, saved, memory_mib=DEFAULT_MEMORY_MIB, forwards=(), tied=True):
    """Start a guest from a directory that a guest of this image and size was saved in."""
    instance = Instance(name)
    with instance.created():
        disk = instance.directory / DISK
        machine.overlay(saved / DISK, disk)
        instance.launch(image, disk, memory_mib, forwards, saved / STATE, tied)
        with instance.monitor() as monitor:
            monitor.resume_loaded()
        instance.connect()
        instance.set_clock()
    return instance


def booted(image, memory_mib=DEFAULT_MEMORY_MIB):
    """The directory with the saved state of a freshly booted guest."""
    accelerator = machine.accelerator(image)
    key = images.digest(
        machine.version(), machine.hardware(memory_mib, accelerator), machine.KERNEL_ARGUMENTS
    )
    saved = images.CACHE / "booted" / f"{image.key}-{key}"
    with images.exclusive("booted"):
        if not saved.exists():
            title = f"First boot of {image.key} ({accelerator})"
            with images.built_into(saved) as work, step(title):
                _boot_and_save(image, memory_mib, work)
    return saved


def _boot_and_save(image, memory_mib, work):
    instance = Instance(f"boot-{os.getpid()}")
    with instance.created():
        disk = instance.directory / DISK
        machine.overlay(image.disk, disk)
        instance.launch(image, disk, memory_mib)
        instance.connect(BOOT_SECONDS)
        instance.wait_until_up()
    instance.save_and_stop(work)
