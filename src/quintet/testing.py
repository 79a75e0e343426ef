"""What workflows are tested with: a run in memory, in a world that you make up, by a clock that you set.

A workflow asks the world for everything it needs, so a test only has to say what the world gives.

>>> from quintet.engine.combinators import deadline
>>> from quintet.engine.programs import Program
>>> from quintet.engine.questions import Question
>>> from quintet.testing import NOBODY, Crash, Fault, Later, MemoryHost

>>> async def publish(ctx, text):
...     verdict = await ctx.model("read", f"Is this good? {text}")
...     await ctx.sleep("overnight", 8 * 3600)
...     allowed = await ctx.ask("allowed", Question("Publish it?"))
...     return {"verdict": verdict, "allowed": allowed, "at": ctx.now()}
>>> program = Program("publish", publish)

**A world** is a function that is given each call: it gives a value, raises `Failed`, or gives `Later`.
**A person** is one that is given each question and gate.  Nothing really waits: when all stand still, the
clock jumps to what comes next.

>>> host = MemoryHost(lambda call: Later(2.0, "yes"), person=lambda asked: True)
>>> report = host.run(program, "Once upon a time")
>>> report.status, report.output
('completed', {'verdict': 'yes', 'allowed': True, 'at': 28802.0})

Two runs of one program in one world are the same to the last event, so a test may compare whole logs.

>>> [event.kind for event in host.logs["run"].events if not event.kind.startswith("run.")][:3]
['model.requested', 'model.answered', 'timer.set']

**Time** is `host.now`, in seconds; set it between runs as you like.  A person who is `NOBODY` does not
answer: the run is paused, and somebody answers it a week later.

>>> host = MemoryHost(lambda call: "yes", person=lambda asked: NOBODY)
>>> [asked.target for asked in host.run(program, "Once upon a time").asked]
['allowed']
>>> host.now += 7 * 24 * 3600
>>> host.answer("run", program, "allowed", False).output
{'verdict': 'yes', 'allowed': False, 'at': 633600.0}

**A crash** is a `Fault` at one append of the host: before or after that was kept.  What was recorded is not
performed again.

>>> host = MemoryHost(lambda call: "yes", person=lambda asked: True, faults=[Fault("crash after", 2)])
>>> try:
...     host.run(program, "Once upon a time")
... except Crash as crash:
...     print(crash)
at append 2
>>> host.resume("run", program).status
'completed'
>>> [call.name for call in host.performed]
['read']

**A deadline** strikes by the same clock.  What comes of a touch that is `deaf`, because it does not hear that
it was cancelled, comes too late: it is recorded, and the program never sees it.

>>> async def hurry(ctx, text):
...     return await deadline(ctx, "limit", 5.0, lambda ctx: ctx.tool("print", text))
>>> host = MemoryHost(lambda call: Later(60.0, "printed", deaf=True))
>>> host.run(Program("hurry", hurry), "Once upon a time").failure.kind
'timeout'
>>> [(event.time, event.kind) for event in host.logs["run"].events[3:]]
[(5.0, 'deadline.struck'), (5.0, 'touch.cancelled'), (60.0, 'tool.finished'), (60.0, 'run.failed')]

**A workflow from a file** is rehearsed with a script: stand-ins answer for its agents and tools, everything
else is real, and delays take no time.

>>> import quintet
>>> from quintet.testing import rehearse, scripted
>>> workflow = quintet.load('''{"name": "tea", "steps": [
...     {"name": "draft", "agent_name": "writer", "prompt": "About {{input}}"},
...     {"name": "polish", "agent_name": "writer"}
... ]}''')
>>> run = rehearse(workflow, "tea", script={"agents": {"writer": [{"reply": "<{{prompt}}>", "delay": 60}]}})
>>> run.status, run.output
('completed', '<<About tea>>')
>>> [(step.path, step.duration_ms) for step in run.steps]
[('draft', 60000), ('polish', 60000)]

`scripted` is the world of such a script, for programs of your own.

>>> host = MemoryHost(scripted({"agents": {"*": [{"error": "too late"}]}}))
>>> rehearse(workflow, "tea", host=host).error.message
"Step 'draft' failed: too late"

**What `quintet test` runs** can be run among other tests: `check("flows/tea.json")` raises `AssertionError`
with all that is not as its test file, its cassette or its script says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from quintet.engine.memory import NOBODY, Crash, Fault, Later, MemoryHost, World

if TYPE_CHECKING:
    from os import PathLike

    from quintet.api import Workflow
    from quintet.engine.values import Json
    from quintet.record import Run

__all__ = ["NOBODY", "Crash", "Fault", "Later", "MemoryHost", "check", "rehearse", "scripted"]


def scripted(script: Mapping[str, Any]) -> World:
    """The world in which stand-ins do what a script says; raises InvalidFile where that says nonsense."""
    from quintet.agents.acting import world
    from quintet.agents.roster import Roster
    from quintet.runs.scripts import parsed

    return world(parsed(script), Roster())


def rehearse(
    workflow: Workflow,
    prompt: str | None = None,
    *,
    inputs: Mapping[str, Json] | None = None,
    script: Mapping[str, Any] | None = None,
    host: MemoryHost | None = None,
    run_id: str = "run",
) -> Run:
    """Run a workflow in memory until it ends or waits for a person, and tell what became of it.

    Without a host of yours there is one whose stand-ins do what the script says.
    """
    from quintet.runs.chronicle import Chronicle

    host = host or MemoryHost(scripted(script or {}))
    arguments, pinned = workflow.arguments(prompt, inputs), workflow.pinned(script=script)
    host.run(workflow.program, arguments, run_id=run_id, pinned=pinned.to_json())
    chronicle = Chronicle(run_id)
    chronicle.hear(host.logs[run_id].events)
    return chronicle.run()


def check(path: str | PathLike[str]) -> None:
    """Run the tests of a workflow, of a test file or of a folder, as `quintet test` does.

    Raises AssertionError where one fails, InvalidFile where a file is wrong, NoTests where there is none.
    """
    from pathlib import Path

    from quintet.cases.finding import found
    from quintet.cases.trying import ready, tried

    results = [tried(one) for one in list(map(ready, found([Path(path)])))]
    told = [
        f"{one.case.file}: {one.case.name}\n" + "\n".join(one.differences)
        for one in results
        if not one.passed
    ]
    if told:
        raise AssertionError("\n".join(told))
