"""Test files that run inside the guest, each from the same fresh state."""

import os
import re
import shutil
import subprocess
import threading

from guestlib import instance as instances
from guestlib.console import GuestError, say, step

from .build import PLAIN, ROOT, staged
from .tally import Tally, Tap

LOGS = PLAIN / "test-logs"
IN_GUEST = "/root/tests"
PRODUCT = "product"
FILE_SECONDS = 300
FILE_SECONDS_MARK = re.compile(r"^# timeout: (\d+)$", re.MULTILINE)
TAIL_LINES = 60


def run_files(folder, patterns):
    files = _chosen(folder, patterns)
    LOGS.mkdir(parents=True, exist_ok=True)
    total = Tally()
    instance = instances.start(f"test-{os.getpid()}")
    try:
        install_product(instance)
        instance.snapshot(PRODUCT)
        for path in files:
            total += _run_file(instance, path)
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


def _run_file(instance, path):
    print(f"# {path.relative_to(ROOT)}", flush=True)
    # The tests and their helpers go in each time: they are newer than the snapshot.
    instance.restore(PRODUCT)
    instance.push(ROOT / "tests", IN_GUEST)
    log = LOGS / f"{path.stem}.log"
    with step(path.name):
        tap, status = _follow(instance, path, log)
    tally, complaint = tap.tally, tap.complaint(status)
    if complaint:
        print(f"not ok - {path.name}: {complaint}", flush=True)
        tally.failed += 1
    if tally.failed:
        _show_failure(instance, log)
    return tally


def _follow(instance, path, log):
    """Run a file in the guest; its TAP is shown as it comes, all goes to the log."""
    mark = FILE_SECONDS_MARK.search(path.read_text())
    seconds = int(mark[1]) if mark else FILE_SECONDS
    command = instance.remote(["bash", f"{IN_GUEST}/{path.relative_to(ROOT / 'tests')}"], seconds)
    tap = Tap()
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
                output.write(line)
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
