"""What running an AWDS workflow means, as its specification tells it.

Each step is a branch that awaits the branches of the steps that it depends on, so it begins the moment the
last of them has completed.  A step that fails stops nothing but what depends on it.  Where the specification
is silent the readings of `docs/formats/awds.md` hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias, cast

from quintet.agents.sessions import Session, continued
from quintet.agents.turn import VERSION as TURN
from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.paths import Path
from quintet.engine.programs import Program, Version
from quintet.engine.scopes import Body, Branch, Slots
from quintet.engine.values import Json
from quintet.formats.awds.asking import Asking, asking, failed_expression
from quintet.formats.awds.document import Document, Step
from quintet.formats.awds.expressions.evaluation import Scope
from quintet.formats.awds.expressions.template import Expression
from quintet.formats.awds.expressions.tokens import ExpressionError
from quintet.formats.awds.expressions.values import Value, as_json, is_list, truthy

VERSION: Final = Version("awds")

DONE, FAILED, SKIPPED, ITEMS, ITEM = (
    "step.completed",
    "step.failed",
    "step.skipped",
    "step.items",
    "item.ended",
)
"""What the program notes: how a step ended, how many items it has, and how one of them ended."""

Status: TypeAlias = Literal["success", "skipped", "failed"]


def program(document: Document) -> Program:
    """The program of a workflow."""

    async def run(ctx: Context, arguments: Json) -> Json:
        given = cast("Mapping[str, Any]", arguments)
        flow = _Flow(document, given["inputs"], ctx.slots(document.at_once))
        if earlier := given.get("continues"):
            flow.sessions = await continued(ctx, earlier)
        return await flow.run(ctx)

    return Program("awds", run, (VERSION, TURN))


class _Skipped(Exception):
    """A step is not to run."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class _Item:
    """How one execution of a `for_each` step ended."""

    result: Json = None
    failure: Failure | None = None


