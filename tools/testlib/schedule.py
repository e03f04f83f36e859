"""Jobs run side by side, those that others wait for first, and how long each took."""

import json
import os
import pathlib
import threading
import time
import traceback
from dataclasses import dataclass

from guestlib.console import GuestError
from guestlib.image import CACHE

from .build import ROOT
from .tally import Tally

# One guest keeps little more than a core busy, since most test files wait as often as they work.
LANES = max(1, min(2, os.cpu_count() or 1))
# Of a job that has not been timed yet, in seconds.
UNKNOWN = 60


@dataclass(frozen=True)
class Job:
    path: pathlib.Path
    needs: pathlib.Path | None = None  # the job that has to pass before

    @property
    def name(self):
        return str(self.path.relative_to(ROOT / "tests"))


class Schedule:
    """Which job is next. A job becomes ready when the one that it needs has passed."""

    def __init__(self, jobs, seconds):
        self._waiting = sorted(jobs, key=lambda job: self._rank(job, jobs, seconds))
        self._ended = {}  # path to whether it passed
        self._change = threading.Condition()

    @staticmethod
    def _rank(job, jobs, seconds):
        wanted = any(other.needs == job.path for other in jobs)
        return (not wanted, -seconds.get(job.name, UNKNOWN), job.name)

    def take(self):
        """The next job and whether it can run; waits for one. None at the end."""
        with self._change:
            while self._waiting:
                for job in self._waiting:
                    if job.needs is None or job.needs in self._ended:
                        self._waiting.remove(job)
                        return job, self._ended.get(job.needs, True)
                self._change.wait()
            return None, False

    def end(self, job, passed):
        with self._change:
            self._ended[job.path] = passed
            self._change.notify_all()


class Results:
    """What the lanes bring in: counts, times, and one report printed at a time."""

    def __init__(self):
        self.total = Tally()
        self.seconds = {}
        self._lock = threading.Lock()

    def add(self, job, tally, lines, seconds):
        with self._lock:
            self.total += tally
            self.seconds[job.name] = seconds
            print("\n".join(lines), flush=True)


def run(jobs, run_job):
    """Run all jobs; run_job(job, lane) gives a Tally and the lines to print."""
    record = CACHE / "times.json"
    schedule = Schedule(jobs, _recorded(record))
    results = Results()
    # Daemons: the end of this program, by whatever signal, does not wait for them, and their
    # guests die with it.
    lanes = [
        threading.Thread(target=_work, args=(schedule, results, run_job, lane), daemon=True)
        for lane in range(LANES)
    ]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    record.write_text(json.dumps({**_recorded(record), **results.seconds}, indent=1))
    _print_times(results.seconds)
    return results.total


def _recorded(record):
    try:
        return json.loads(record.read_text())
    except (FileNotFoundError, ValueError):
        return {}


def _work(schedule, results, run_job, lane):
    while True:
        job, can_run = schedule.take()
        if job is None:
            return
        started = time.monotonic()
        tally, lines = _outcome(job, can_run, run_job, lane)
        results.add(job, tally, lines, time.monotonic() - started)
        schedule.end(job, can_run and tally.failed == 0)


def _outcome(job, can_run, run_job, lane):
    if not can_run:
        return Tally(failed=1), [f"not ok - {job.name}: its fixture {job.needs.stem} failed"]
    try:
        return run_job(job, lane)
    except GuestError as failure:
        return Tally(failed=1), [f"not ok - {job.name}: {failure}"]
    except Exception:  # a lane that dies would leave the others waiting for its job
        return Tally(failed=1), [f"not ok - {job.name}", traceback.format_exc()]


def _print_times(seconds):
    print(f"# {sum(seconds.values()):.0f} s in {LANES} lanes, slowest first:")
    for name, taken in sorted(seconds.items(), key=lambda item: -item[1]):
        print(f"# {taken:6.0f} s  {name}")
