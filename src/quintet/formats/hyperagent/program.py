"""What running a Hyperagent workflow means, as its specification tells it.

There is a state, which templates read and set, and a session for each role.  The bootstrap "executes exactly
once before the first round"; then rounds of steps follow each other until a transition gives an outcome, or
all of them are over.  Where the text is silent the readings of `docs/formats/hyperagent.md` hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from quintet.agents.sessions import Session, continued
from quintet.agents.turn import VERSION as TURN
from quintet.agents.turn import Agent, Answer, Wish, turn
from quintet.engine.combinators import attempts
from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.paths import without_attempts
from quintet.engine.programs import Program, Version
from quintet.engine.retry import Policy
from quintet.engine.values import Json
from quintet.formats.hyperagent import native
from quintet.formats.hyperagent.condition import holds
from quintet.formats.hyperagent.document import (
    BOOTSTRAP,
    MAX_ROUNDS,
    Document,
    Outcome,
    Step,
    Templates,
    Transition,
)
from quintet.formats.hyperagent.reply import ATTEMPTS, Ear, NotUsable, again, payload
from quintet.formats.hyperagent.template import TextTooLong, assemble, render
from quintet.formats.hyperagent.wording import verdict

VERSION: Final = Version("hyperagent")

STATE: Final = "state.changed"
VERDICT: Final = "step.verdict"
SESSION: Final = "session.named"
INVALID: Final = "invalid_answer"
"""The kind of failure of a reply that cannot be used, the only one that is asked for again."""

_PLACE = re.compile(r"\{\{([^}]+)\}\}")


def program(document: Document) -> Program:
    """The program of a workflow."""

    async def run(ctx: Context, arguments: Json) -> Json:
        return await _Flow(ctx, document, arguments).run()

    return Program("hyperagent", run, (VERSION, TURN))


def session_name(template: str, run_id: str) -> str:
    """ "`nameTemplate` … can include `{{runId}}` replacements"; anything else renders to nothing."""
    return _PLACE.sub(lambda found: run_id if found[1].strip() == "runId" else "", template)


@dataclass(slots=True)
class _Flow:
    """A workflow under way."""

    ctx: Context
    document: Document
    arguments: Any
    state: dict[str, Json] = field(default_factory=dict[str, Json])
    scope: dict[str, Json] = field(default_factory=dict[str, Json])
    """What every template sees."""
    steps: dict[str, Json] = field(default_factory=dict[str, Json])
    """ "A prior step within the same round": its turn, by its key."""
    sessions: dict[str, Session] = field(default_factory=dict[str, Session])
    output: Json = None

    async def run(self) -> Json:
        await self._open_sessions()
        self._begin()
        outcome = await self._rounds()
        self.ctx.note(native.ENDED, {"outcome": outcome.outcome, "reason": outcome.reason})
        return self.output

    async def _open_sessions(self) -> None:
        """One a role; those of an earlier run go on where it left them."""
        earlier = self.arguments.get("continues")
        known = {} if earlier is None else await continued(self.ctx, earlier)
        for entry in self.document.sessions:
            self.sessions.setdefault(entry.role, known.get(entry.role) or Session(entry.role))
            if entry.name_template is not None:
                name = session_name(entry.name_template, self.ctx.run_id)
                self.ctx.note(SESSION, {"role": entry.role, "name": name})

    def _begin(self) -> None:
        """ "template strings rendered once at run start", each of which sees those before it."""
        self.scope = {
            "user": self.arguments["user"],
            "run": {"id": self.ctx.run_id},
            "state": self.state,
            "steps": self.steps,
            "round": 0,
            "maxRounds": self._max_rounds,
        }
        self._update(self.ctx, self.document.state, self.scope)

    @property
    def _max_rounds(self) -> int:
        """ "optional numeric cap; callers can also override when starting a run" """
        given: int | None = self.arguments.get("max_rounds")
        return given if given is not None else self.document.round.max_rounds or MAX_ROUNDS

    async def _rounds(self) -> Outcome:
        if self.document.bootstrap is not None:
            await self._bootstrap(self.document.bootstrap)
        for number in range(1, self._max_rounds + 1):
            outcome = await self._round(number)
            if outcome is not None:
                return outcome
        self.steps.clear()
        default = self.document.round.default
        return Outcome(default.outcome, self._rendered(self.ctx, default.reason, {**self.scope, "round": 0}))

    async def _bootstrap(self, step: Step) -> None:
        """Its `next`, transitions and exits are not looked at: the first round comes after it."""

        async def body(ctx: Context) -> dict[str, Json]:
            said = await self._turn(ctx, step)
            self._update(ctx, step.updates, self._after(said))
            return said

        self.scope[BOOTSTRAP] = await self.ctx.branch(BOOTSTRAP, body)

    # A round

    async def _round(self, number: int) -> Outcome | None:
        """ "The repeating round": its outcome, if it has one."""
        self.scope["round"] = number
        self.steps.clear()
        return await self.ctx.branch(f"round {number}", self._round_body)

    async def _round_body(self, ctx: Context) -> Outcome | None:
        ctx.note(native.ROUND, {"round": self.scope["round"], "of": self._max_rounds})
        flow = self.document.round
        by_key = {step.key: step for step in flow.steps}
        key: str | None = flow.first
        for _ in range(max(3 * len(flow.steps), len(flow.steps) + 1)):
            if key is None:
                return None
            key = await self._step(ctx, by_key[key])
            if isinstance(key, Outcome):
                return key
        if key is None:
            return None
        message = (
            f"Workflow transitions exceeded safe limit in round {self.scope['round']}. "
            f"Check for cycles in {self.document.id}."
        )
        raise Failed(Failure("cycle", message, at=(ctx.path,)))

    async def _step(self, ctx: Context, step: Step) -> Any:
        """The key of the step that comes next, None at the end of the round, or the outcome."""

        async def body(ctx: Context) -> Any:
            said = await self._turn(ctx, step)
            self.steps[step.key] = said
            scope = self._after(said)
            self._update(ctx, step.updates, scope)
            fired = _fired(step.transitions, said, scope) or _fired(step.exits, said, scope)
            return self.document.round.after(step) if fired is None else self._fire(ctx, fired, scope)

        return await ctx.branch(step.key, body)

    def _fire(self, ctx: Context, transition: Transition, scope: dict[str, Json]) -> Any:
        """The reason is rendered before the transition's own updates."""
        reason = self._rendered(ctx, transition.reason, scope) if transition.outcome is not None else ""
        self._update(ctx, transition.updates, scope)
        return transition.next_step if transition.outcome is None else Outcome(transition.outcome, reason)

    # A turn

    async def _turn(self, ctx: Context, step: Step) -> dict[str, Json]:
        """What a role says, as templates and conditions see it."""
        try:
            prompt = assemble(step.prompt, self.scope)
            answer = await self._answer(ctx, step, prompt)
        except TextTooLong as error:
            raise _failed(ctx, Failure("text_too_long", str(error))) from None
        except Failed as failed:
            raise _failed(ctx, failed.failure) from None
        said: dict[str, Json] = {
            "key": step.key,
            "role": step.role,
            "round": self.scope["round"],
            "raw": payload(answer.text),
            "parsed": answer.value,
        }
        ctx.note(native.TURN, said)
        role = self.document.roles[step.role]
        if word := verdict(step, self.document.parsers[role.parser], answer.value):
            ctx.note(VERDICT, {"verdict": word})
        self.output = answer.value
        return {**said, "type": "agent"}

    async def _answer(self, ctx: Context, step: Step, prompt: str) -> Answer:
        """The reply, asked for anew where it is no JSON or does not fit the role's parser."""
        role = self.document.roles[step.role]
        agent = Agent(step.role, model=self.document.model, instructions=role.system_prompt)
        ear = Ear(step.role, role.parser, self.document.parsers[role.parser])
        problems: list[str] = []

        def accept(text: str) -> Json:
            try:
                return ear.hear(text)
            except NotUsable as error:
                problems.append(str(error))
                raise Failed(Failure(INVALID, str(error))) from None

        async def attempt(ctx: Context) -> Answer:
            asked = again(prompt, problems[-1]) if problems else prompt
            wish = Wish(accept=accept)
            return await turn(ctx, agent, asked, session=self.sessions[step.role], wish=wish)

        policy = Policy(attempts=ATTEMPTS, kinds=frozenset({INVALID}))
        return await attempts(ctx, "attempts", policy, attempt)

    # The state

    def _after(self, said: dict[str, Json]) -> dict[str, Json]:
        """What is seen when a step has ended."""
        return {**self.scope, "parsed": said["parsed"], "raw": said["raw"], "current": said}

    def _update(self, ctx: Context, updates: Templates, scope: dict[str, Json]) -> None:
        """One after the other, so that each sees those before it."""
        for name, template in updates:
            self.state[name] = self._rendered(ctx, template, scope)
        if updates:
            ctx.note(STATE, {name: self.state[name] for name, _ in updates})

    def _rendered(self, ctx: Context, template: str, scope: dict[str, Json]) -> str:
        try:
            return render(template, scope)
        except TextTooLong as error:
            raise _failed(ctx, Failure("text_too_long", str(error))) from None


def _fired(
    transitions: Sequence[Transition], said: dict[str, Json], scope: dict[str, Json]
) -> Transition | None:
    """The first whose condition holds."""
    return next((one for one in transitions if holds(one.condition, said, scope)), None)


def _failed(ctx: Context, failure: Failure) -> Failed:
    """A failure of a step, which a retry does again."""
    return Failed(
        Failure(failure.kind, failure.message, detail=failure.detail, at=(without_attempts(ctx.path),))
    )
