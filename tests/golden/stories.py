"""Stories: small programs, the worlds they run in, and what happens to them, for golden logs to be made of.

What stands here is recorded: a program or a world that has a golden log is never edited, because its log is
replayed under every later release.  What a later release can do is told by a new story.

Each result hangs on values alone, not on when they came, so that a run taken up anywhere ends alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import quintet
from quintet.agents.messages import ToolCall, assistant
from quintet.agents.sessions import Session
from quintet.agents.turn import VERSION as TURN
from quintet.agents.turn import Agent, Tool, Wish, turn
from quintet.engine.combinators import attempts, deadline, gather
from quintet.engine.context import Context
from quintet.engine.failures import BranchCancelled, Failed, Failure
from quintet.engine.gates import Gate, Give, Go, Refuse, Verdict
from quintet.engine.memory import Person, World
from quintet.engine.paths import write
from quintet.engine.performing import Call
from quintet.engine.programs import Program, Version
from quintet.engine.questions import Asked, Field, Question
from quintet.engine.retry import Policy
from quintet.engine.rules import DEFAULT_RULES, Rules
from quintet.engine.scopes import Returned
from quintet.engine.touches import Touch
from quintet.engine.values import Json
from quintet.testing import NOBODY, Crash, Fault, Later, MemoryHost


def tell(host: MemoryHost, story: Story) -> str:
    """How most stories go: the run is started and ends.  Gives the id of the run whose log is kept."""
    return host.run(story.program, story.arguments).run_id


@dataclass(frozen=True, slots=True)
class Story:
    """A program, its world, and what happens to it."""

    program: Program
    world: World
    arguments: Json = None
    person: Person | None = None
    rules: Rules = DEFAULT_RULES
    faults: tuple[Fault, ...] = ()
    tell: Callable[[MemoryHost, Story], str] = tell

    def host(self, *, now: float = 1000.0, faults: tuple[Fault, ...] = ()) -> MemoryHost:
        """The world of the story."""
        return MemoryHost(self.world, person=self.person, rules=self.rules, now=now, faults=faults)


def world(given: Mapping[str, object]) -> World:
    """A world that gives at each path what is written here, and elsewhere says what it was asked."""
    return lambda call: given.get(write(call.path), f"{call.kind} {call.name}")


# travel: branches that await branches, gather with a limit, slots, notes, versions


async def travel(ctx: Context, arguments: Json) -> Json:
    order: list[Json] = []
    city = ctx.branch("city", lambda ctx: ctx.model("pick", {"from": arguments}))

    async def visit(ctx: Context, place: str) -> Json:
        found = await ctx.tool("look", {"city": await city, "place": place})
        order.append(place)
        ctx.note("state.changed", {"order": list(order)})
        return found

    ctx.note("round.started", {"round": 1})
    places = ("museum", "river", "café")
    visits = await gather(ctx, [(p, lambda ctx, p=p: visit(ctx, p)) for p in places], limit=2)
    slots = ctx.slots(1)

    async def tell_of(ctx: Context, place: str) -> Json:
        async with slots:
            return await ctx.model("tell", {"place": place})

    tales = [ctx.branch("tale", lambda ctx, p=p: tell_of(ctx, p)) for p in places]
    told = [await tale for tale in tales]
    seen = [visit.value for visit in visits if isinstance(visit, Returned)]
    return {"seen": seen, "told": told, "versions": dict(ctx.version)}


TRAVEL = Story(
    Program("travel", travel, (Version("turn"),)),
    world({
        "city/pick": Later(1.0, "Paris"),
        "museum/look": Later(3.0, "Mona Lisa"),
        "river/look": Later(1.0, "boats"),
        "café/look": Later(0.5, "coffee"),
    }),
    arguments=["Paris", "Rome"],
)  # fmt: skip


# stubborn: attempts with backoff, a definite failure, an attempt that is given up


async def stubborn(ctx: Context, arguments: Json) -> Json:
    async def fetch(ctx: Context) -> Json:
        return await ctx.tool("get", {"page": await ctx.model("choose", "which page?")})

    policy = Policy(attempts=4, delay=1.0, factor=2.0, jitter=0.5, kinds=frozenset({"rate_limit"}))
    page = await attempts(ctx, "fetch", policy, fetch)
    try:
        await attempts(ctx, "post", policy, lambda ctx: ctx.tool("put", {"page": page}))
    except Failed as failed:
        return {"page": page, "failed": failed.failure.kind}
    return {"page": page}


STUBBORN = Story(
    Program("stubborn", stubborn),
    world({
        "~fetch/!attempt/get": Failure("rate_limit", "slow down", definite=True),
        "~fetch/!attempt#2/choose": Failure("rate_limit", "slower", detail={"after": 3}),
        "~post/!attempt/put": Failure("rate_limit", "slow down"),
        "~post/!attempt#2/put": Failure("refused", "not allowed"),
    }),
)  # fmt: skip


# hurried: a deadline that strikes, one that does not, and an outcome that comes too late


async def hurried(ctx: Context, arguments: Json) -> Json:
    async def pulse(ctx: Context) -> int:
        await ctx.effect("beat", "pulse")
        for _ in range(8):
            await ctx.sleep("tick", 1.0)
        return 8

    beats = ctx.branch("pulse", pulse)
    try:
        said = await deadline(ctx, "limit", 5.0, lambda ctx: ctx.tool("print", {"pages": 100}))
    except Failed as failed:
        said = failed.failure.to_json()
    quick = await deadline(ctx, "limit", 60.0, lambda ctx: ctx.model("sum up", {"said": said}))
    await ctx.sleep("rest", 30.0)
    return {"said": said, "quick": quick, "beats": await beats}


HURRIED = Story(
    Program("hurried", hurried),
    world({"~limit/print": Later(20.0, "printed", deaf=True), "~limit#2/sum up": Later(1.0, "short")}),
)


# review: a question that is answered days later, a gate before a tool, one budget for all


async def review(ctx: Context, arguments: Json) -> Json:
    reviews = await gather(
        ctx, [(who, lambda ctx: ctx.model("read", {"text": arguments})) for who in ("Ann", "Ben")]
    )
    fields = (Field("go", "boolean"), Field("tone", "choice", choices=("dry", "warm")))
    answer = await ctx.ask("publish", Question("Publish it?", fields))
    published = await ctx.tool("publish", answer)
    try:
        await ctx.tool("delete", "the draft")
    except Failed as failed:
        return {"read": len(reviews), "published": published, "kept": failed.failure.to_json()}
    return None


def _permission(touch: Touch, answers: Mapping[str, Json]) -> Gate | None:
    if touch.kind != "tool":
        return None
    question = Question(f"May it {touch.name}?", (Field("decision", "choice", choices=("yes", "no", "did")),))
    return Gate("permission", question, _permitted)


def _permitted(answer: Json) -> Verdict:
    match cast("dict[str, Json]", answer)["decision"]:
        case "yes":
            return Go()
        case "no":
            return Refuse(Failure("refused", "a person said no"))
        case _:
            return Give("done by hand")


def _budget(touch: Touch, answers: Mapping[str, Json]) -> Gate | None:
    if touch.kind != "model":
        return None
    return Gate("budget", Question("Spend more?"), lambda answer: Go(), shared=True)


REPLIES: dict[str, Json] = {
    "?budget": {"max_usd": 5},
    "publish": {"go": True, "tone": "warm"},
    "publish?permission": {"decision": "did"},
    "publish#2?permission": {"decision": "did"},
    "delete?permission": {"decision": "no"},
}


def _some_answer(asked: Asked) -> object:
    """Somebody is there for everything but the question of the program itself."""
    return NOBODY if asked.target == "publish" else Later(60.0, REPLIES[asked.target])


def _tell_review(host: MemoryHost, story: Story) -> str:
    report = host.run(story.program, story.arguments)
    assert [asked.target for asked in report.asked] == ["publish"]
    host.now += 3 * 24 * 3600.0
    host.answer("run", story.program, "publish", REPLIES["publish"])
    return "run"


REVIEW = Story(
    Program("review", review),
    world({}),
    arguments="Once upon a time",
    person=_some_answer,
    rules=Rules(gatekeepers=(_permission, _budget)),
    tell=_tell_review,
)


# second_thoughts: effects, now(), a cancelled branch, results as values


async def second_thoughts(ctx: Context, arguments: Json) -> Json:
    began = ctx.now()
    seen = await ctx.effect("seen", "dedup", {"key": "a"})
    slow = ctx.branch("slow", lambda ctx: ctx.model("think", "for long"))
    gone: list[Json] = []

    async def cleans_up(ctx: Context) -> None:
        try:
            await ctx.tool("wait", "for ever")
        finally:
            gone.append("cleaned up")
            ctx.note("step.skipped", "the wait")

    tidy = ctx.branch("tidy", cleans_up)
    await ctx.sleep("a moment", 2.5)
    slow.cancel()
    tidy.cancel()
    try:
        await slow
    except BranchCancelled as cancelled:
        gone.append(cancelled.failure.kind)
    gone.append(str(type(await tidy.settled()).__name__))
    return {"seen": seen, "waited": ctx.now() - began >= 2.5, "gone": gone}


SECOND_THOUGHTS = Story(
    Program("second_thoughts", second_thoughts),
    world({"slow/think": Later(100.0, "hm"), "tidy/wait": Later(100.0), "seen": {"new": True}}),
)


# gives_up: a group whose failure cancels the others, after one that drains and one that collects


async def gives_up(ctx: Context, arguments: Json) -> Json:
    def call(name: str) -> tuple[str, Callable[[Context], Any]]:
        return name, lambda ctx: ctx.model("call", {"whom": name})

    collected = await gather(ctx, [call("a"), call("b")], on_error="collect")
    ctx.note("step.completed", {"failed": sum(isinstance(each, Failure) for each in collected)})
    try:
        await gather(ctx, [call("c"), call("d"), call("e")], limit=1, on_error="drain")
    except Failed as failed:
        ctx.note("step.failed", failed.failure.to_json())
    return len(await gather(ctx, [call("f"), call("g")]))


_TROUBLES: dict[str, object] = {
    "b/call": Failure("provider", "out of order"),
    "d/call": Failure("provider", "out of order", definite=True),
    "f/call": Later(1.0, Failure("refused", "not today")),
    "g/call": Later(50.0, "too late"),
}

GIVES_UP = Story(Program("gives_up", gives_up), world(_TROUBLES))


# tries_again: the same, retried in a better world


def _tell_retry(host: MemoryHost, story: Story) -> str:
    host.world = GIVES_UP.world
    host.run(story.program)
    host.world = story.world
    host.now += 60.0
    return host.retry("run", story.program, new_id="again").run_id


TRIES_AGAIN = Story(
    GIVES_UP.program,
    world({**_TROUBLES, "f/call": "today", "g/call": "in time"}),
    tell=_tell_retry,
)


# pays: a touch that is unsafe to repeat, interrupted by a crash


async def pays(ctx: Context, arguments: Json) -> Json:
    bill = await ctx.model("read", "the bill")
    return {"bill": bill, "receipt": await ctx.tool("pay", {"bill": bill})}


def _is_payment(touch: Touch) -> bool:
    return touch.kind == "tool" and touch.name == "pay"


def _pay_again(asked: Asked) -> object:
    return {"decision": "repeat"}


def _tell_payment(host: MemoryHost, story: Story) -> str:
    try:
        host.run(story.program)
    except Crash:
        host.resume("run", story.program)
    return "run"


PAYS = Story(
    Program("pays", pays),
    world({"read": "12 €"}),
    person=_pay_again,
    rules=Rules(is_unsafe=_is_payment),
    faults=(Fault("crash after", 3),),
    tell=_tell_payment,
)

# talks: turns in a session, one of them beside another; tools, and an answer that has to be given anew


def said(text: str, *asked: ToolCall, **more: Json) -> Json:
    """What a model says."""
    usage: Json = {"input": 7, "output": 3}
    return {"agent": {"name": "ann", "id": "a"}, "message": assistant(text, asked), "usage": usage, **more}


async def talks(ctx: Context, arguments: Json) -> Json:
    session = Session("ann")
    ann = Agent("ann", instructions="You are Ann.", parameters={"temperature": 0.5})
    wish = Wish({"required": ["ok"]}, [Tool("look", "Looks.", {"type": "object"})])
    first = await ctx.branch("first", lambda ctx: turn(ctx, ann, "Look!", session=session, wish=wish))
    beside = [
        ctx.branch(name, lambda ctx, name=name: turn(ctx, ann, name, session=session))
        for name in ("slow", "fast")
    ]
    texts: list[Json] = [(await branch).text for branch in beside]
    last = await ctx.branch("last", lambda ctx: turn(ctx, ann, "Bye.", session=session))
    return [first.value, *texts, last.text, session.head]


TALKS = Story(
    Program("talks", talks, (TURN,)),
    world(
        {
            "first/model": said(
                "", ToolCall("1", "look", {"at": "sea"}), ToolCall("2", "look", {"at": "sky"})
            ),
            "first/look/call": "blue",
            "first/look#2/call": Failure("tool", "too bright"),
            "first/model#2": said("{}", problem='"ok" is a required property'),
            "first/model#3": said('{"ok": 1}', value={"ok": 1}),
            "slow/model": Later(2.0, said("I am slow.")),
            "fast/model": Later(1.0, said("I am fast.")),
            "last/model": said("Bye."),
        }
    ),
)

# flows: an OpenFang workflow with each of its modes


FLOW = """{"name": "flow", "steps": [
    {"name": "draft", "agent_name": "ann", "output_var": "draft"},
    {"name": "bold", "agent_name": "bob", "mode": "fan_out", "prompt": "{{draft}}!"},
    {"name": "shy", "agent_name": "cyd", "mode": "fan_out"},
    {"name": "both", "mode": "collect"},
    {"name": "fix", "agent_name": "ann", "mode": "conditional", "condition": "bold", "error_mode": "skip"},
    {"name": "polish", "agent_name": "bob", "mode": "loop", "until": "fine", "max_iterations": 3,
     "error_mode": "retry", "max_retries": 1, "timeout_secs": 60}
]}"""


def _speaks(call: Call) -> object:
    """Each says its path; the first polish breaks down once, and the second is content."""
    where = write(call.path)
    if where.startswith("fix/"):
        return Failure("provider", "gone")
    if "iter 1" in where and "!attempt/" in where:
        return Failure("rate_limit", "slow down")
    return Later(1.0, said(f"{where} is fine" if "iter 2" in where else f"bold {where}"))


FLOWS = Story(quintet.load(FLOW).program, _speaks, {"input": "tea", "variables": {"draft": "none"}})

STORIES: dict[str, Story] = {
    "talks": TALKS,
    "flows": FLOWS,
    "travel": TRAVEL,
    "stubborn": STUBBORN,
    "hurried": HURRIED,
    "review": REVIEW,
    "second_thoughts": SECOND_THOUGHTS,
    "gives_up": GIVES_UP,
    "tries_again": TRIES_AGAIN,
    "pays": PAYS,
}
"""By the name that stands in the names of their golden logs."""
