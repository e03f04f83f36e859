"""The build directories of the tests."""

import json
import os
import pathlib

from guestlib.command import run
from guestlib.console import GuestError, step
from guestlib.image import CACHE

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLAIN = ROOT / "build"
SANITIZED = ROOT / "build-asan"

OPTIONS = {
    PLAIN: [],
    # g++ 12 takes std::regex for uninitialized when it is sanitized; the plain build still warns.
    SANITIZED: [
        "-Db_sanitize=address,undefined",
        "-Doptimization=1",
        "-Dcpp_args=-Wno-maybe-uninitialized",
    ],
}

# Without these, undefined behaviour is printed and the test still passes.
SANITIZER_ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}


# meson compiles by ccache where there is one. Checkouts in other directories share what it has:
# only the debugging information tells them apart.
CCACHE_ENVIRONMENT = {
    "CCACHE_DIR": str(CACHE / "ccache"),
    "CCACHE_BASEDIR": str(ROOT),
    "CCACHE_NOHASHDIR": "1",
}


def build(directory):
    """Configure a build directory, if need be, and bring it up to date."""
    environment = {**os.environ, **(CCACHE_ENVIRONMENT if os.geteuid() == 0 else {})}
    with step(f"Building {directory.name}"):
        if not (directory / "build.ninja").exists():
            options = ["--buildtype=debugoptimized", "-Dwerror=true", *OPTIONS[directory]]
            run("meson", "setup", *options, directory, ROOT, env=environment)
        run("ninja", "-C", directory, env=environment)


def meson_tests(directory, suite):
    """Run a suite; yields (name, output, status) of each of its programs."""
    log = directory / "meson-logs/testlog.json"
    log.unlink(missing_ok=True)
    output = run(
        *("meson", "test", "-C", directory, "--no-rebuild", "--suite", suite),
        check=False,  # the log has the results
        env={**os.environ, **SANITIZER_ENVIRONMENT},
    )
    results = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    if not results:
        raise GuestError(f"meson ran no test of suite {suite}:\n{output}")
    for result in results:
        output = result.get("stdout", "") + result.get("stderr", "")
        # A timeout or a signal has no exit status that says so.
        good = result["result"] == "OK"
        yield result["name"], output, 0 if good else result["returncode"] or 1


def staged(target):
    """Install the product into a directory, as a package would."""
    with step("Installing into a staging tree"):
        options = ["--no-rebuild", "--quiet", "--strip", "--destdir", target]
        run("meson", "install", "-C", PLAIN, *options)
