"""Counting results; reading what doctest and TAP producers print."""

import re
from dataclasses import dataclass, field

DOCTEST = re.compile(r"^\[doctest\] test cases:.*?(\d+) passed \|\s*(\d+) failed", re.MULTILINE)
TAP_RESULT = re.compile(r"^(not )?ok\b(.*)")
TAP_PLAN = re.compile(r"^1\.\.(\d+)\s*$")
TAP_SKIP = re.compile(r"#\s*skip", re.IGNORECASE)


@dataclass
class Tally:
    passed: int = 0
    failed: int = 0

    def __iadd__(self, other):
        self.passed += other.passed
        self.failed += other.failed
        return self

    def count(self, good):
        if good:
            self.passed += 1
        else:
            self.failed += 1

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed"


@dataclass
class Tap:
    """The results of one TAP producer, line by line."""

    tally: Tally = field(default_factory=Tally)
    plan: int | None = None

    def take(self, line):
        """Count a line; true when it is one that a reader wants to see."""
        if plan := TAP_PLAN.match(line):
            self.plan = int(plan[1])
            return True
        if result := TAP_RESULT.match(line):
            # What did not run has not passed.
            self.tally.count(not result[1] and not TAP_SKIP.search(result[2]))
            return True
        return line.startswith("#")

    def complaint(self, status):
        """Why the file as a whole cannot be trusted, or None."""
        ran = self.tally.passed + self.tally.failed
        if status == 124:
            return "it was not done in time"
        if ran == 0:
            return f"it ran no test (exit status {status})"
        if self.plan is None:
            return f"it ended without a plan (exit status {status})"
        if self.plan != ran:
            return f"it planned {self.plan} tests and ran {ran}"
        if status != 0 and self.tally.failed == 0:
            return f"no test failed, but its exit status is {status}"
        return None


def tally_of_program(output, status):
    """Count what a test program of the unit tier reports."""
    tally = Tally()
    for passed, failed in DOCTEST.findall(output):
        tally += Tally(int(passed), int(failed))
    tap = Tap()
    for line in output.splitlines():
        tap.take(line)
    tally += tap.tally
    if tally == Tally():
        tally.count(status == 0)
    elif status != 0 and tally.failed == 0:
        # A crash or a sanitizer's report after the last test case.
        tally.failed += 1
    return tally
