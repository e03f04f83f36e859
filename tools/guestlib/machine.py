"""QEMU: how the guest's machine is put together, started, and talked to."""

import ctypes
import json
import os
import pathlib
import re
import select
import signal
import socket
import subprocess
import time
from dataclasses import dataclass

from .command import run
from .console import GuestError, step
from .image import CACHE

QEMU = "qemu-system-x86_64"
CPUS = 2
KVM_PROBE_SECONDS = 5

KERNEL_ARGUMENTS = " ".join(
    (
        "root=/dev/vda rw console=ttyS0 net.ifnames=0 fsck.mode=skip",
        "systemd.unified_cgroup_hierarchy=1 psi=1 systemd.firstboot=off",
        "lsm=landlock,lockdown,yama,integrity,apparmor,bpf",
        # Not a test of CPU bugs, and each mitigation costs time under emulation.
        "mitigations=off loglevel=6",
    )
)

ACCELERATORS = {
    "kvm": ["-accel", "kvm", "-cpu", "host"],
    "tcg": ["-accel", "tcg,thread=multi", "-cpu", "max"],
}


@dataclass(frozen=True)
class Forward:
    """A loopback port of the host that leads to a port of the guest (0: any)."""

    host: int
    guest: int

    @classmethod
    def parse(cls, text):
        match = re.fullmatch(r"(\d+):(\d+)", text)
        if not match:
            raise ValueError(text)
        return cls(int(match[1]), int(match[2]))


def hardware(memory_mib, accelerator):
    """The options that decide whether a saved state fits a machine."""
    return [
        *("-machine", "q35", *ACCELERATORS[accelerator]),
        *("-smp", str(CPUS), "-m", f"{memory_mib}M"),
        *("-nodefaults", "-no-user-config", "-display", "none"),
        *("-device", "virtio-rng-pci"),
    ]


def command(image, directory, disk, memory_mib, accelerator, forwards, incoming=None):
    """The whole command line of a guest that lives in `directory`."""
    # restrict: the guest reaches nothing outside; only forwarded ports lead in.
    network = "user,id=net0,restrict=on"
    for forward in forwards:
        network += f",hostfwd=tcp:127.0.0.1:{forward.host}-:{forward.guest}"
    words = [
        *(QEMU, *hardware(memory_mib, accelerator)),
        *("-kernel", image.kernel, "-initrd", image.initrd, "-append", KERNEL_ARGUMENTS),
        # cache=unsafe: a disk that is thrown away need not survive a power cut.
        *("-drive", f"file={disk},if=virtio,format=qcow2,cache=unsafe,discard=unmap"),
        *("-netdev", network, "-device", "virtio-net-pci,netdev=net0"),
        *("-serial", f"file:{directory / 'console.log'}"),
        *("-qmp", f"unix:{directory / 'qmp.sock'},server=on,wait=off"),
        *("-pidfile", directory / "qemu.pid"),
    ]
    if incoming:
        words += ["-incoming", f"exec:cat '{incoming}'"]
    return [str(word) for word in words]


def die_with_parent():
    """For a child: be killed when the tool that started it is gone, however."""
    pr_set_pdeathsig = 1
    ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def launch(words, log, keep_fd=None, tied=True):
    """Start QEMU; `tied` guests die with this process, others outlive it."""
    return subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        pass_fds=() if keep_fd is None else (keep_fd,),
        # Out of the terminal's process group: Ctrl-C is for the tool to handle.
        start_new_session=True,
        preexec_fn=die_with_parent if tied else None,
    )


def overlay(backing, target):
    run("qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", backing, target)


def version():
    return run(QEMU, "--version").splitlines()[0]


class Monitor:
    """A connection to QEMU's control socket (QMP)."""

    def __init__(self, path, timeout=120):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(timeout)
        self._socket.connect(str(path))
        self._stream = self._socket.makefile("rw")
        self._read()  # greeting
        self.execute("qmp_capabilities")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # Both: the stream alone would keep the connection, and QEMU takes one.
        self._stream.close()
        self._socket.close()

    def _read(self):
        line = self._stream.readline()
        if not line:
            raise GuestError("QEMU closed its control socket")
        return json.loads(line)

    def execute(self, name, **arguments):
        json.dump({"execute": name, "arguments": arguments}, self._stream)
        self._stream.write("\n")
        self._stream.flush()
        while True:
            reply = self._read()
            if "error" in reply:
                raise GuestError(f"QEMU refused {name}: {reply['error']['desc']}")
            if "return" in reply:
                return reply["return"]

    def human(self, line):
        """A command of the human monitor, which QMP has no quick form of."""
        return self.execute("human-monitor-command", **{"command-line": line}).strip()

    def forwarded_port(self, guest_port):
        """The host's port that leads to a port of the guest."""
        row = re.compile(rf"TCP\[HOST_FORWARD\]\s+\d+\s+\S+\s+(\d+)\s+\S+\s+{guest_port}\b")
        match = row.search(self.human("info usernet"))
        if not match:
            raise GuestError(f"QEMU forwards no port to the guest's port {guest_port}")
        return int(match[1])

    def save_state(self, path):
        """Write the machine's state to a file; the guest stands still after."""
        self.execute("stop")
        self.execute("migrate-set-parameters", **{"max-bandwidth": 1 << 40})
        self.execute("migrate", uri=f"exec:cat >'{path}'")
        while True:
            info = self.execute("query-migrate")
            if info["status"] == "completed":
                return
            if info["status"] in ("failed", "cancelled"):
                raise GuestError(f"Saving the guest's state failed: {info.get('error-desc')}")
            time.sleep(0.05)

    def resume_loaded(self):
        """Let the guest run on once QEMU has read its state."""
        while self.execute("query-status")["status"] == "inmigrate":
            time.sleep(0.05)
        self.execute("cont")


def accelerator(image):
    """KVM when a guest really runs under it here, else emulation.

    /dev/kvm can be there and be no use, so a kernel has to print something.
    """
    boot_id = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    cached = CACHE / f"accelerator-{boot_id}"
    if not cached.exists():
        with step(f"Probing KVM for at most {KVM_PROBE_SECONDS} s"):
            found = "kvm" if _kvm_boots(image) else "tcg"
        for old in CACHE.glob("accelerator-*"):
            old.unlink()
        cached.write_text(found)
    return cached.read_text()


def _kvm_boots(image):
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return False
    probe = subprocess.Popen(
        [
            *(QEMU, *hardware(512, "kvm"), "-no-reboot", "-serial", "stdio"),
            *("-kernel", str(image.kernel), "-append", "console=ttyS0 earlyprintk=ttyS0"),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=die_with_parent,
    )
    try:
        return _prints(probe.stdout, b"Linux version", KVM_PROBE_SECONDS)
    finally:
        probe.kill()
        probe.wait()


def _prints(stream, wanted, seconds):
    deadline = time.monotonic() + seconds
    seen = b""
    while (left := deadline - time.monotonic()) > 0:
        if select.select([stream], [], [], left)[0]:
            chunk = os.read(stream.fileno(), 4096)
            if not chunk:
                return False
            seen += chunk
            if wanted in seen:
                return True
    return False
