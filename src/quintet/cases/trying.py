"""Trying: a case is run in memory, where nothing really waits, and what comes of it is compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from quintet.agents import acting, playing
from quintet.agents.cassette import Cassette
from quintet.api import Workflow, load
from quintet.cases.case import Case, Result
from quintet.cases.expecting import differences
from quintet.engine.events import Event
from quintet.engine.failures import EngineError
from quintet.engine.memory import NOBODY, MemoryHost, World
from quintet.engine.performing import Call
from quintet.engine.questions import Asked
from quintet.engine.redaction import Redactor
from quintet.engine.rules import Rules
from quintet.engine.values import Json
from quintet.record import Run
from quintet.runs.cassettes import cassette_of
from quintet.runs.chronicle import Chronicle, opened
from quintet.runs.models import reach_of, roster_of, secrets_of
from quintet.runs.pinned import Pinned
from quintet.runs.scripts import script_of
from quintet.workflow import WrongInput

RUN = "test"


@dataclass(frozen=True, slots=True)
class Ready:
    """A case with all its files read."""

    case: Case
    workflow: Workflow
    pinned: Pinned

    @property
    def cassette(self) -> Cassette | None:
        return None if self.pinned.fake is None else cassette_of(self.pinned.fake)


def ready(case: Case) -> Ready:
    """Read the files of a case.  Raises InvalidFile."""
    workflow = load(case.workflow)
    pinned = workflow.pinned(script=case.script, fake=case.cassette, agents=case.agents, config=case.config)
    return Ready(case, workflow, pinned)


def tried(ready: Ready) -> Result:
    """Run a case, and compare."""
    began = perf_counter()
    try:
        told = tuple(_compared(ready, _run(ready)))
    except (EngineError, WrongInput) as error:
        told = tuple(str(error).split("\n"))
    return Result(ready.case, perf_counter() - began, told)


def _run(ready: Ready) -> Run:
    redactor = Redactor(secrets_of(reach_of(ready.pinned)))
    host = MemoryHost(person=_person(ready), rules=Rules(redactor=redactor))
    host.world = _world(ready, redactor, lambda run_id: host.logs[run_id].events)
    pinned = ready.pinned.to_json()
    host.run(ready.workflow.program, _arguments(ready), run_id=RUN, pinned=pinned)
    chronicle = Chronicle(RUN)
    chronicle.hear(host.logs[RUN].events)
    return chronicle.run()


def _arguments(ready: Ready) -> Json:
    """What the run begins with: as the case says, or else as the run that was recorded."""
    case, cassette = ready.case, ready.cassette
    if case.prompt is None and not case.inputs and cassette is not None and cassette.arguments is not None:
        return cassette.arguments
    return ready.workflow.arguments(case.prompt, case.inputs)


def _world(ready: Ready, redactor: Redactor, log: Callable[[str], Sequence[Event]]) -> World:
    roster, pinned = roster_of(ready.pinned), ready.pinned
    if ready.cassette is not None:
        return playing.world(ready.cassette, roster, redactor, log)
    assert pinned.script is not None
    acted = acting.world(script_of(pinned.script), roster)

    def perform(call: Call) -> object:
        if call.kind == "effect":
            raise EngineError(
                f"a script has nothing for {call.name!r}: test it with a cassette of such a run"
            )
        return acted(call)

    return perform


def _person(ready: Ready) -> Callable[[Asked], object]:
    """Who answers as the case says, or as it was recorded."""
    cassette, answers = ready.cassette, ready.case.answers
    recorded = {} if cassette is None else {one.at: one.answer for one in cassette.answers}

    def answer(asked: Asked) -> object:
        path = opened(asked).path
        for name in (asked.target, path):
            if name in answers:
                return _fitting(asked, answers[name])
        return recorded.get(asked.target, NOBODY)

    return answer


def _fitting(asked: Asked, answer: Json) -> Json:
    """A bare answer to a question with one field is the value of that."""
    fields = asked.question.fields
    if len(fields) == 1 and not isinstance(answer, Mapping):
        return {fields[0].name: answer}
    return answer


def _compared(ready: Ready, run: Run) -> Iterator[str]:
    expected, actual = _expected(ready), run.to_json()
    for key, value in expected.items():
        if key == "steps":
            yield from _steps(value, run)
        elif key == "error" and isinstance(value, str):
            yield from differences(value, run.error and run.error.message, "error")
        else:
            yield from differences(value, actual[key], key)
    if expected["status"] != run.status:
        if run.error is not None:
            yield f"it failed: {run.error.message}"
        for question in run.questions:
            yield f"it waits for an answer at {question.path}: {question.prompt}"


def _expected(ready: Ready) -> Mapping[str, Json]:
    if ready.case.expect is not None:
        return ready.case.expect
    recorded = None if ready.cassette is None else ready.cassette.outcome
    if recorded is None:
        return {"status": "completed"}
    error: Any = recorded.error
    return {"status": recorded.status, "output": {"equals": recorded.output}, "error": error}


def _steps(expected: Json, run: Run) -> Iterator[str]:
    steps = {step.path: step.to_json() for step in run.steps}
    if not isinstance(expected, Mapping):
        yield from differences({"equals": expected}, list(steps), "steps")
        return
    for path, like in expected.items():
        if like is None and path in steps:
            yield f"the step {path!r} is not to be there"
        elif like is not None and path not in steps:
            yield f"there is no step {path!r}, only {', '.join(map(repr, steps)) or 'none'}"
        elif like is not None:
            yield from differences(like, steps[path], path)
