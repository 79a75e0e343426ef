"""Cassettes of runs: read from files, and made from logs."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any

from quintet.agents.cassette import Cassette, Outcome
from quintet.agents.cassette_file import LIMITS, parse
from quintet.agents.cassette_text import text_of
from quintet.agents.roster import Roster
from quintet.agents.taping import Taping
from quintet.engine.created import Created
from quintet.engine.events import Event
from quintet.engine.failures import EngineError
from quintet.engine.redaction import Redactor
from quintet.engine.values import Json, decode
from quintet.project import read_text
from quintet.record import Run
from quintet.runs.chronicle import Chronicle
from quintet.runs.models import reach_of, roster_of, secrets_of
from quintet.runs.pinned import Pinned, Text


class NoCassette(EngineError):
    """A run cannot be recorded."""

    code = "no-cassette"


def cassette_text(path: str | PathLike[str]) -> Text:
    """A cassette that is sure to be valid.  Raises InvalidFile."""
    text = Text(str(path), read_text(Path(path), LIMITS))
    cassette_of(text)
    return text


@lru_cache(maxsize=16)
def cassette_of(text: Text) -> Cassette:
    """What the text of a cassette says.  Raises InvalidFile."""
    return parse(text.text, text.path)


def tape(log: Sequence[Event]) -> str:
    """The text of the cassette of a run.  Raises NoCassette."""
    pinned = Pinned.from_json(Created.from_event(log[0]).pinned)
    if pinned is None:
        raise NoCassette("the run does not say which workflow it is of")
    redactor = Redactor(secrets_of(reach_of(pinned), roster_of(pinned)))
    clean = [event._replace(data=redactor.encoded(event.data)) for event in log]
    return text_of(recorded(clean, pinned))


def recorded(log: Sequence[Event], pinned: Pinned) -> Cassette:
    """What a log holds that belongs on a cassette."""
    chronicle = Chronicle("")
    chronicle.hear(log)
    taping = Taping(roster_of(pinned), lambda event: _roster(event, pinned))
    taping.hear(log)
    run = chronicle.run()
    return Cassette(
        pinned.workflow,
        pinned.format,
        run.arguments,
        outcome_of(run),
        taping.models,
        taping.tools,
        taping.services,
        taping.answers,
    )


def outcome_of(run: Run) -> Outcome:
    """What came of a run, as a cassette says it."""
    error: Mapping[str, Json] | None = None
    if run.error is not None:
        error = {"kind": run.error.kind, "message": run.error.message}
    return Outcome(run.status, run.output, error)


def recordable(pinned: Pinned) -> None:
    """Raises NoCassette where it is clear beforehand that a run cannot be recorded."""
    path = Path(pinned.record or "")
    if pinned.fake is not None:
        raise NoCassette(
            "a run that plays a cassette is not recorded: --record and --fake exclude each other"
        )
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else "is in no folder that there is"
        raise NoCassette(f"the run cannot be recorded: {pinned.record} {what}")


def write(path: Path, text: str) -> None:
    """The file is there with all of the text, or as it was.  Raises NoCassette."""
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise NoCassette(f"the run is not recorded: {path} cannot be written: {reason.lower()}") from None
    finally:
        with suppress(OSError, ValueError):
            part.unlink()


def _roster(event: Event, pinned: Pinned) -> Roster | None:
    """The agents that a run goes on with."""
    if event.kind != "run.resumed":
        return None
    data: Any = decode(event.data)
    return roster_of(_with_agents(pinned, data["agents"])) if data and "agents" in data else roster_of(pinned)


def _with_agents(pinned: Pinned, texts: Sequence[Any]) -> Pinned:
    return replace(pinned, agents=tuple(map(Text.from_json, texts)))
