"""`quintet export`: all that is known of a run, as one JSON object, or what was said in it, as a cassette."""

from __future__ import annotations

import json
import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from quintet.cli.refusal import Refusal
from quintet.cli.run_ids import run_argument
from quintet.cli.screen import result, say
from quintet.cli.stores import place_of, store_option
from quintet.problems.wording import visible

if TYPE_CHECKING:
    from quintet.engine.events import Event
    from quintet.engine.values import Json
    from quintet.runs.workshop import Workshop

VERSION = 1
"""The version of the shape of what is exported."""


@click.command("export")
@run_argument
@click.option("-o", "--output", metavar="FILE", type=click.Path(path_type=Path), help="Write it to a file.")
@click.option(
    "--as",
    "shape",
    type=click.Choice(["json", "cassette"]),
    default="json",
    show_default=True,
    help="json: all of it; cassette: what models and tools said, for --fake and quintet test.",
)
@click.option("--json", "as_json", is_flag=True, help="The same: it is always JSON.")
@store_option
def command(run_id: str, output: Path | None, shape: str, as_json: bool, store: str | None) -> int:
    """Print all that is known of a run: what show --json tells, what it was made from, and all its events.

    As a cassette: what its models and tools said.
    """
    if shape == "cassette" and as_json:
        raise click.UsageError("--json and --as cassette exclude each other: a cassette is YAML")
    from quintet.cli.reading import reading
    from quintet.cli.run_ids import full_id

    async def look(workshop: Workshop) -> int:
        known = await full_id(workshop, run_id)
        if shape == "cassette":
            text = await workshop.cassette(known)
        else:
            text = json.dumps(await _exported(workshop, known), ensure_ascii=False, indent=2) + "\n"
        if output is None:
            result(text.removesuffix("\n"))
        else:
            _write(output, text)
            say(f"{visible(str(output))} is written")
        return 0

    return reading(place_of(store), look, run_id)


async def _exported(workshop: Workshop, run_id: str) -> dict[str, Json]:
    pinned = await workshop.pinned(run_id)
    return {
        "quintet_export": VERSION,
        "run": (await workshop.run(run_id)).to_json(),
        "made_from": None if pinned is None else pinned.to_json(),
        "events": [_event_json(event) for event in await workshop.store.log(run_id)],
    }


def _event_json(event: Event) -> Json:
    """An event with all that the log says of it."""
    from quintet.engine.paths import write
    from quintet.engine.values import decode

    return {
        "seq": event.seq,
        "time": event.time,
        "kind": event.kind,
        "path": write(event.path),
        "cause": event.cause,
        "fingerprint": event.fingerprint,
        "data": decode(event.data),
    }


def _write(path: Path, text: str) -> None:
    """The file is there with all of the text, or as it was."""
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        part.write_text(text, encoding="utf-8", errors="backslashreplace")
        part.replace(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Refusal(f"{visible(str(path))} cannot be written: {reason.lower()}") from None
    finally:
        with suppress(OSError, ValueError):
            part.unlink()
