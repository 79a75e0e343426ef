"""Random programs: descriptions of workflows that use every verb, and the body that carries them out.

    description = generate(Random(7))             # frozen, comparable, picklable; its repr can be pasted back
    program(description)                          # as an engine `Program`, for any host
    Machine(interpret, (description,))            # or for the machine alone
    World(7).of(touch)                            # what the world says to a touch: a value or a Failure

A `World` stands in for everything outside.  It is a pure function of its seed, the touch's path, its kind and
what was asked, so any host that performs a touch, in any order, gets the same from it.  Timers give None,
questions an answer that fits, everything else a value or, one time in eight, a Failure (some of them
definite).  It does not strike deadlines: those belong to a host's clock, and only a host with a clock makes
them strike.  Delays are the host's, too: nothing here depends on them but through the order of outcomes.

What a description may hold: calls of models, tools and effects (tool calls ask for `look`, or for `pay`,
which may be taken as unsafe to repeat), questions, timers, notes, `now()`, branches that await and cancel
one another across scopes (themselves and their ancestors too), state that all branches write and requests
tell, slots, `gather` in its three ways with and without a limit, time limits around and inside attempts,
failures raised and caught, clean-up that touches, a cancellation that is swallowed, loops, and choices that
hang on what other branches have written.

A description never waits for itself: a body awaits only branches whose text lies wholly before the waiting
step, and whoever holds one of the shared slots awaits nothing but touches.  So a run that gets an outcome for
every touch it opens always ends.  It may well end in failure; every part of what it does is in its result, in
its notes and in its requests, so two runs that differ anywhere differ there.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from hypothesis import strategies as st

from quintet.engine.combinators import OnError, attempts, deadline, gather
from quintet.engine.context import Context
from quintet.engine.events import Kind
from quintet.engine.failures import Cancelled, Failed, Failure
from quintet.engine.paths import Path, write
from quintet.engine.programs import Program
from quintet.engine.questions import Field, Question
from quintet.engine.retry import Policy
from quintet.engine.scopes import Branch, Returned, Slots
from quintet.engine.touches import Touch
from quintet.engine.values import Json, encode, fingerprint

# What a description is made of


@dataclass(frozen=True, slots=True)
class Call:
    """Asks a model, a tool or an effect; what is asked tells the shared state if `tells`."""

    verb: Literal["model", "tool", "effect"]
    key: str
    name: str
    tells: bool
    caught: bool
    """Whether its failure is caught at once."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Asks a person."""

    key: str
    question: Question


@dataclass(frozen=True, slots=True)
class Sleep:
    key: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Now:
    """Keeps the time in the shared state."""


@dataclass(frozen=True, slots=True)
class Say:
    """Notes the shared state."""

    kind: str


@dataclass(frozen=True, slots=True)
class Put:
    """Writes something to the shared state."""

    key: str


@dataclass(frozen=True, slots=True)
class Raise:
    kind: str


@dataclass(frozen=True, slots=True)
class Fork:
    """Starts a branch that others know by its number."""

    number: int
    name: str
    steps: Steps


@dataclass(frozen=True, slots=True)
class Join:
    """Awaits a branch, if it has been started."""

    number: int
    how: Literal["value", "settled", "bare"]
    """Catch its failure, take its result as a value, or let its failure through."""


@dataclass(frozen=True, slots=True)
class Kill:
    """Cancels a branch, if it has been started; it may be this one."""

    number: int


@dataclass(frozen=True, slots=True)
class Gather:
    bodies: tuple[tuple[str, Steps], ...]
    limit: int | None
    on_error: OnError
    caught: bool


@dataclass(frozen=True, slots=True)
class Retry:
    key: str
    policy: Policy
    steps: Steps
    caught: bool


@dataclass(frozen=True, slots=True)
class Limit:
    """A time limit."""

    key: str
    seconds: float
    steps: Steps
    caught: bool


@dataclass(frozen=True, slots=True)
class Hold:
    """Holds one of the shared slots."""

    number: int
    steps: Steps


@dataclass(frozen=True, slots=True)
class Try:
    steps: Steps
    caught: Steps
    finally_: Steps


@dataclass(frozen=True, slots=True)
class Swallow:
    """Catches Cancelled and goes on, once a scope: what it awaits next must be refused again."""

    steps: Steps


@dataclass(frozen=True, slots=True)
class Loop:
    times: int
    steps: Steps


