"""What the tools say while they work: steps with their time, and errors."""

import contextlib
import itertools
import signal
import sys
import threading
import time


class GuestError(Exception):
    """A failure to be told to the user as it is, without a traceback."""


def say(message):
    print(message, file=sys.stderr, flush=True)


@contextlib.contextmanager
def step(title):
    """Announce a step, show (less and less often) that it is alive, say how long it took."""
    started = time.monotonic()
    finished = threading.Event()

    def elapsed():
        return f"{time.monotonic() - started:.1f} s"

    def beat():
        for seconds in itertools.chain((5, 10, 15), itertools.repeat(30)):
            if finished.wait(seconds):
                return
            say(f"    {title} ... {elapsed()}")

    say(f"==> {title}")
    watcher = threading.Thread(target=beat, daemon=True)
    watcher.start()
    outcome = "failed after"
    try:
        yield
        outcome = "took"
    finally:
        finished.set()
        watcher.join()
        say(f"    {title} {outcome} {elapsed()}")


def exit_on_signals():
    """Turn the deadly signals into SystemExit, so that every cleanup runs."""

    def leave(number, _frame):
        # A second signal must not interrupt the cleanup of the first.
        for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(other, signal.SIG_IGN)
        raise SystemExit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
