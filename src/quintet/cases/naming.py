"""Naming: what belongs together by its names.

`review.json` is a workflow, `review.test.yaml` its tests, `review.script.yaml` and `review.cassette.yaml`
what may answer for its agents.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, TypeAlias

ENDINGS: Final = (".yaml", ".yml", ".json", ".jsonc")
Companion: TypeAlias = Literal["test", "script", "cassette"]
COMPANIONS: Final[tuple[Companion, ...]] = ("test", "script", "cassette")


def companion(path: Path) -> Companion | None:
    """What a file is beside a workflow; None for whatever else."""
    if path.suffix not in ENDINGS:
        return None
    return next((one for one in COMPANIONS if path.stem.endswith(f".{one}")), None)


def base(path: Path) -> Path:
    """The path without what comes behind the name that they share."""
    kind = companion(path)
    return path.with_name(path.stem.removesuffix(f".{kind}") if kind else path.stem)


def beside(path: Path, kind: Companion) -> Path | None:
    """The file of a kind that belongs to the same workflow."""
    return _first(path, f".{kind}")


def workflow_of(path: Path) -> Path | None:
    """The workflow that a file belongs to."""
    return _first(path, "")


def _first(path: Path, middle: str) -> Path | None:
    name = base(path)
    candidates = (name.with_name(f"{name.name}{middle}{ending}") for ending in ENDINGS)
    return next((one for one in candidates if one.is_file()), None)
