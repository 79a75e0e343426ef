"""Surroundings: on what a run of the benchmark was measured.  It names no path and no host."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

import apsw

from bench.peer import Peer

Surroundings: TypeAlias = dict[str, str]

_NO_DISK = ("tmpfs", "ramfs")


def look(folder: Path, peer: Peer | None) -> Surroundings:
    peers = (
        ", ".join(f"{name} {number}" for name, number in peer.versions.items()) if peer else "not installed"
    )
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {_memory()}",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "files": _filesystem(folder),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "Quintet": version("quintet"),
        "SQLite": f"{apsw.sqlite_lib_version()} (apsw {apsw.apsw_version()})",
        "peers": peers,
    }


def _processor() -> str:
    told = Path("/proc/cpuinfo")
    if told.exists():
        for line in told.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "processor unknown"


def _memory() -> str:
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return "memory unknown"
    return f"{size / 2**30:.0f} GB"


def _filesystem(folder: Path) -> str:
    """The kind of file system that the stores are on, from the mount that is nearest above them."""
    mounts = Path("/proc/self/mounts")
    if not mounts.exists():
        return "file system unknown"
    place, best, kind = str(folder.resolve()), "", "unknown"
    for line in mounts.read_text().splitlines():
        _, point, what, *_ = line.split()
        above = place == point or place.startswith(point.rstrip("/") + "/")
        if above and len(point) >= len(best):
            best, kind = point, what
    if kind in _NO_DISK:
        return f"{kind}: **this is memory, no disk; nothing measured as `full` means anything**"
    return f"{kind}, what lies below it is not known here" if kind == "overlay" else kind
