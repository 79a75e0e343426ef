"""Draws what the pages show of the code and of real runs: `python -m scripts.draw`.

What is drawn stands between `<!-- drawn: NAME -->` and `<!-- drawn -->`; all else on a page is left alone.
The pages that readers follow with their own hands are walked (`scripts.walk`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from unittest.mock import patch

import click

from quintet.agents.models import finding
from quintet.cli.app import app, loaded
from quintet.cli.verbs import BY_NAME
from quintet.engine.events import Event, family
from quintet.engine.paths import write
from quintet.engine.states import mermaid
from quintet.testing import Later
from scripts import pictures, tables, toy
from scripts.sequence import Watched, watch
from scripts.session import mistake, session
from scripts.walk import walked
from tests.cli.calling import called

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = (
    DOCS / "architecture.md",
    DOCS / "models.md",
    DOCS / "reference" / "commands.md",
    DOCS / "reference" / "settings.md",
    ROOT / "README.md",
)
WALKS = (
    DOCS / "tutorial.md",
    DOCS / "models.md",
    *sorted((DOCS / "how-to").glob("*.md")),
    DOCS / "reference" / "script.md",
    DOCS / "formats" / "awds.md",
    DOCS / "formats" / "openfang.md",
    DOCS / "formats" / "hyperagent.md",
)
"""Pages of which every block is a file or is typed."""
LONGEST = 60
"""So many characters of an event's data are shown."""


def states() -> str:
    """The life of a run."""
    return _fence("mermaid", mermaid())


def sequence() -> str:
    """The toy program's run, line by line."""
    return _fence("mermaid", _watched().diagram)


def log() -> str:
    """The log of that run."""
    rows = [
        (str(e.seq), f"{e.time:g} s", family(e.kind), e.kind, _path(e), str(e.cause or ""), _data(e))
        for e in _watched().log
    ]
    return tables.table(("", "time", "family", "kind", "path", "cause", "data"), rows)


def program() -> str:
    """The workflow alone, without what it takes to run it."""
    found = re.search(r"^async def trip.*?(?=\n\n)", toy.source(), re.DOTALL | re.MULTILINE)
    assert found
    return _fence("python", f"{found[0]}\n")


def terminal() -> str:
    """The toy program, killed and resumed."""
    return _fence("console", _told().terminal)


def killed_log() -> str:
    """What a replay reads of the log of the killed run."""
    rows = [(e.kind, _path(e), _data(e)) for e in _told().log]
    return tables.table(("kind", "path", "data"), rows)


EXAMPLE = "examples/openfang/brainstorm"


def shape() -> str:
    """An example, drawn in the terminal and run."""
    run = f'quintet run {EXAMPLE}.json "less waste" --script {EXAMPLE}.script.yaml'
    return _fence("console", session(f"quintet graph {EXAMPLE}.json", run))


def mistakes() -> str:
    """A file with mistakes, checked."""
    return _fence("console", mistake())


def first_file() -> str:
    """A workflow of one's own."""
    return _fence("json", (ROOT / "examples" / "openfang" / "two-steps.json").read_text(encoding="utf-8"))


def first_script() -> str:
    """Who answers in it."""
    script = ROOT / "examples" / "openfang" / "two-steps.script.yaml"
    return _fence("yaml", script.read_text(encoding="utf-8"))


def no_model() -> str:
    """What is said where nobody can be asked."""
    with patch.object(finding, "found", return_value=None):
        answer = called("run", str(ROOT / "examples" / "openfang" / "two-steps.json"), "rain")
    return _fence("text", answer.err)


def commands() -> str:
    """What each verb says of itself."""
    return "\n".join([_fence("text", _help("quintet", app)), *map(_verb, BY_NAME)])


def _verb(name: str) -> str:
    return f"## {name}\n\n{_fence('text', _help(f'quintet {name}', loaded(BY_NAME[name])))}"


def _help(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name, terminal_width=88, help_option_names=["-h", "--help"])
    return f"{command.get_help(context)}\n"


DRAWINGS: dict[str, Callable[[], str]] = {
    "shape": shape,
    "mistakes": mistakes,
    "first file": first_file,
    "first script": first_script,
    "states": states,
    "sequence": sequence,
    "log": log,
    "program": program,
    "terminal": terminal,
    "killed log": killed_log,
    "commands": commands,
    "providers": tables.providers,
    "no model": no_model,
    **{name: partial(str, section) for name, section in tables.sections().items()},
}


def drawn(text: str) -> str:
    """A page with everything on it drawn anew."""
    return re.sub(r"(<!-- drawn: ([\w ]+) -->\n).*?(<!-- drawn -->)", _drawing, text, flags=re.DOTALL)


def _drawing(found: re.Match[str]) -> str:
    return f"{found[1]}{DRAWINGS[found[2]]()}{found[3]}"


@cache
def _watched() -> Watched:
    given = {"sights/ask": Later(2.0, "the Louvre"), "food/ask": Later(1.0, "onion soup")}
    return watch(toy.program(), "Paris", {**given, "plan": Later(3.0, toy.DAY)}, toy.RUN)


@cache
def _told() -> toy.Told:
    return toy.kill_and_resume()


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text}```\n"


def _path(event: Event) -> str:
    return f"`{write(event.path)}`" if event.path else ""


def _data(event: Event) -> str:
    if event.data == "null":
        return ""
    data = event.data if len(event.data) <= LONGEST else f"{event.data[:LONGEST]}…"
    return f"`{data}`"


def main() -> None:
    pictures.draw()
    for page in PAGES:
        page.write_text(drawn(page.read_text(encoding="utf-8")), encoding="utf-8")
    for page in WALKS:
        page.write_text(walked(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