@dataclass(frozen=True, slots=True)
class If:
    """Does something if the shared state holds an even number of entries."""

    steps: Steps


Step: TypeAlias = (
    Call
    | Ask
    | Sleep
    | Now
    | Say
    | Put
    | Raise
    | Fork
    | Join
    | Kill
    | Gather
    | Retry
    | Limit
    | Hold
    | Try
    | Swallow
    | Loop
    | If
)
Steps: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """A whole program."""

    slots: tuple[int, ...]
    steps: Steps


# Making descriptions up

KEYS = ("a", "b", "c")
NAMES = ("left", "right", "ä/b #2", "left")
DEEPEST = 5

_LEAVES = ("call",) * 14 + ("ask", "sleep", "sleep", "now", "say", "put", "put", "raise", "kill")
_BLOCKS = (
    ("fork",) * 5 + ("join",) * 4 + ("gather",) * 3 + ("hold",) * 2
    + ("retry", "retry", "limit", "limit", "try", "try", "swallow", "loop", "if")
)  # fmt: skip
_BOUNDED = ("retry", "limit", "try", "if")
"""Blocks that whoever holds a slot may use, too."""


def generate(random: Random, size: int = 150) -> Description:
    """A program of about so many steps; 150 of them open some 25 touches, though a few end early."""
    return _Author(random, size).write()


def descriptions(smallest: int = 5, largest: int = 200) -> st.SearchStrategy[Description]:
    """Programs, as a strategy that shrinks."""
    return st.builds(generate, st.randoms(use_true_random=False), st.integers(smallest, largest))


class _Author:
    def __init__(self, random: Random, size: int) -> None:
        self._random = random
        self._left = size
        self._forks = 0
        self._finished: list[int] = []
        """Branches whose text is complete: those may be awaited."""
        self._slots = tuple(random.randint(1, 3) for _ in range(2))

    def write(self) -> Description:
        steps: list[Step] = []
        while self._left > 0:
            part = self._steps(0)
            steps += part if self._random.random() < 0.1 else [Try(part, (), ())]  # most live long
        return Description(self._slots, tuple(steps))

    def _steps(self, depth: int, *, holds: bool = False) -> Steps:
        wanted = self._random.randint(1, 4)
        steps: list[Step] = []
        while self._left > 0 and len(steps) < wanted:
            self._left -= 1
            steps.append(self._step(depth, holds))
        return tuple(steps)

    def _step(self, depth: int, holds: bool) -> Step:
        random = self._random
        if depth >= DEEPEST or random.random() < 0.45:
            return self._leaf(random.choice(_LEAVES), depth)
        if holds:
            return self._bounded(random.choice(_BOUNDED), depth, holds=True)
        block = random.choice(_BLOCKS)
        if block in _BOUNDED:
            return self._bounded(block, depth, holds=False)
        return self._block(block, depth)

    def _leaf(self, leaf: str, depth: int) -> Step:
        random = self._random
        match leaf:
            case "ask":
                return Ask(random.choice(KEYS), random.choice(QUESTIONS))
            case "sleep":
                return Sleep(random.choice(KEYS), random.choice((0.0, 0.5, 3.0, 20.0)))
            case "now":
                return Now()
            case "say":
                return Say(random.choice(("step.started", "state.changed")))
            case "put":
                return Put(random.choice(KEYS))
            case "raise" if depth:  # at the top it would end most programs early
                return Raise(random.choice(("refused", "rate_limit")))
            case "kill" if self._forks:
                return Kill(random.randint(1, self._forks))
            case _:
                return self._call(depth)

    def _call(self, depth: int) -> Call:
        random = self._random
        verb = random.choice(("model", "tool", "effect"))
        name = random.choice(("look", "pay")) if verb == "tool" else random.choice(("x", "y"))
        caught = random.random() < (0.6 if depth else 0.95)
        return Call(verb, random.choice(KEYS), name, random.random() < 0.5, caught)

    def _bounded(self, block: str, depth: int, *, holds: bool) -> Step:
        random = self._random
        caught = random.random() < 0.8
        match block:
            case "retry":
                policy = Policy(random.randint(1, 3), random.choice((0.0, 1.0)), 2.0, jitter=0.5)
                return Retry(random.choice(KEYS), policy, self._steps(depth + 1, holds=holds), caught)
            case "limit":
                seconds = random.choice((0.5, 4.0, 30.0))
                return Limit(random.choice(KEYS), seconds, self._steps(depth + 1, holds=holds), caught)
            case "try":
                return Try(*(self._steps(depth + 1, holds=holds) for _ in range(3)))
            case _:
                return If(self._steps(depth + 1, holds=holds))

    def _block(self, block: str, depth: int) -> Step:
        random = self._random
        match block:
            case "join" if self._finished:
                how: Literal["value", "settled", "bare"] = random.choice(("value", "settled", "bare"))
                return Join(random.choice(self._finished), how)
            case "gather":
                bodies = tuple(
                    (random.choice(NAMES), self._steps(depth + 1)) for _ in range(random.randint(0, 4))
                )
                on_error: OnError = random.choice(("cancel", "drain", "collect"))
                return Gather(bodies, random.choice((None, 1, 2)), on_error, random.random() < 0.8)
            case "hold":
                return Hold(random.randrange(len(self._slots)), self._steps(depth + 1, holds=True))
            case "swallow":
                return Swallow(self._steps(depth + 1))
            case "loop":
                return Loop(random.randint(0, 3), self._steps(depth + 1))
            case _:
                return self._fork(depth)

    def _fork(self, depth: int) -> Fork:
        self._forks += 1
        number = self._forks
        fork = Fork(number, self._random.choice(NAMES), self._steps(depth + 1))
        self._finished.append(number)
        return fork


