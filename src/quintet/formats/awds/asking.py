"""Asking: what the agent of a step is told and given, and what its answer comes to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from quintet.agents.sessions import Session
from quintet.agents.turn import Agent, Tool, Wish, turn
from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.values import Json
from quintet.formats.awds.document import Function, Step
from quintet.formats.awds.expressions.evaluation import Scope
from quintet.formats.awds.expressions.functions import read_json
from quintet.formats.awds.expressions.template import Blueprint, filled, shown
from quintet.formats.awds.expressions.tokens import ExpressionError
from quintet.formats.awds.expressions.values import Value, as_json

PROCEED: Final = "Please proceed."
"""The message of an agent that has no input."""


@dataclass(frozen=True, slots=True)
class Asking:
    """One execution of a step, with its expressions replaced."""

    instructions: str
    message: str
    input: Json
    context: Mapping[str, Json] | None

    async def result(self, ctx: Context, step: Step, session: Session) -> Json:
        """The agent's result: "it conforms to the `resultSchema` if specified"."""
        agent = Agent(step.id, own=True, instructions=self.instructions)
        answer = await turn(ctx, agent, self.message, session=session, wish=self._wish(step))
        return answer.value if step.agent.schema else read_result(answer.text)

    def _wish(self, step: Step) -> Wish:
        functions = step.agent.functions
        return Wish(
            schema=step.agent.schema or None,
            tools=[_tool(one) for one in dict.fromkeys(functions)],
            closed=bool(functions),
            context=self.context,
        )


def asking(step: Step, scope: Scope) -> Asking:
    """What a step asks in a scope.  Raises Failed where an expression comes to nothing."""
    agent = step.agent
    value = _filled(agent.input, scope, "input")
    return Asking(
        instructions=shown(_filled(agent.system_prompt, scope, "systemPrompt")),
        message=PROCEED if agent.input is None else message(value),
        input=as_json(value),
        context=cast("Mapping[str, Json]", _filled(agent.context, scope, "context")) or None,
    )


def message(value: Value) -> str:
    """A text as it stands; a map or a list as JSON, indented by two spaces."""
    if isinstance(value, Mapping | list | tuple):
        return json.dumps(as_json(value), indent=2, ensure_ascii=False)
    return shown(value)


def read_result(text: str) -> Json:
    """What an agent without a schema has answered: the map or the list that it wrote, or else its text."""
    bare = text.strip()
    if not bare.startswith(("{", "[")):
        return text
    try:
        return read_json(bare)
    except ValueError:
        return text


def failed_expression(error: ExpressionError, where: str) -> Failure:
    """A failure that says which expression, and where in it."""
    piece = error.text[error.start : error.end]
    piece = piece if len(piece) <= 60 else piece[:59] + "…"
    message = f"{error.message} (in {where}, character {error.start + 1}: {piece})"
    return Failure("expression", message)


def _filled(blueprint: Blueprint, scope: Scope, where: str) -> Value:
    try:
        return filled(blueprint, scope)
    except ExpressionError as error:
        raise Failed(failed_expression(error, where)) from None


def _tool(function: Function) -> Tool:
    description = f"The function {function.function} of the service {function.service}."
    return Tool(
        function.tool, description, {"type": "object", "properties": {}, "additionalProperties": True}
    )
