"""Known runs: what a shell completes for RUN, and for a step of one.

Whatever goes wrong there, nothing is completed: a shell asks in the middle of a line.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

import click
from click.shell_completion import CompletionItem

from quintet.cli.stores import place_of

if TYPE_CHECKING:
    from quintet.runs.workshop import Workshop
    from quintet.store.port import RunRow

T = TypeVar("T")

_MOST: Final = 200
_WANTED: Final[Mapping[str, frozenset[str]]] = {
    "resume": frozenset({"interrupted", "paused"}),
    "retry": frozenset({"failed"}),
    "answer": frozenset({"paused"}),
    "cancel": frozenset({"created", "running", "paused", "interrupted"}),
}
"""The statuses that a verb can do something with; one that is not listed takes any run."""


def complete_runs(
    context: click.Context, argument: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """The newest runs that the verb can do something with."""
    wanted = _WANTED.get(context.info_name or "")
    return [
        CompletionItem(row.id, help=f"{row.shown} {row.workflow}")
        for row in _looked(context, _newest, [])
        if row.id.startswith(incomplete) and (wanted is None or row.shown in wanted)
    ]


def complete_steps(
    context: click.Context, option: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """The steps of the run that the line names already."""
    run_id = context.params.get("run_id") or next(iter(context.args), "")  # the line ends in the option
    if not run_id:
        return []

    async def paths(workshop: Workshop) -> list[str]:
        from quintet.cli.run_ids import full_id

        run = await workshop.run(await full_id(workshop, run_id))
        return [step.path for step in run.steps if step.kind == "agent"]

    return [CompletionItem(path) for path in _looked(context, paths, []) if path.startswith(incomplete)]


async def _newest(workshop: Workshop) -> Sequence[RunRow]:
    from quintet.store.port import RunFilter

    return await workshop.runs(RunFilter(limit=_MOST))


def _looked(context: click.Context, look: Callable[[Workshop], Awaitable[T]], nothing: T) -> T:
    import asyncio

    async def seen() -> T:
        async with place.open_kept() as workshop:
            return await look(workshop)

    try:
        place = place_of(context.params.get("store"))
        return asyncio.run(seen())
    except Exception:  # a refusal, a store that is damaged: no shell wants to hear of it
        return nothing