@dataclass(slots=True)
class _Flow:
    """A workflow under way."""

    document: Document
    inputs: Mapping[str, Json]
    slots: Slots
    branches: dict[str, Branch[Status]] = field(default_factory=dict[str, "Branch[Status]"])
    outputs: dict[str, Json] = field(default_factory=dict[str, Json])
    """`{"outputs": …}` of each step that has completed, as expressions see it."""
    failures: dict[str, Failure] = field(default_factory=dict[str, Failure])
    """Why steps failed, in the order in which they did."""
    sessions: dict[str, Session] | None = None
    """The conversations of agents, where they go on from an earlier run; else each step begins one."""

    async def run(self, ctx: Context) -> Json:
        for step in self.document.steps:
            body, silent = self._body(step), step.for_each is not None
            self.branches[step.id] = ctx.branch(step.id, body, silent=silent)
        for branch in self.branches.values():
            await branch
        if self.failures:  # "A workflow MUST fail if any required step fails"
            raise Failed(self._failure())
        return self._output()

    def _output(self) -> Json:
        """The result of the only step on which nothing depends; of several, a map."""
        results = {step.id: self._result(step.id) for step in self.document.last}
        return next(iter(results.values())) if len(results) == 1 else results or None

    def _result(self, name: str) -> Json:
        made = cast("Mapping[str, Any] | None", self.outputs.get(name))
        return None if made is None else made["outputs"]["result"]

    def _failure(self) -> Failure:
        first, *others = self.failures.values()
        at = tuple(path for failure in self.failures.values() for path in failure.at)
        more = ", ".join(f"'{name}'" for name in list(self.failures)[1:])
        message = f"{first.message}; also failed: {more}" if others else first.message
        return Failure(first.kind, message, detail=first.detail, at=at)

    # One step

    def _body(self, step: Step) -> Body[Status]:
        async def body(ctx: Context) -> Status:
            if (why := await self._hindrance(step)) is not None:
                return self._skip(ctx, step, why)
            try:
                run = self._once if step.for_each is None else self._each
                await run(ctx, step, Scope(self.inputs, self.outputs))
            except _Skipped as skipped:
                return self._skip(ctx, step, skipped.why)
            except Failed as failed:
                return self._fail(ctx, step, failed.failure)
            return "success"

        return body

    async def _hindrance(self, step: Step) -> str | None:
        """Why it is not so that "all steps in its `depends_on` array have completed successfully"."""
        for name in step.depends_on:
            status = await self.branches[name]
            if status != "success":
                return f"'{name}' {'failed' if status == 'failed' else 'was skipped'}"
        return None

    async def _once(self, ctx: Context, step: Step, scope: Scope) -> None:
        """ "Expressions MUST be evaluated before step execution." """
        _condition(step, scope)
        async with self.slots:
            result = await self._turn(ctx, step, asking(step, scope), step.id)
        self._complete(ctx, step, {"status": "success", "result": result})

    async def _turn(self, ctx: Context, step: Step, asked: Asking, name: str) -> Json:
        session = None
        if self.sessions is not None:
            session = self.sessions.setdefault(name, Session(name))
        return await asked.result(ctx, step, session or Session(name))

    # for_each

    async def _each(self, ctx: Context, step: Step, scope: Scope) -> None:
        """ "It executes once for each item in the referenced array"; "the remaining iterations MUST still
        execute, but the step MUST be marked as failed"."""
        items = await self._items(ctx, step, scope)
        ended = [
            ctx.branch(f"{step.id}[{number}]", self._item(step, scope.of(item), number))
            for number, item in enumerate(items)
        ]
        outcomes = [await branch for branch in ended]
        failed = {n: one.failure for n, one in enumerate(outcomes) if one.failure is not None}
        if failed:
            raise Failed(_items_failed(failed, len(outcomes)))
        self._complete(ctx, step, {"status": "success", "result": [one.result for one in outcomes]})

    async def _items(self, ctx: Context, step: Step, scope: Scope) -> Sequence[Json]:
        """The items, looked for in a scope that has the step's name."""
        skipped: list[_Skipped] = []

        async def body(ctx: Context) -> Sequence[Json]:
            try:
                _condition(step, scope)
            except _Skipped as one:
                skipped.append(one)
                return ()
            assert step.for_each is not None
            items = _list(_value(step.for_each, scope, "for_each"))
            ctx.note(ITEMS, {"name": step.id, "count": len(items)})
            return items

        items = await ctx.branch(step.id, body)
        if skipped:
            raise skipped[0]
        return items

    def _item(self, step: Step, scope: Scope, number: int) -> Body[_Item]:
        async def body(ctx: Context) -> _Item:
            kept: dict[str, Json] = {"name": step.id, "index": number, "item": as_json(scope.item)}
            kept["input"] = None
            try:
                async with self.slots:
                    asked = asking(step, scope)
                    kept["input"] = asked.input
                    result = await self._turn(ctx, step, asked, f"{step.id}[{number}]")
            except Failed as failed:
                failure = failed.failure
                ctx.note(ITEM, {**kept, "status": "failed", "error": _told(failure)})
                return _Item(failure=Failure(failure.kind, failure.message, at=(ctx.path,)))
            ctx.note(ITEM, {**kept, "status": "success", "result": result})
            return _Item(result)

        return body

    # How a step ends

    def _complete(self, ctx: Context, step: Step, outputs: Json) -> None:
        self.outputs[step.id] = {"outputs": outputs}
        said: dict[str, Json] = {"name": step.id, **_tags(step)}
        ctx.note(DONE, said if step.for_each is not None else {**said, "outputs": outputs})

    def _skip(self, ctx: Context, step: Step, why: str) -> Status:
        ctx.note(SKIPPED, {"name": step.id, "why": why, **_tags(step)})
        return "skipped"

    def _fail(self, ctx: Context, step: Step, failure: Failure) -> Status:
        message = f"Step '{step.id}' failed: {failure.message}"
        at: tuple[Path, ...] = failure.at if step.for_each is not None else (ctx.path,)
        self.failures[step.id] = Failure(failure.kind, message, detail=failure.detail, at=at)
        ctx.note(FAILED, {"name": step.id, "error": _told(failure), **_tags(step)})
        return "failed"


def _condition(step: Step, scope: Scope) -> None:
    """ "If a step's `if` condition evaluates to false, the step is skipped." """
    if step.condition is not None and not truthy(_value(step.condition, scope, "if")):
        raise _Skipped("condition")


def _value(expression: Expression, scope: Scope, where: str) -> Value:
    try:
        return expression.value(scope)
    except ExpressionError as error:
        raise Failed(failed_expression(error, where)) from None


def _list(value: Value) -> Sequence[Json]:
    if is_list(value):
        return [as_json(item) for item in cast("Sequence[Value]", value)]
    raise Failed(Failure("not_a_list", f"for_each needs a list, and its expression gives {_kind(value)}"))


def _kind(value: Value) -> str:
    match value:
        case str():
            return "a text"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case Mapping():
            return "a map"
        case None:
            return "null"
        case _:
            return "nothing: it is undefined"


def _items_failed(failed: Mapping[int, Failure], count: int) -> Failure:
    told = "; ".join(f"[{number}] {failure.message}" for number, failure in list(failed.items())[:3])
    more = f"; and {len(failed) - 3} more" if len(failed) > 3 else ""
    items = "item" if count == 1 else "items"
    message = f"{len(failed)} of {count} {items} failed: {told}{more}"
    first = next(iter(failed.values()))
    at = tuple(path for failure in failed.values() for path in failure.at)
    return Failure(first.kind, message, at=at)


def _told(failure: Failure) -> Json:
    return {"message": failure.message, "kind": failure.kind}


def _tags(step: Step) -> dict[str, Json]:
    """ "Does not influence execution": tags are in the record of the run and nowhere else."""
    return {"tags": step.agent.tags} if step.agent.tags else {}
