"""Test files that run inside guests, each from a state that was saved before."""

import os
import re
import shutil
import subprocess
import threading
import time
from dataclasses import dataclass, field

from guestlib import image as images
from guestlib import instance as instances
from guestlib.console import GuestError, step

from . import schedule
from .build import PLAIN, ROOT, staged
from .tally import Tally, Tap

LOGS = PLAIN / "test-logs"
IN_GUEST = "/root/tests"
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
    """Run the files, as many at once as there are guests that the machine bears."""
    jobs = _jobs(_chosen(folder, patterns))
    LOGS.mkdir(parents=True, exist_ok=True)
    with images.scratch("states") as directory:
        states = States(directory)
        states.make_product()
        return schedule.run(jobs, lambda job, lane: _run_job(job, lane, states))


def _chosen(folder, patterns):
    files = [path for path in sorted(folder.glob("*.sh")) if path.name != "lib.sh"]
    chosen = [
        path for path in files if not patterns or any(text in path.name for text in patterns)
    ]
    if not chosen:
        wanted = f" that match {' '.join(patterns)}" if patterns else ""
        raise GuestError(f"There are no test files{wanted} in {folder.relative_to(ROOT)}")
    return chosen


def _jobs(files):
    """The files and the fixtures that they start from; a fixture is a test file, too."""
    jobs = {}
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        fixture = Marks.of(path).fixture
        needed = FIXTURES / f"{fixture}.sh" if fixture else None
        jobs[path] = schedule.Job(path, needed)
        if needed and needed not in jobs:
            waiting.append(needed)
    return list(jobs.values())


class States:
    """The saved guests that test files start from: the installed product, and fixtures."""

    def __init__(self, directory):
        self._directory = directory
        self._image = images.build(instances.DEFAULT_SUITE)

    def make_product(self):
        instance = instances.start(f"product-{os.getpid()}")
        try:
            install_product(instance)
            instance.save_and_stop(self._directory / "product")
        finally:
            instance.stop()

    def start(self, fixture, lane):
        """A guest in the state that a fixture left, or with nothing but the product."""
        saved = self._directory / (fixture or "product")
        return instances.start_saved(f"test-{os.getpid()}-{lane}", self._image, saved)

    def save(self, instance, fixture):
        instance.save_and_stop(self._directory / fixture)


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


@dataclass
class Report:
    """What a file's run is told to a reader, in one piece when it is over."""

    lines: list = field(default_factory=list)

    def add(self, text):
        self.lines += text.splitlines()


def _run_job(job, lane, states):
    marks = Marks.of(job.path)
    report = Report([f"# {job.path.relative_to(ROOT)}"])
    instance = states.start(marks.fixture, lane)
    try:
        tally = _run_file(instance, job.path, marks, report)
        if job.path.parent == FIXTURES and tally.failed == 0:
            if marks.reboots:
                with step("Booting the guest again"):
                    instance.reboot()
            states.save(instance, job.path.stem)
    finally:
        instance.stop()
    return tally, report.lines


def _run_file(instance, path, marks, report):
    # The tests and their helpers go in each time: they are newer than the saved state.
    instance.push(ROOT / "tests", IN_GUEST)
    kind = "fixture-" if path.parent == FIXTURES else ""
    log = LOGS / f"{kind}{path.stem}.log"
    with step(path.name):
        tap, status = _follow(instance, path, marks.seconds, log, report)
    tally, complaint = tap.tally, tap.complaint(status)
    if complaint:
        report.add(f"not ok - {path.name}: {complaint}")
        tally.failed += 1
    if tally.failed:
        _add_failure(instance, log, report)
    return tally


def _follow(instance, path, seconds, log, report):
    """Run a file in the guest; its TAP is reported, all goes to the log as it comes."""
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
                    report.add(f"  {line}")
        finally:
            watchdog.cancel()
            process.kill()
            status = process.wait()
    return tap, status


def _add_failure(instance, log, report):
    report.add(f"--- {log.relative_to(ROOT)}, last {TAIL_LINES} lines ---")
    report.lines += log.read_text(errors="replace").splitlines()[-TAIL_LINES:]
    report.add("--- console ---")
    report.add(instance.console_tail())
    report.add("--- journal ---")
    try:
        report.add(instance.output("journalctl", "-b", "-n", "80", "--no-pager"))
    except GuestError as failure:
        report.add(f"({failure})")
