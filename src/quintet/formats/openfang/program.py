"""What running an OpenFang workflow means, as the Workflow Engine Guide tells it.

There is an input, which each step replaces by its output, and there are named variables.  Steps run one after
the other; `fan_out` steps that follow each other run at once.  Where the guide is silent the readings of
`docs/formats/openfang.md` hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeAlias

from quintet.agents.sessions import Session, continued
from quintet.agents.turn import NOT_FOUND, Agent, Answer, turn
from quintet.agents.turn import VERSION as TURN
from quintet.engine.combinators import attempts, deadline, gather
from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.paths import Path, without_attempts, write
from quintet.engine.programs import Program, Version
from quintet.engine.retry import Policy
from quintet.engine.scopes import Body
from quintet.engine.values import Json
from quintet.formats.openfang.document import (
    SEPARATOR,
    AgentById,
    Collect,
    Conditional,
    Document,
    FanOut,
    Loop,
    Retry,
    Skip,
    Step,
    blocks,
)
from quintet.formats.openfang.template import PromptTooLong, expand

VERSION: Final = Version("openfang")

DONE, SKIPPED = "step.completed", "step.skipped"
"""What the program notes: a step's result, and a step that is passed over."""


def program(document: Document) -> Program:
    """The program of a workflow."""

    async def run(ctx: Context, arguments: Json) -> Json:
        return await _Flow(ctx, arguments).run(document.steps)

    return Program("openfang", run, (VERSION, TURN))


Ended: TypeAlias = Answer | Failure
"""How one attempt at a step ended."""
Blame: TypeAlias = Callable[[Step, Failure], str]
"""The message of a step that fails the workflow."""


