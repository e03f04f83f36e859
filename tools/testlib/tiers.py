"""The tiers of tests, fast ones first."""

from guestlib.console import step

from . import guest_tier, style
from .build import PLAIN, ROOT, SANITIZED, build, meson_tests
from .tally import Tally, tally_of_program


def unit(_patterns):
    """No root, no guest; once as it is shipped and once under the sanitizers."""
    build(PLAIN)
    tally = Tally()
    tally += run_suite(PLAIN, "unit")
    tally.count(report("clang-format", style.is_formatted()))
    tally.count(report("shellcheck", style.is_shell_clean()))
    build(SANITIZED)
    tally += run_suite(SANITIZED, "unit")
    tally.count(report("clang-tidy", style.is_tidy()))
    return tally


def bpf(_patterns):
    """The BPF programs on this machine's own kernel, in a cgroup of the test's."""
    build(PLAIN)
    return run_suite(PLAIN, "bpf")


def guest(patterns):
    """The installed product in a real systemd."""
    build(PLAIN)
    return guest_tier.run_files(ROOT / "tests/guest", patterns)


def soak(patterns):
    """Long runs in the guest; only when asked for."""
    build(PLAIN)
    return guest_tier.run_files(ROOT / "tests/soak", patterns)


ALL = {"unit": unit, "bpf": bpf, "guest": guest, "soak": soak}
TAKE_PATTERNS = ("guest", "soak")


def has_bpf_programs():
    return any((ROOT / "bpf").glob("*.bpf.c"))


def report(name, good):
    print(f"{'ok' if good else 'not ok'} - {name}", flush=True)
    return good


def run_suite(directory, suite):
    total = Tally()
    with step(f"Running suite {suite} of {directory.name}"):
        for name, output, status in meson_tests(directory, suite):
            tally = tally_of_program(output, status)
            if tally.failed:
                print(output)
            report(f"{directory.name}: {name}: {tally}", tally.failed == 0)
            total += tally
    return total
