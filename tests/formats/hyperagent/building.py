"""Short ways to write Hyperagent workflows in tests, to check them, and to run them with scripted roles."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from quintet.api import Workflow, load
from quintet.formats import registry
from quintet.problems.problem import Problem
from quintet.record import Run
from quintet.testing import MemoryHost, rehearse

ANY: Mapping[str, Any] = {"type": "unknown"}


def step(key: str = "s", role: str = "a", prompt: str | Sequence[str] = "go", **keys: Any) -> dict[str, Any]:
    return {"key": key, "role": role, "prompt": [prompt] if isinstance(prompt, str) else prompt, **keys}


def x(name: str, value: Any = 1) -> dict[str, Any]:
    """A key that is nobody's business."""
    return {f"x-{name}": value}


def leave(outcome: str = "done", condition: Any = "always", reason: str = "r", **keys: Any) -> dict[str, Any]:
    """A transition that ends the run."""
    return {"condition": condition, "outcome": outcome, "reason": reason, **keys}


def go(target: str, condition: Any = "always", **keys: Any) -> dict[str, Any]:
    """A transition to another step."""
    return {"condition": condition, "nextStep": target, **keys}


def flow(
    *steps: Mapping[str, Any],
    bootstrap: Mapping[str, Any] | None = None,
    state: Mapping[str, Any] | None = None,
    rounds: int | None = 1,
    start: str | None = None,
    default: Mapping[str, Any] | None = None,
    parsers: Mapping[str, Any] | None = None,
    **top: Any,
) -> dict[str, Any]:
    """A workflow of steps; every role that takes a turn has a session and a parser, its own or any."""
    all_steps = [*([bootstrap] if bootstrap else []), *steps]
    roles = list(dict.fromkeys(one["role"] for one in all_steps))
    given = {"any": ANY, **(parsers or {})}
    found: dict[str, Any] = {
        "id": "flow.v1",
        "sessions": {"roles": [{"role": role} for role in roles]},
        "parsers": {name: one for name, one in given.items() if name != "any" or {*roles} - {*given}},
        "roles": {role: {"systemPrompt": role, "parser": role if role in given else "any"} for role in roles},
    }
    if state is not None:
        found["state"] = {"initial": state}
    body: dict[str, Any] = {
        "steps": list(steps),
        "defaultOutcome": default or {"outcome": "end", "reason": "over"},
    }
    body |= {key: value for key, value in (("start", start), ("maxRounds", rounds)) if value is not None}
    found["flow"] = {"round": body} if bootstrap is None else {"bootstrap": bootstrap, "round": body}
    return {**found, **top}


def loaded(document: Mapping[str, Any]) -> Workflow:
    return load(json.dumps(document))


def run(
    document: Mapping[str, Any],
    prompt: str | None = None,
    *,
    inputs: Mapping[str, Any] | None = None,
    host: MemoryHost | None = None,
    **roles: Sequence[Any],
) -> Run:
    """A run in which each role gives these replies; an entry with `error` or `delay` is one of a script."""
    script = {"agents": {role: [_entry(one) for one in said] for role, said in roles.items()}}
    return rehearse(loaded(document), prompt, inputs=inputs, script=script, host=host)


def native(found: Run) -> Any:
    return found.native


def prompts(found: Run) -> dict[str, str | None]:
    """What each turn was asked, by its path."""
    return {one.path: one.prompt for one in found.steps}


def problems(document: Any, inputs: Collection[str] = ()) -> tuple[Problem, ...]:
    text = document if isinstance(document, str) else json.dumps(document, indent=1, ensure_ascii=False)
    around = registry.Surroundings(inputs)
    return registry.load(text, "flow.json", format="hyperagent", surroundings=around).problems


def told(document: Any, inputs: Collection[str] = ()) -> list[tuple[str, str]]:
    """The codes of what is wrong, and the very characters that are pointed at."""
    return [(one.code.name, pointed(one)) for one in problems(document, inputs)]


def pointed(problem: Problem) -> str:
    assert problem.excerpt is not None
    start = problem.place.column - problem.excerpt.column
    return problem.excerpt.text[start : start + problem.place.end_column - problem.place.column]


_WORDS = {"error", "delay", "tokens", "tool", "reply"}


def _entry(said: Any) -> dict[str, Any]:
    found = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
    return {"reply": said} if _WORDS.isdisjoint(found) else found
