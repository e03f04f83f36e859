"""A guest's QEMU: its directory, its start and its end."""

import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import time

from . import image as images
from . import machine
from .console import GuestError, say

INSTANCES = images.CACHE / "instances"
SSH_PORT = 22
# A socket's path has at most 107 bytes, and ssh adds 17 to one while it makes it.
LONGEST_DIRECTORY = 107 - len("/ssh.sock") - 17


class Process:
    """QEMU with a guest that has a name; its directory holds all that belongs to it.

    QEMU inherits a lock on DIRECTORY/lock, so the lock tells for sure whether
    the guest is alive, whatever became of the tool that started it.
    """

    def __init__(self, name):
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]*", name):
            raise GuestError(f"Not a name for a guest: {name!r}")
        self.name = name
        self.directory = INSTANCES / name
        self._lock = None
        if len(str(self.directory)) > LONGEST_DIRECTORY:
            raise GuestError(f"Too long a path for sockets to live in: {self.directory}")

    # --- state on disk ---

    @property
    def console_log(self):
        return self.directory / "console.log"

    def facts(self):
        try:
            return json.loads((self.directory / "facts.json").read_text())
        except FileNotFoundError:
            raise GuestError(f"There is no running guest {self.name!r}") from None

    def is_alive(self):
        try:
            with open(self.directory / "lock") as probe:
                fcntl.flock(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except BlockingIOError:
            return True
        return False

    def console_tail(self, lines=40):
        with contextlib.suppress(FileNotFoundError):
            text = self.console_log.read_text(errors="replace")
            return "\n".join(text.splitlines()[-lines:])
        return "(no console log)"

    # --- life ---

    @contextlib.contextmanager
    def created(self):
        """The instance's directory, locked by us until QEMU has the lock too."""
        with images.exclusive("instances"):
            sweep()
            self._take_directory()
        try:
            yield
        except BaseException as failure:
            if isinstance(failure, GuestError):
                say(f"--- console of guest {self.name} ---\n{self.console_tail()}\n---")
            self.stop()
            raise
        else:
            self._lock.close()

    def _take_directory(self):
        try:
            self.directory.mkdir(parents=True)
        except FileExistsError:
            raise GuestError(f"A guest {self.name!r} runs already") from None
        self._lock = open(self.directory / "lock", "w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def launch(self, image, disk, memory_mib, forwards=(), incoming=None, tied=True):
        """Start QEMU on a disk and note what later commands need to know."""
        words = machine.command(
            image,
            self.directory,
            disk,
            memory_mib,
            machine.accelerator(image),
            [machine.Forward(0, SSH_PORT), *forwards],
            incoming,
        )
        log = self.directory / "qemu.log"
        with open(log, "w") as stream:
            process = machine.launch(words, stream, self._lock.fileno(), tied)
        self._wait_for_monitor(process, log)
        with self.monitor() as monitor:
            port = monitor.forwarded_port(SSH_PORT)
        facts = {"image": str(image.directory), "ssh_port": port, "words": words}
        (self.directory / "facts.json").write_text(json.dumps(facts))

    def _wait_for_monitor(self, process, log, seconds=30):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise GuestError(f"QEMU did not start:\n{log.read_text(errors='replace')}")
            with contextlib.suppress(GuestError), self.monitor():
                return
            time.sleep(0.02)
        raise GuestError("QEMU did not set up its machine in time")

    def monitor(self):
        try:
            return machine.Monitor(self.directory / "qmp.sock")
        except (FileNotFoundError, ConnectionRefusedError):
            raise GuestError(f"There is no running guest {self.name!r}") from None

    def stop(self):
        """End QEMU, if it runs, and remove everything of this instance."""
        with contextlib.suppress(GuestError, OSError), self.monitor() as monitor:
            monitor.execute("quit")
        if self._lock:
            self._lock.close()
        if not self._ended_within(5) and self._kill():
            self._ended_within(5)
        shutil.rmtree(self.directory, ignore_errors=True)

    def _ended_within(self, seconds):
        deadline = time.monotonic() + seconds
        while self.is_alive():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def _kill(self):
        """Kill QEMU by its pid, but only after a look at what runs under it."""
        with contextlib.suppress(OSError, ValueError):
            pid = int((self.directory / "qemu.pid").read_text())
            running = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if str(self.directory / "qemu.pid").encode() in running:
                os.kill(pid, signal.SIGKILL)
                return True
        return False


def all_processes():
    if not INSTANCES.exists():
        return []
    return [Process(path.name) for path in sorted(INSTANCES.iterdir()) if path.is_dir()]


def sweep():
    """Remove what guests left behind whose tool and QEMU were both killed."""
    for process in all_processes():
        if not process.is_alive():
            shutil.rmtree(process.directory, ignore_errors=True)