QUESTIONS = (
    Question("anything?"),
    Question("go on?", (Field("go", "boolean"), Field("why", "text", required=False))),
    Question("which?", (Field("pick", "choice", choices=("red", "blue")), Field("count", "integer"))),
)


# Carrying them out


async def interpret(ctx: Context, description: Description) -> Json:
    """What a description says, done."""
    run = _Run([ctx.slots(count) for count in description.slots])
    value = await run.body(ctx, description.steps)
    return {"value": value, "state": run.state}


def program(description: Description, name: str = "random") -> Program:
    """A description as a program that any host can run."""

    async def body(ctx: Context, arguments: Json) -> Json:
        return await interpret(ctx, description)

    return Program(name, body)


class _Scope:
    """What one body has seen."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.where = write(ctx.path)
        self.seen: list[Json] = []
        self.has_swallowed = False


class _Run:
    """What all bodies of one run share."""

    def __init__(self, slots: list[Slots]) -> None:
        self.state: list[Json] = []
        self._slots = slots
        self._branches: dict[int, Branch[Json]] = {}

    async def body(self, ctx: Context, steps: Steps) -> Json:
        scope = _Scope(ctx)
        await self._all(scope, steps)
        return fingerprint(encode(scope.seen))

    def _body(self, steps: Steps) -> Callable[[Context], Awaitable[Json]]:
        return lambda ctx: self.body(ctx, steps)

    async def _all(self, scope: _Scope, steps: Steps) -> None:
        for step in steps:
            await self._one(scope, step)

    async def _one(self, scope: _Scope, step: Step) -> None:
        match step:
            case Call() | Ask() | Sleep():
                await self._touch(scope, step)
            case Now() | Say() | Put() | Raise() | Kill():
                self._plain(scope, step)
            case Fork(number, name, steps):
                self._branches[number] = scope.ctx.branch(name, self._body(steps))
            case Join(number, how):
                await self._join(scope, self._branches.get(number), how)
            case Gather():
                await self._caught(scope, step.caught, self._gather(scope, step))
            case Retry(key, policy, steps):
                await self._caught(scope, step.caught, attempts(scope.ctx, key, policy, self._body(steps)))
            case Limit(key, seconds, steps):
                await self._caught(scope, step.caught, deadline(scope.ctx, key, seconds, self._body(steps)))
            case Hold(number, steps):
                async with self._slots[number]:
                    self._write(scope, "holds")
                    await self._all(scope, steps)
            case _:
                await self._control(scope, step)

    async def _control(self, scope: _Scope, step: Try | Swallow | Loop | If) -> None:
        match step:
            case Try(steps, caught, finally_):
                try:
                    await self._all(scope, steps)
                except Failed as failed:
                    scope.seen.append(failed.failure.to_json())
                    await self._all(scope, caught)
                finally:
                    self._write(scope, "cleans up")
                    await self._all(scope, finally_)
            case Swallow(steps):
                try:
                    await self._all(scope, steps)
                except Cancelled:
                    self._write(scope, "swallows")
                    if scope.has_swallowed:
                        raise
                    scope.has_swallowed = True
            case Loop(times, steps):
                for _ in range(times):
                    await self._all(scope, steps)
            case If(steps):
                if len(self.state) % 2 == 0:
                    await self._all(scope, steps)

    def _plain(self, scope: _Scope, step: Now | Say | Put | Raise | Kill) -> None:
        match step:
            case Now():
                self._write(scope, scope.ctx.now())
            case Say(kind):
                scope.ctx.note(kind, self._told())
            case Put(key):
                self._write(scope, key)
            case Raise(kind):
                raise Failed(Failure(kind, f"raised in {scope.where}"))
            case Kill(number):
                branch = self._branches.get(number)
                if branch is not None:
                    branch.cancel()
                self._write(scope, f"cancels {number}" if branch else "cancels nothing")

    async def _touch(self, scope: _Scope, step: Call | Ask | Sleep) -> None:
        ctx = scope.ctx
        match step:
            case Ask(key, question):
                scope.seen.append(await ctx.ask(key, question))
            case Sleep(key, seconds):
                scope.seen.append(await ctx.sleep(key, seconds))
            case Call(verb, key, name, tells, caught):
                asked: Json = {"name": name, "state": self._told() if tells else None}
                match verb:
                    case "model":
                        touch = ctx.model(key, asked)
                    case "tool":
                        touch = ctx.tool(key, asked)
                    case "effect":
                        touch = ctx.effect(key, name, asked)
                try:
                    scope.seen.append(await touch)
                except Failed as failed:
                    if not caught:
                        raise
                    scope.seen.append(failed.failure.to_json())
        self._write(scope, step.key)

    async def _join(self, scope: _Scope, branch: Branch[Json] | None, how: str) -> None:
        if branch is None:
            scope.seen.append("not started")
        elif how == "settled":
            scope.seen.append(_told(await branch.settled()))
        else:
            await self._caught(scope, how == "value", branch)

    async def _gather(self, scope: _Scope, step: Gather) -> Json:
        bodies = [(name, self._body(steps)) for name, steps in step.bodies]
        results = await gather(scope.ctx, bodies, limit=step.limit, on_error=step.on_error)
        return [_told(result) for result in results]

    async def _caught(self, scope: _Scope, caught: bool, work: Awaitable[Json]) -> None:
        try:
            scope.seen.append(await work)
        except Failed as failed:
            if not caught:
                raise
            scope.seen.append(failed.failure.to_json())

    def _write(self, scope: _Scope, what: Json) -> None:
        self.state.append([scope.where, what])

    def _told(self) -> Json:
        """The shared state, as requests and notes tell it: how much there is, and a hash of it."""
        return [len(self.state), fingerprint(encode(self.state[-20:]))]


def _told(result: Returned[Json] | Failure) -> Json:
    return result.to_json() if isinstance(result, Failure) else result.value


# What the world says

_FAILURES = ("rate_limit", "provider", "timeout", "tool")


@dataclass(frozen=True, slots=True)
class World:
    """Everything outside, as a function."""

    seed: int
    troubles: float = 0.125
    """Which part of all calls fails."""

    def __call__(self, path: Path, kind: Kind, request: Json) -> Json | Failure:
        """What comes of a touch."""
        text = write(path)
        random = Random(fingerprint(str(self.seed), text, kind, encode(request)))
        match kind:
            case "timer" | "deadline":
                return None
            case "question":
                return _answer(random, Question.from_json(request))
            case _ if random.random() < self.troubles:
                word = random.choice(_FAILURES)
                return Failure(word, f"{word} at {text}", definite=random.random() < 0.5)
            case _:
                return {"says": random.randrange(1000)}

    def of(self, touch: Touch) -> Json | Failure:
        """What comes of this touch."""
        return self(touch.path, touch.kind, touch.request)


def _answer(random: Random, question: Question) -> Json:
    """An answer that fits."""
    if not question.fields:
        return random.choice(("yes", None, 3))
    return {field.name: _fill(random, field) for field in question.fields if field.required}


def _fill(random: Random, field: Field) -> Json:
    match field.type:
        case "boolean":
            return random.random() < 0.5
        case "choice":
            return random.choice(field.choices)
        case "integer" | "number":
            return random.randrange(10)
        case "text" | "json":
            return random.choice(("fine", "no"))
