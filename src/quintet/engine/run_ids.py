"""Run ids: what a run may be called.

Every message ends in a command with the id in it, so whoever chooses one has to be able to type it again.
"""

from __future__ import annotations

from typing import Final

from quintet.engine.failures import EngineError

LONGEST: Final = 200


class UnusableId(EngineError):
    """Nobody could type this id again."""

    code = "unusable-id"


def usable(run_id: str) -> str:
    """The id that somebody has chosen, if it can be one.  Raises UnusableId."""
    if not run_id.strip():
        raise UnusableId("the id of a run is empty")
    if len(run_id) > LONGEST:
        raise UnusableId(f"the id of a run has at most {LONGEST} characters, not {len(run_id):,}")
    if not run_id.isprintable():
        raise UnusableId("the id of a run has a character that cannot be seen")
    if run_id.startswith("-"):
        raise UnusableId("the id of a run begins with '-': commands would take it for an option")
    if run_id != run_id.strip():
        raise UnusableId("the id of a run begins or ends with a space")
    return run_id
