"""Manner: how a verb works on a run; the options that all of them have in common.

@click.command("resume")
@manner_options
def command(run: str, manner: Manner) -> int:
    return conduct(begin, manner, place_of(manner.store))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeAlias

import click

from quintet.cli.given import text_of
from quintet.cli.stores import Durability, store_option

Verb: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Manner:
    """What the options say."""

    script: str | None = None
    fake: str | None = None
    record: str | None = None
    config: str | None = None
    agents: str | None = None
    store: str | None = None
    as_json: bool = False
    as_events: bool = False
    durability: Durability = "full"
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    """Models by agent; for all of them under the empty name."""
    budget: Mapping[str, float] = field(default_factory=dict[str, float])
    expect: Sequence[str] = ()
    """The outcomes that are well; empty: any."""


def manner_options(verb: Verb) -> Verb:
    """Gives a verb the options, as a Manner."""

    @wraps(verb)
    def with_manner(**options: Any) -> Any:
        if options["as_json"] and options["as_events"]:
            raise click.UsageError("--json and --events exclude each other")
        for one, other in (("fake", "script"), ("fake", "record")):
            if options[one] is not None and options[other] is not None:
                raise click.UsageError(f"--{one} and --{other} exclude each other")
        budget = {name: limit for name in _LIMITS if (limit := options.pop(name)) is not None}
        manner = Manner(budget=budget, **{name: options.pop(name) for name in _GIVEN})
        return verb(manner=manner, **options)

    decorated: Verb = with_manner
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_GIVEN = (
    "config",
    "script",
    "fake",
    "record",
    "agents",
    "store",
    "as_json",
    "as_events",
    "durability",
    "models",
    "expect",
)
_LIMITS = ("max_usd", "max_tokens")


def _named(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """An id that somebody chooses."""
    from quintet.engine.run_ids import UnusableId, usable

    try:
        return None if value is None else usable(text_of(value, "ID"))
    except UnusableId as wrong:
        raise click.UsageError(f"--run-id: {wrong}") from None


def _models(context: click.Context, option: click.Parameter, values: Sequence[str]) -> Mapping[str, str]:
    """Models by agent: `AGENT=PROVIDER:NAME`, or one for all."""
    found: dict[str, str] = {}
    for value in values:
        agent, equals, model = text_of(value, "--model").rpartition("=")
        if not model.strip() or (equals and not agent):
            raise click.UsageError(f"--model is [AGENT=]PROVIDER:NAME, not {value!r}")
        if agent in found:
            raise click.UsageError(f"--model is given twice for {agent or 'all agents'}")
        found[agent] = model
    return found


def _outcomes(context: click.Context, option: click.Parameter, value: str | None) -> Sequence[str]:
    """Names with commas between them."""
    names = [] if value is None else [name.strip() for name in text_of(value, "--expect").split(",")]
    if not all(names):
        raise click.UsageError("--expect is OUTCOME,…")
    return names


run_id_option = click.option(
    "--run-id",
    "new_run",
    metavar="ID",
    callback=_named,
    help="The id of the new run; one that exists is refused.",
)
file_option = click.option(
    "--file", metavar="FILE", type=click.Path(), help="Take the workflow as it is in this file now."
)

_OPTIONS: list[Callable[[Verb], Verb]] = [
    click.option(
        "--script",
        metavar="FILE",
        type=click.Path(),
        help="A script with stand-ins that answer in place of models and tools.",
    ),
    click.option(
        "--fake",
        metavar="FILE",
        type=click.Path(),
        help="A cassette that answers in place of models and tools; what is not on it stops the run.",
    ),
    click.option(
        "--record",
        metavar="FILE",
        type=click.Path(),
        help="Record the run as a cassette, for --fake and quintet test.",
    ),
    click.option(
        "--model",
        "models",
        metavar="[AGENT=]PROVIDER:NAME",
        multiple=True,
        callback=_models,
        help="The model that answers for every agent, or for one.  May be repeated.",
    ),
    click.option(
        "--max-usd",
        type=click.FloatRange(min=0),
        metavar="N",
        help="What the run may cost before it asks a person.",
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        help="How many tokens it may take before it asks a person.",
    ),
    click.option(
        "--config",
        metavar="FILE",
        type=click.Path(),
        help="The project's settings.  [default: quintet.toml, found upward; of a run that goes on, its own]",
    ),
    click.option(
        "--expect",
        metavar="OUTCOME,…",
        callback=_outcomes,
        help="Hyperagent: exit code 1 where the run ends with another outcome.",
    ),
    click.option(
        "--agents", metavar="DIR", type=click.Path(), help="The folder in which agents are defined."
    ),
    store_option,
    click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output, at the end."),
    click.option(
        "--events",
        "as_events",
        is_flag=True,
        help="Each event as it happens, one JSON object a line, on standard output.",
    ),
    click.option(
        "--durability",
        type=click.Choice(["full", "normal"]),
        default="full",
        show_default=True,
        help="What a finished step survives: full a power cut, normal a killed process.",
    ),
]
