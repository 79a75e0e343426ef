"""Holders: which process works on a run, and whether it is still there.

A process on this machine is known by the boot of the machine, its pid namespace, its pid and the moment it
started; so a pid that was given to another program is not mistaken for it.
"""

from __future__ import annotations

import os
import socket
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that can hold runs."""

    id: str
    host: str
    boot: str
    namespace: str
    pid: int
    started: str

    def describe(self) -> str:
        return f"process {self.pid} on {self.host}"

    def is_local(self, here: Holder) -> bool:
        """Whether its process can be looked up from `here`: not if the system keeps its start a secret."""
        same = (self.host, self.boot, self.namespace) == (here.host, here.boot, here.namespace)
        return same and bool(self.started)

    def is_gone(self, here: Holder) -> bool:
        """Whether its process is known to have ended.  Says no where that cannot be known from here."""
        if self.host == here.host and self.boot and here.boot and self.boot != here.boot:
            return True  # the machine has been started anew since
        return self.is_local(here) and started_at(self.pid) != self.started

    def is_at_work(self, here: Holder, *, silent: float, patience: float) -> bool:
        """Whether it still works, for all that is known here, after so many seconds without a sign of life.

        A process that can be looked up is believed for as long as it is there, however silent it is.
        """
        return not self.is_gone(here) and (self.is_local(here) or silent <= patience)

    def to_json(self) -> dict[str, str | int]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> Holder:
        return cls(**data)


def this_process() -> Holder:
    """The holder that stands for this process; a new one at each call."""
    return Holder(
        id=uuid.uuid4().hex,
        host=socket.gethostname(),
        boot=_read("/proc/sys/kernel/random/boot_id"),
        namespace=_link("/proc/self/ns/pid"),
        pid=os.getpid(),
        started=started_at(os.getpid()),
    )


def started_at(pid: int) -> str:
    """When a process of this machine started, in the kernel's own clock; empty if there is none."""
    stat = _read(f"/proc/{pid}/stat")
    fields = stat.rpartition(")")[2].split()
    if not fields or fields[0] in "ZXx":  # a zombie works on nothing
        return ""
    return fields[19]


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _link(path: str) -> str:
    try:
        return str(Path(path).readlink())
    except OSError:
        return ""