@dataclass(slots=True)
class _Flow:
    """A workflow under way."""

    ctx: Context
    arguments: Any
    input: str = ""
    variables: dict[str, str] = field(default_factory=dict[str, str])
    group: Sequence[str] = ()
    """The outputs of the nearest fan-out group so far."""
    sessions: dict[str, Session] | None = None
    """The conversations of agents, where they go on from an earlier run; else each step begins one."""

    async def run(self, steps: Sequence[Step]) -> str:
        self.input = self.arguments["input"]
        self.variables |= self.arguments["variables"]
        if earlier := self.arguments.get("continues"):
            self.sessions = await continued(self.ctx, earlier)
        for block in blocks([step.mode for step in steps]):
            await self._block([steps[number] for number in block])
        return self.input

    async def _block(self, steps: Sequence[Step]) -> None:
        match steps[0].mode:
            case FanOut():
                await self._fan_out(steps)
            case Collect():
                self._collect(steps[0])
            case Loop() as loop:
                await self._loop(steps[0], loop)
            case Conditional() as mode if not mode.holds(self.input):
                self.ctx.note(SKIPPED, {"name": steps[0].name, "why": "condition"})
            case _:
                await self._sequential(steps[0])

    # The modes

    async def _sequential(self, step: Step) -> None:
        """ "The previous step's output becomes `{{input}}` for this step." """
        answer = await self._step(step, step.name)
        if answer is not None:
            self._hand_on(step, answer.text)

    async def _fan_out(self, steps: Sequence[Step]) -> None:
        """ "All fan-out steps receive the same `{{input}}`." "If any fan-out step fails or times out, the
        entire workflow fails immediately." """
        answers: dict[int, Answer] = {}
        paths: dict[int, Path] = {}

        def member(number: int, step: Step) -> Body[None]:
            async def body(ctx: Context) -> None:
                paths[number] = ctx.path
                ended = await self._attempt(ctx, step)
                if isinstance(ended, Failure):
                    _fail(step, ctx.path, ended, _blame_in_group)
                answers[number] = ended

            return body

        members = [(step.name, member(number, step)) for number, step in enumerate(steps)]
        try:
            await gather(self.ctx, members)
        finally:
            for number in sorted(answers):
                self._note_done(steps[number], steps[number].name, answers[number], paths[number])
        for number, step in enumerate(steps):
            self._hand_on(step, answers[number].text)
        self.group = [answers[number].text for number in range(len(steps))]

    def _collect(self, step: Step) -> None:
        """ "It joins all accumulated outputs with the separator and sets the result as `{{input}}`." """
        self._hand_on(step, SEPARATOR.join(self.group))
        self.group = [self.input]

    async def _loop(self, step: Step, loop: Loop) -> None:
        """ "Each iteration feeds its output back as `{{input}}` for the next iteration." """
        for number in range(1, loop.max_iterations + 1):
            answer = await self._step(step, f"{step.name} (iter {number})")
            if answer is None:
                break
            self.input = answer.text
            if loop.over(self.input):
                break
        self._hand_on(step, self.input)

    # One step

    async def _step(self, step: Step, name: str) -> Answer | None:
        """One step, once.  None if it failed and its failures are to be skipped."""
        paths: list[Path] = []

        async def body(ctx: Context) -> Answer | None:
            paths.append(ctx.path)
            ended = await self._attempts(ctx, step)
            if isinstance(ended, Answer):
                return ended
            if isinstance(step.error_mode, Skip) and ended.kind != NOT_FOUND:
                ctx.note(SKIPPED, {"name": name, "why": _blame(step, ended)})
                return None
            _fail(step, ctx.path, ended, _blame)

        answer = await self.ctx.branch(name, body)
        if answer is not None:
            self._note_done(step, name, answer, paths[0])
        return answer

    def _hand_on(self, step: Step, output: str) -> None:
        self.input = output
        if step.output_var is not None:
            self.variables[step.output_var] = output

    def _note_done(self, step: Step, name: str, answer: Answer, path: Path) -> None:
        who = answer.agent
        self.ctx.note(DONE, {"name": name, "agent_id": who.id, "agent": who.name, "path": write(path)})

    # Attempts

    async def _attempts(self, ctx: Context, step: Step) -> Ended:
        """ "The step is retried up to `max_retries` times after the initial attempt." """
        if not isinstance(step.error_mode, Retry):
            return await self._attempt(ctx, step)

        async def attempt(ctx: Context) -> Ended:
            ended = await self._attempt(ctx, step)
            if isinstance(ended, Answer) or ended.kind == NOT_FOUND:
                return ended
            raise Failed(ended)

        policy = Policy(attempts=1 + step.error_mode.max_retries)
        try:
            return await attempts(ctx, "attempts", policy, attempt)
        except Failed as failed:
            return failed.failure

    async def _attempt(self, ctx: Context, step: Step) -> Ended:
        """ "Each attempt gets the full `timeout_secs` budget independently." """

        async def body(ctx: Context) -> Ended:
            try:
                prompt, agent = expand(step.prompt, self.input, self.variables), _agent(step)
                return await turn(ctx, agent, prompt, session=self._session(agent))
            except PromptTooLong as error:
                return Failure("prompt_too_long", str(error))
            except Failed as failed:
                return failed.failure

        try:
            return await deadline(ctx, "limit", step.timeout_secs, body)
        except Failed:
            late: Json = {"timeout_secs": step.timeout_secs}
            return Failure("timeout", f"timed out after {step.timeout_secs}s", detail=late)

    def _session(self, agent: Agent) -> Session | None:
        if self.sessions is None:
            return None
        return self.sessions.setdefault(agent.shown, Session(agent.shown))


def _agent(step: Step) -> Agent:
    """ "Every step must specify exactly one of `agent_name` or `agent_id`." """
    assert step.agent is not None
    return Agent(id=step.agent.id) if isinstance(step.agent, AgentById) else Agent(step.agent.name)


# What fails a workflow


def _fail(step: Step, path: Path, failure: Failure, blame: Blame) -> NoReturn:
    """The workflow fails at a step."""
    message = f"Agent not found for step '{step.name}'" if failure.kind == NOT_FOUND else blame(step, failure)
    raise Failed(Failure(failure.kind, message, detail=failure.detail, at=(without_attempts(path),)))


def _blame(step: Step, failure: Failure) -> str:
    """ "Step '<name>' failed: <error>" or "Step '<name>' timed out after <N>s" or, of retries, how many."""
    if isinstance(step.error_mode, Retry):
        return f"Step '{step.name}' failed after {step.error_mode.max_retries} retries: {failure.message}"
    return f"Step '{step.name}' {_what(failure)}"


def _blame_in_group(step: Step, failure: Failure) -> str:
    return f"FanOut step '{step.name}' {_what(failure)}"


def _what(failure: Failure) -> str:
    is_late = isinstance(failure.detail, Mapping) and "timeout_secs" in failure.detail
    return failure.message if is_late else f"failed: {failure.message}"
