"""Repeats: what a run that goes on asks once more, because nobody knows how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quintet.cli.screen import say
from quintet.engine.paths import display, without_attempts
from quintet.problems.wording import counted, visible

if TYPE_CHECKING:
    from quintet.runs.workshop import Workshop


async def say_repeats(workshop: Workshop, run_id: str) -> None:
    """Which requests to models were under way, may have been paid, and are made again.

    To be said before the run is taken up.  Stand-ins cost nothing.
    """
    pinned = await workshop.pinned(run_id)
    row = await workshop.store.run(run_id)
    if pinned is None or pinned.is_offline or row.shown != "interrupted":
        return
    starts = await workshop.store.unfinished(run_id)
    cut = [event.path for event in starts if event.kind == "model.requested"]
    if cut:
        steps = ", ".join(dict.fromkeys(display(without_attempts(path[:-1])) for path in cut))
        were = "were" if len(cut) > 1 else "was"
        again = "they are" if len(cut) > 1 else "it is"
        say(
            f"{counted(len(cut), 'request')} to a model {were} under way when the run stopped, and may have"
            f" been paid; {again} made again: {visible(steps)}"
        )
