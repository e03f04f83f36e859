"""A running guest: start, commands, copying, snapshots, stop."""

import contextlib
import fcntl
import itertools
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import time

from . import image as images
from . import machine
from .console import GuestError, say, step

INSTANCES = images.CACHE / "instances"
DEFAULT_SUITE = "bookworm"
DEFAULT_MEMORY_MIB = 2048
SSH_PORT = 22
BOOT_SECONDS = 300
RESTORE_SECONDS = 60
# A socket's path has at most 107 bytes, and ssh adds 17 to one while it makes it.
LONGEST_DIRECTORY = 107 - len("/ssh.sock") - 17


class Instance:
    """One guest with a name; its directory holds all that belongs to it.

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
        with contextlib.suppress(GuestError, OSError, subprocess.SubprocessError):
            self.disconnect()
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

    # --- commands ---

    def _ssh_options(self):
        facts = self.facts()
        image = images.Image(pathlib.Path(facts["image"]))
        options = {
            "BatchMode": "yes",
            "ControlPath": self.directory / "ssh.sock",
            "GlobalKnownHostsFile": "/dev/null",
            "HostKeyAlias": "guest",
            "IdentitiesOnly": "yes",
            "IdentityFile": image.ssh_key,
            "LogLevel": "ERROR",
            "Port": facts["ssh_port"],
            # A guest that a test starves of memory may be silent for a while.
            "ServerAliveInterval": 20,
            "ServerAliveCountMax": 6,
            "UserKnownHostsFile": image.known_hosts,
        }
        words = ["ssh", "-F", "/dev/null"]
        for key, value in options.items():
            words += ["-o", f"{key}={value}"]
        return words

    def connect(self, seconds=RESTORE_SECONDS):
        """Open the connection that all commands share; the handshake is slow."""
        deadline = time.monotonic() + seconds
        error_log = self.directory / "ssh.log"
        # While the guest boots an attempt hangs, so the first ones are short.
        for patience in itertools.count(3):
            words = [*self._ssh_options(), "-fnNM", "-o", f"ConnectTimeout={patience}"]
            # To a file: the connection stays behind and would keep a pipe open.
            with open(error_log, "w") as log:
                done = subprocess.run(
                    [*words, "root@127.0.0.1"],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            if done.returncode == 0:
                return
            if not self.is_alive():
                raise GuestError(f"The guest {self.name!r} has ended")
            if time.monotonic() > deadline:
                raise GuestError(
                    f"No connection to guest {self.name!r} within {seconds} s: "
                    + error_log.read_text().strip()
                )
            time.sleep(0.2)

    def disconnect(self):
        self._control("exit")

    def is_connected(self):
        return self._control("check")

    def _control(self, request):
        done = subprocess.run(
            [*self._ssh_options(), "-O", request, "root@127.0.0.1"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return done.returncode == 0

    def ensure_connected(self):
        if not self.is_connected():
            (self.directory / "ssh.sock").unlink(missing_ok=True)
            self.connect()

    def remote(self, words, timeout=None, tty=False):
        """The command line that runs `words` in the guest."""
        self.ensure_connected()
        text = shlex.join(words)
        if timeout:
            foreground = "--foreground " if tty else ""
            text = f"timeout {foreground}-k 5 {timeout:g} {text}"
        # "exit $?" keeps the shell: ssh reports a death by signal as 255, it says 128+N.
        return [*self._ssh_options(), "-tt" if tty else "-T", "root@127.0.0.1", f"{text}; exit $?"]

    def execute(self, words, timeout=None, tty=False, **options):
        """Run a command in the guest; returns subprocess's CompletedProcess."""
        # The guest's clock ends the command; ours only catches a guest that hangs.
        limit = timeout + 30 if timeout else None
        try:
            return subprocess.run(self.remote(words, timeout, tty), timeout=limit, **options)
        except subprocess.TimeoutExpired:
            raise GuestError(f"The guest did not answer: {shlex.join(words)}") from None

    def output(self, *words, timeout=60):
        """Run a command that must succeed, and return what it prints."""
        done = self.execute(
            list(words),
            timeout,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        if done.returncode != 0:
            raise GuestError(
                f"In the guest, {shlex.join(words)} failed with status {done.returncode}: "
                + done.stderr.strip()
            )
        return done.stdout

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

    def _without_connection(self, line):
        # A connection would be saved half-open, or be lost without notice.
        self.disconnect()
        with self.monitor() as monitor:
            # The human monitor has no error status: it is silent on success.
            complaint = monitor.human(line)
        if complaint:
            raise GuestError(f"QEMU: {line}: {complaint}")


# --- instances as a whole ---


def all_instances():
    if not INSTANCES.exists():
        return []
    return [Instance(path.name) for path in sorted(INSTANCES.iterdir()) if path.is_dir()]


def sweep():
    """Remove what guests left behind whose tool and QEMU were both killed."""
    for instance in all_instances():
        if not instance.is_alive():
            shutil.rmtree(instance.directory, ignore_errors=True)


def start(name, suite=DEFAULT_SUITE, memory_mib=DEFAULT_MEMORY_MIB, forwards=(), tied=True):
    """Start a guest from the state it had when it was first booted."""
    image = images.build(suite)
    booted = _booted(image, memory_mib)
    instance = Instance(name)
    with instance.created(), step(f"Starting guest {name}"):
        disk = instance.directory / "disk.qcow2"
        machine.overlay(booted / "disk.qcow2", disk)
        instance.launch(image, disk, memory_mib, forwards, booted / "state", tied)
        with instance.monitor() as monitor:
            monitor.resume_loaded()
        instance.connect()
        instance.set_clock()
    return instance


def _booted(image, memory_mib):
    """The directory with the saved state of a freshly booted guest."""
    accelerator = machine.accelerator(image)
    key = images.digest(
        machine.version(), machine.hardware(memory_mib, accelerator), machine.KERNEL_ARGUMENTS
    )
    booted = images.CACHE / "booted" / f"{image.key}-{key}"
    with images.exclusive("booted"):
        if not booted.exists():
            title = f"First boot of {image.key} ({accelerator})"
            with images.built_into(booted) as work, step(title):
                _boot_and_save(image, memory_mib, work)
    return booted


def _boot_and_save(image, memory_mib, work):
    disk = work / "disk.qcow2"
    machine.overlay(image.disk, disk)
    instance = Instance(f"boot-{os.getpid()}")
    with instance.created():
        instance.launch(image, disk, memory_mib)
        instance.connect(BOOT_SECONDS)
        instance.wait_until_up()
        instance.disconnect()
        with instance.monitor() as monitor:
            monitor.save_state(work / "state")
    instance.stop()
