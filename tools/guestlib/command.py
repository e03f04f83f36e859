"""Running a tool of this machine, whose output is worth reading only when it fails."""

import subprocess

from .console import GuestError

TAIL_LINES = 200


def run(*command, check=True, **options):
    """Run a tool to its end; returns what it printed. With `check` a failure is a GuestError."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        **options,
    )
    if check and done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-TAIL_LINES:])
        raise GuestError(f"{words[0]} failed with status {done.returncode}:\n{tail}")
    return done.stdout
