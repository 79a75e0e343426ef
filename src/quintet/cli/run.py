"""`quintet run`, which cagent users know as `quintet exec`: a workflow, from its file to its result."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintet.cli.expecting import check_expected
from quintet.cli.given import STDIN, Given, given_options, standard_input
from quintet.cli.known_agents import Where
from quintet.cli.manner import Manner, manner_options, run_id_option
from quintet.cli.refusal import Refusal
from quintet.cli.screen import say
from quintet.cli.sources import Source, name_of, source_options
from quintet.cli.stores import place_of
from quintet.problems.wording import counted, quoted, visible

if TYPE_CHECKING:
    from quintet.api import Workflow
    from quintet.engine.values import Json
    from quintet.runs.live import LiveRun
    from quintet.runs.pinned import Pinned, Text
    from quintet.runs.workshop import Workshop

_SHAPE = "quintet run FILE PROMPT"


@click.command("run")
@click.argument("file", metavar="FILE", type=click.Path(allow_dash=True))
@given_options
@source_options("--format")
@manner_options
@run_id_option
@click.option(
    "--continue",
    "continues",
    metavar="RUN",
    help="Agents' conversations go on where those of this run ended.",
)
@click.option(
    "--max-rounds",
    type=click.IntRange(min=0),
    metavar="N",
    help="Hyperagent: how many rounds at most, whatever the workflow says.",
)
@click.option("--dry-run", is_flag=True, help="Check, resolve and plan; nothing is run, and no run is kept.")
def command(  # noqa: PLR0913 - each is an option
    *,
    file: str,
    given: Given,
    source: Source,
    manner: Manner,
    new_run: str | None,
    continues: str | None,
    max_rounds: int | None,
    dry_run: bool,
) -> int:
    """Run a workflow, and show it live.

    FILE is a path, or - for standard input; PROMPT - reads the prompt from standard input.

    The result goes to standard output, all else to standard error.  Exit code 0: completed; 1: the run
    failed; 2: the call, the file or the inputs are wrong, and nothing ran; 3: the run waits for a person;
    130: interrupted or cancelled.
    """
    if file == given.prompt_text == STDIN:
        raise click.UsageError("standard input can be read only once")
    if dry_run and manner.as_events:
        raise click.UsageError("--dry-run and --events exclude each other: nothing happens")
    if os.path.lexists(given.prompt_text or "") and not (file == STDIN or os.path.lexists(file)):
        raise Refusal(f"there is no file {quoted(file)}", f"the file comes first: {_SHAPE}")
    where = Where(manner.script, manner.agents, manner.config)
    inputs = given.inputs
    workflow = _loaded(file, source, inputs, where)
    arguments = _arguments(workflow, given.prompt, inputs, max_rounds)
    check_expected(manner, workflow.definition)
    pinned = _pinned(workflow, where, manner)
    if dry_run:
        from quintet.cli.plan import show_plan

        return show_plan(workflow, pinned, arguments, as_json=manner.as_json)
    from quintet.cli.conducting import conduct
    from quintet.cli.run_ids import full_id

    _say_warnings(workflow, where)
    _say_unpriced(workflow, pinned)
    place = place_of(manner.store, Path(file), manner.config)

    async def begin(workshop: Workshop, _: str) -> LiveRun:
        earlier = None if continues is None else await full_id(workshop, continues)
        return await workshop.start(pinned, arguments, run_id=new_run, continues=earlier)

    return conduct(begin, manner, place)


as_exec = copy(command)
"""`quintet exec`: the same verb under another name."""
as_exec.name = "exec"


def _loaded(file: str, source: Source, inputs: Mapping[str, Json], where: Where) -> Workflow:
    """The workflow of a file; the text that was checked is the one that is run."""
    from quintet.api import Workflow
    from quintet.formats.invalid import InvalidFile
    from quintet.formats.registry import Surroundings, UnknownFormat, load

    text = _text(file)
    try:
        checked = load(
            text.text,
            text.path,
            format=source.format,
            surroundings=Surroundings(inputs, where.known(text.path)),
            strict=source.strict,
            lenient=source.lenient,
        )
    except UnknownFormat as unknown:
        raise Refusal(str(unknown)) from None
    if checked.workflow is None:
        raise InvalidFile(checked.problems)
    return Workflow(checked.workflow, text, checked.problems, lenient=source.lenient)


def _text(file: str) -> Text:
    from quintet.project import read_text
    from quintet.runs.pinned import Text

    return Text(name_of(file), standard_input() if file == STDIN else read_text(Path(file)))


def _arguments(
    workflow: Workflow, prompt: str | None, inputs: Mapping[str, Json], max_rounds: int | None
) -> Json:
    from quintet.workflow import WrongInput

    try:
        return workflow.arguments(prompt, inputs, max_rounds=max_rounds)
    except WrongInput as wrong:
        raise Refusal(visible(str(wrong))) from None


def _pinned(workflow: Workflow, where: Where, manner: Manner) -> Pinned:
    """All that the run is made from; sure to be enough to begin with."""
    from quintet.cli.texts import anchored
    from quintet.cli.trouble import told, ways
    from quintet.engine.failures import EngineError
    from quintet.runs.workshop import ready

    pinned = workflow.pinned(
        script=where.script,
        fake=manner.fake,
        record=manner.record,
        agents=where.folder,
        config=where.config,
        model=manner.models,
        budget=manner.budget,
    )
    try:
        pinned = ready(pinned)
    except EngineError as error:
        raise Refusal(told(error, ""), ways(error)) from error
    return anchored(pinned)


def _say_warnings(workflow: Workflow, where: Where) -> None:
    """How many there are, and how to see them."""
    if workflow.problems:
        path = workflow.text.path
        command = visible(shlex.join(("quintet", "check", path, *where.options)))
        say(f"{counted(len(workflow.problems), 'warning')} in {visible(path)}: {command}")


def _say_unpriced(workflow: Workflow, pinned: Pinned) -> None:
    """What a limit in money cannot hold."""
    from quintet.runs.models import agents_of, unpriced

    if models := unpriced(pinned, agents_of(workflow.definition)):
        say(f"the price of {', '.join(map(visible, models))} is not known: no limit in money holds it")
