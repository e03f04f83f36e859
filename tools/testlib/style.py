"""clang-format and clang-tidy over the C and C++ sources, shellcheck over the scripts."""

import concurrent.futures
import contextlib
import hashlib
import json
import os
import pathlib
import re
import subprocess
import threading
import time

from guestlib.console import say, step
from guestlib.image import CACHE

from .build import PLAIN, ROOT

FOLDERS = ("src", "bpf", "tests", "bench")
SCRIPT_FOLDERS = (".ci", "tests", "tools")
SHELL = re.compile(rb"#!.*\b(ba)?sh$", re.MULTILINE)
SUFFIXES = (".c", ".h", ".cpp", ".hpp")
KEPT_SECONDS = 60 * 24 * 3600


def sources():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                yield path


def is_formatted():
    with step("Checking the format"):
        done = subprocess.run(["clang-format", "--dry-run", "-Werror", *sources()], check=False)
    return done.returncode == 0


def scripts():
    """The files of ours that are for sh or bash, by their suffix or their first line."""
    for folder in SCRIPT_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".sh", ".bash"):
                yield path
            elif path.is_file() and not path.suffix:
                with open(path, "rb") as script:
                    if SHELL.match(script.readline(100)):
                        yield path


def is_shell_clean():
    with step("Running shellcheck"):
        done = subprocess.run(["shellcheck", "--external-sources", *scripts()], check=False)
    return done.returncode == 0


class TidyCache:
    """Which sources passed clang-tidy: hashes of all that each is made of.

    clang-tidy takes longer than everything else together, so a source is looked
    at again only when it, a header of ours that it includes, or the rules changed.
    Where the checkout is does not count.
    """

    PATH = CACHE / "tidy-passed.json"

    def __init__(self):
        version = subprocess.run(["clang-tidy", "--version"], capture_output=True, check=True)
        self._rules = hashlib.sha256(version.stdout + (ROOT / ".clang-tidy").read_bytes())
        self._headers = _included_headers()
        self._lock = threading.Lock()
        try:
            self._passed = json.loads(self.PATH.read_text())
        except (OSError, ValueError):
            self._passed = {}

    def _state_of(self, unit):
        state = self._rules.copy()
        state.update(unit["command"].removeprefix("ccache ").encode())
        for path in [unit["file"], *self._headers.get(unit["output"], [])]:
            state.update(_resolved(path).read_bytes())
        return state.hexdigest()

    def has_passed(self, unit):
        return self._state_of(unit) in self._passed

    def passed(self, unit):
        """Remember it, as long as two months, if there is a place to."""
        now = int(time.time())
        with self._lock, contextlib.suppress(OSError):
            self._passed[self._state_of(unit)] = now
            kept = {key: day for key, day in self._passed.items() if day > now - KEPT_SECONDS}
            self.PATH.parent.mkdir(parents=True, exist_ok=True)
            self.PATH.write_text(json.dumps(kept, indent=1))


def _resolved(path):
    return pathlib.Path(os.path.normpath(PLAIN / path))


def _included_headers():
    """For each object file, the headers of ours it was compiled with."""
    output = subprocess.run(
        ["ninja", "-C", PLAIN, "-t", "deps"], capture_output=True, text=True, check=True
    ).stdout
    headers, current = {}, None
    for line in output.splitlines():
        if not line.startswith(" "):
            current = headers.setdefault(line.split(": #deps")[0], [])
        elif (path := _resolved(line.strip())).is_relative_to(ROOT) and path.exists():
            current.append(path)
    return headers


def _tidy(unit):
    # The compile commands are g++'s: warnings that clang lacks are no finding.
    options = ["--quiet", "-p", PLAIN, "--extra-arg=-Wno-unknown-warning-option"]
    done = subprocess.run(
        ["clang-tidy", *options, unit["file"]],
        cwd=PLAIN,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode != 0:
        say(done.stdout or done.stderr)
    return done.returncode == 0


def is_tidy():
    units = json.loads((PLAIN / "compile_commands.json").read_text())
    cache = TidyCache()
    stale = [unit for unit in units if not cache.has_passed(unit)]
    good = True
    with step(f"Running clang-tidy on {len(stale)} of {len(units)} sources"):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for unit, passed in zip(stale, pool.map(_tidy, stale)):
                if passed:
                    cache.passed(unit)
                good = good and passed
    return good
