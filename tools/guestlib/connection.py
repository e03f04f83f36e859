"""Commands in a guest, over one ssh connection that all of them share."""

import contextlib
import itertools
import pathlib
import shlex
import subprocess
import time

from . import image as images
from .console import GuestError
from .process import Process

CONNECT_SECONDS = 60


class Connected(Process):
    """A guest that commands can be run in."""

    def stop(self):
        with contextlib.suppress(GuestError, OSError, subprocess.SubprocessError):
            self.disconnect()
        super().stop()

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

    def connect(self, seconds=CONNECT_SECONDS):
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
