"""Asked turns: a turn that a real model answers, beside the client of OpenAI that asks the same by itself.

The provider answers at once and from another process, so what is compared is all that is not the model: the
client, the port around it, and the workflow, its log and its audience around that.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from bench.asking import Opened, Turns, bare, port
from bench.plan import Plan
from bench.provider import PIECES, provider, used
from bench.rounds import Contender, Sample, Series, Stopwatch, in_rounds
from bench.row import Row, at_most, duration, times
from bench.steps import SEQUENCE, Durability, measured, run
from quintet.engine.performing import unheard

REACH = {"normal": 1.5, "full": 2.0}


def measure(plan: Plan) -> Row:
    turns = plan.count(200)
    with provider() as url:
        contenders: dict[str, Contender] = {
            "the client of OpenAI alone": partial(_asked, bare, url, turns),
            "our port alone": partial(_asked, port, url, turns),
            "a turn, `normal`": partial(_turns, plan, url, "normal", turns),
            "a turn, `full`": partial(_turns, plan, url, "full", turns),
            "a step of the core, `normal`": partial(_steps, plan, "normal", turns),
            "a step of the core, `full`": partial(_steps, plan, "full", turns),
        }
        _asked(port, url, 2)  # what is imported is imported
        series = tuple(in_rounds(plan.rounds, "turn", contenders).values())
        each = _provided(url, turns)
    client, _, normal, full, *_ = series
    claims = tuple(
        at_most(
            f"the client alone, `{level}` ({duration(ours.wall)} to {duration(client.wall)})", ratio, most
        )
        for (level, most), ours in zip(REACH.items(), (normal, full), strict=True)
        for ratio in (ours.over(client),)
    )
    provided = (
        f"An answer is {len(PIECES)} pieces. The provider runs beside us and takes {duration(each)} of"
        " processor time for one."
    )
    return Row("asked", "a turn of a real model, of 200", claims, series, (provided, _prose(*series)))


def _prose(client: Series, ported: Series, normal: Series, full: Series, *steps: Series) -> str:
    """In processor time, as far as nothing waits."""
    step, kept = steps
    return (
        f"A turn with `normal` is {duration(normal.cpu)} of processor time,"
        f" {times(normal.work_over(client))} that of the client. The client has {duration(client.cpu)} of it."
        f" The port takes {duration(ported.cpu - client.cpu)} more, which is what pydantic-ai adds to every"
        f" request and to every piece: {times(ported.work_over(client))} the client before anything is kept."
        f" A durable step of the core takes {duration(step.cpu)}; the rest of a turn,"
        f" {duration(normal.cpu - ported.cpu - step.cpu)}, is the workflow: its prompt, its scopes and its"
        " notes, the conversation, whom to ask, the check and the price of the answer, and whoever looks on."
        f" With `full` a commit waits for the disk: a turn takes {duration(full.wall)} instead of"
        f" {duration(normal.wall)}, a step of the core {duration(kept.wall)} instead of"
        f" {duration(step.wall)}."
    )


def _asked(opened: Opened, url: str, turns: int) -> Sample:
    async def timed() -> Sample:
        async with opened(url) as once:
            await once(unheard)  # now there is a connection
            watch = Stopwatch()
            for _ in range(turns):
                await once(unheard)
            return watch.per(turns)

    return asyncio.run(timed())


def _turns(plan: Plan, url: str, durability: Durability, turns: int) -> Sample:
    async def timed(place: Path) -> Sample:
        async with Turns.open(url, place, durability) as workflow:
            await workflow.run(3)  # whatever is done once is done
            watch = Stopwatch()
            await workflow.run(turns)
            return watch.per(turns)

    with plan.place() as place:
        return asyncio.run(timed(place))


def _steps(plan: Plan, durability: Durability, steps: int) -> Sample:
    return measured(plan, durability, steps, lambda host: run(host, SEQUENCE, steps))


def _provided(url: str, turns: int) -> float:
    """What the provider takes for an answer."""
    before = used(url)
    _asked(bare, url, turns)
    return (used(url) - before) / (turns + 1)
