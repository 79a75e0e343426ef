"""Trouble: what stands in the way of a verb that works on runs, and what to do about it.

with plainly(place):
    live = await workshop.resume(run_id)
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from quintet.cli.refusal import Refusal
from quintet.problems.wording import visible, visible_lines

if TYPE_CHECKING:
    from quintet.cli.stores import Place
    from quintet.display.commands import Commands
    from quintet.engine.failures import EngineError


@contextmanager
def plainly(place: Place, run_id: str = "") -> Generator[None]:
    """Whatever the engine or the store refuses is told in plain words; nothing has been run then."""
    from quintet.engine.failures import EngineError

    try:
        yield
    except EngineError as error:
        raise refusal(error, place, run_id) from error


def refusal(error: EngineError, place: Place, run_id: str = "") -> Refusal:
    """An error before anything was run."""
    return Refusal(told(error, run_id), ways(error) or hint(error, place, run_id))


def told(error: EngineError, run_id: str) -> str:
    """What is wrong."""
    if error.code == "run-ended":
        ended = _ENDED.get(getattr(error, "status", ""), "has ended")
        return f"run {visible(run_id)} {ended}: it cannot go on"
    return visible_lines(getattr(error, "message", str(error)))


def hint(error: EngineError, place: Place, run_id: str) -> str:
    """The command to go on with; nothing where none helps."""
    from quintet.display.commands import Commands

    make = _HINTS.get(error.code)
    return make(Commands(run_id, place.told), error) if make is not None else ""


def ways(error: EngineError) -> str:
    """What may be done about it, a line each."""
    return "\n".join(visible(way) for way in getattr(error, "ways", ()))


_ENDED = {"completed": "is completed", "failed": "has failed", "cancelled": "was cancelled"}
_Hint = Callable[["Commands", "EngineError"], str]


def _ended(commands: Commands, error: EngineError) -> str:
    fork = commands.to("fork", "--at", "STEP")
    return f"{commands.to('retry')}   or: {fork}" if getattr(error, "status", "") == "failed" else fork


_HINTS: dict[str, _Hint] = {
    "run-ended": _ended,
    "held": lambda commands, error: commands.to("show", "--follow"),
    "lease-lost": lambda commands, error: commands.to("show", "--follow"),
    "no-such-run": lambda commands, error: "quintet runs",
    "run-exists": lambda commands, error: "choose another --run-id, or leave it out",
    "several-questions": lambda commands, error: commands.to("answer", "--question", "PATH"),
    "not-asked": lambda commands, error: "quintet inbox",
    "already-decided": lambda commands, error: commands.to("show"),
    "not-recorded": lambda commands, error: commands.to("resume", "--fake", "FILE"),
    "no-cassette": lambda commands, error: commands.to("export", "--as", "cassette", "-o", "FILE"),
    "diverged": lambda commands, error: commands.to("fork", "--at", "STEP"),
}
