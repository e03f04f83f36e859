"""Test files that run inside the guest, each from a state that was saved before."""

import os
import re
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass

from guestlib import instance as instances
from guestlib.console import GuestError, say, step

from .build import PLAIN, ROOT, staged
from .tally import Tally, Tap

LOGS = PLAIN / "test-logs"
IN_GUEST = "/root/tests"
PRODUCT = "product"
FIXTURES = ROOT / "tests/guest/fixtures"
TAIL_LINES = 60
# For a busy machine; a file is meant to take a minute on a quiet one.
FILE_SECONDS = 600
# What a file's comments may say: a time limit of its own, the fixture that it starts from, and
# of a fixture that the guest boots again after it.
TIMEOUT_MARK = re.compile(r"^# timeout: (\d+)$", re.MULTILINE)
FIXTURE_MARK = re.compile(r"^# fixture: (\w+)$", re.MULTILINE)
REBOOT_MARK = re.compile(r"^# then: reboot$", re.MULTILINE)


@dataclass(frozen=True)
class Marks:
    seconds: int
    fixture: str | None
    reboots: bool

    @classmethod
    def of(cls, path):
        text = path.read_text()
        timeout = TIMEOUT_MARK.search(text)
        fixture = FIXTURE_MARK.search(text)
        return cls(
            seconds=int(timeout[1]) if timeout else FILE_SECONDS,
            fixture=fixture[1] if fixture else None,
            reboots=bool(REBOOT_MARK.search(text)),
        )


def run_files(folder, patterns):
    files = _chosen(folder, patterns)
    LOGS.mkdir(parents=True, exist_ok=True)
    total = Tally()
    instance = instances.start(f"test-{os.getpid()}")
    try:
        install_product(instance)
        instance.snapshot(PRODUCT)
        states = States(instance)
        for path in files:
            total += states.run(path)
    finally:
        instance.stop()
    return total


def _chosen(folder, patterns):
    files = [path for path in sorted(folder.glob("*.sh")) if path.name != "lib.sh"]
    chosen = [
        path for path in files if not patterns or any(text in path.name for text in patterns)
    ]
    if not chosen:
        wanted = f" that match {' '.join(patterns)}" if patterns else ""
        raise GuestError(f"There are no test files{wanted} in {folder.relative_to(ROOT)}")
    return chosen


def install_product(instance):
    """Install what was built into a guest, as Debian's package tools would."""
    stage = PLAIN / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    staged(stage)
    with step("Installing into the guest"):
        instance.push(stage, "/")
        instance.output("systemd-tmpfiles", "--create")
        instance.output("systemctl", "daemon-reload")
        instance.output("systemctl", "reload", "nginx.service")


class States:
    """The states that test files start from: the installed product, and fixtures.

    A fixture is a test file, too. It runs when the first file that names it needs it; what it
    leaves is saved, and the others start from there.
    """

    def __init__(self, instance):
        self._instance = instance
        self._good = {}  # fixture to whether it passed

    def run(self, path):
        marks = Marks.of(path)
        tally = self._take_to(marks.fixture)
        if marks.fixture and not self._good[marks.fixture]:
            print(f"not ok - {path.name}: its fixture {marks.fixture} failed", flush=True)
            tally.failed += 1
            return tally
        tally += _run_file(self._instance, path, marks)
        return tally

    def _take_to(self, fixture):
        """Bring the guest to a state; the tally is what making a fixture counted."""
        if fixture is None:
            self._instance.restore(PRODUCT)
        elif fixture not in self._good:
            return self._make(fixture)
        elif self._good[fixture]:
            self._instance.restore(_snapshot_of(fixture))
        return Tally()

    def _make(self, fixture):
        path = FIXTURES / f"{fixture}.sh"
        tally = self.run(path)
        if tally.failed == 0 and Marks.of(path).reboots:
            with step("Booting the guest again"):
                self._instance.reboot()
        self._good[fixture] = tally.failed == 0
        if self._good[fixture]:
            self._instance.snapshot(_snapshot_of(fixture))
        return tally


def _snapshot_of(fixture):
    return f"fixture-{fixture}"


def _run_file(instance, path, marks):
    print(f"# {path.relative_to(ROOT)}", flush=True)
    # The tests and their helpers go in each time: they are newer than the snapshot.
    instance.push(ROOT / "tests", IN_GUEST)
    kind = "fixture-" if path.parent == FIXTURES else ""
    log = LOGS / f"{kind}{path.stem}.log"
    with step(path.name):
        tap, status = _follow(instance, path, marks.seconds, log)
    tally, complaint = tap.tally, tap.complaint(status)
    if complaint:
        print(f"not ok - {path.name}: {complaint}", flush=True)
        tally.failed += 1
    if tally.failed:
        _show_failure(instance, log)
    return tally


def _follow(instance, path, seconds, log):
    """Run a file in the guest; its TAP is shown as it comes, all goes to the log."""
    command = instance.remote(["bash", f"{IN_GUEST}/{path.relative_to(ROOT / 'tests')}"], seconds)
    tap = Tap()
    started = time.monotonic()
    with open(log, "w") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        # The guest's own clock ends the file; this is for a guest that hangs.
        watchdog = threading.Timer(seconds + 30, process.kill)
        watchdog.start()
        try:
            for line in process.stdout:
                output.write(f"{time.monotonic() - started:6.1f} {line}")
                output.flush()
                if tap.take(line):
                    print(f"  {line}", end="", flush=True)
        finally:
            watchdog.cancel()
            process.kill()
            status = process.wait()
    return tap, status


def _show_failure(instance, log):
    say(f"--- {log.relative_to(ROOT)}, last {TAIL_LINES} lines ---")
    say("\n".join(log.read_text(errors="replace").splitlines()[-TAIL_LINES:]))
    say("--- console ---")
    say(instance.console_tail())
    say("--- journal ---")
    try:
        say(instance.output("journalctl", "-b", "-n", "80", "--no-pager"))
    except GuestError as failure:
        say(f"({failure})")
