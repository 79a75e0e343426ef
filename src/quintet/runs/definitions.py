"""Definitions: the workflows that pinned texts define; a text is read once, by whoever comes first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from quintet.formats.invalid import InvalidFile
from quintet.formats.registry import load
from quintet.runs.pinned import Text
from quintet.workflow import Workflow


@dataclass(slots=True)
class _Read:
    """What a text was found to define."""

    workflow: Workflow | None = None


def workflow_of(text: Text, format: str, lenient: bool) -> Workflow:  # noqa: A002 - the word that users know
    """The workflow that a text defines.  Raises InvalidFile."""
    read = _read(text, format, lenient)
    if read.workflow is None:
        checked = load(text.text, text.path, format=format, lenient=lenient)
        if checked.workflow is None:
            raise InvalidFile(checked.problems)
        read.workflow = checked.workflow
    return read.workflow


def remember(workflow: Workflow, text: Text, lenient: bool) -> None:
    """A text has been read, and this is what it defines."""
    _read(text, workflow.format, lenient).workflow = workflow


@lru_cache(maxsize=64)
def _read(text: Text, format: str, lenient: bool) -> _Read:  # noqa: A002
    return _Read()
