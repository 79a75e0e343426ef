"""The pictures on the first page: a run while it works, and what `show` tells of it afterwards.

No two runs take the same time to the millisecond.  So a picture is current if it differs from a new one in
nothing but times and how far each agent had come; only one that is not is drawn anew.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from scripts.film import Frame, film, svg, text

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
COLUMNS = 92
_EXAMPLES = ROOT / "examples" / "openfang"
_RUN = "5e1f0c7a"
_COMMANDS = {
    "run": 'quintet run brainstorm.json "less waste in hotel kitchens" --script brainstorm.script.yaml',
    "show": f"quintet show {_RUN}",
}
TEXT = re.compile(r'<text[^>]* y="([^"]*)"[^>]*>([^<]*)</text>')
_CHANGES = re.compile(r"\d+:\d\d|\d+(\.\d)? (s|ms)\b|▇+|(?<= ) +")


def drawn() -> Mapping[str, str]:
    """Each picture as it is now."""
    return {name: svg(frame, _COMMANDS[name], COLUMNS) for name, frame in _filmed().items()}


def is_current(name: str) -> bool:
    """Whether the picture that is there shows what is shown today."""
    path = place(name)
    return path.exists() and shape(path.read_text(encoding="utf-8")) == shape(drawn()[name])


def place(name: str) -> Path:
    return FOLDER / f"{name}.svg"


def draw() -> None:
    """Draw anew what is not current."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, picture in drawn().items():
        if not is_current(name):
            place(name).write_text(picture, encoding="utf-8")


def shape(picture: str) -> tuple[str, list[str]]:
    """What is no accident of a run: how it is drawn, and what stands in each line, but for what is said."""
    style = picture.partition("<style>")[2].partition("</style>")[0]
    lines = (
        " ".join(found[2] for found in line) for _, line in groupby(TEXT.finditer(picture), itemgetter(1))
    )
    told = (_CHANGES.sub("", line.partition("▏")[0]).strip() for line in lines)
    return style, [line for line in told if line]


@cache
def _filmed() -> Mapping[str, Frame]:
    run = [*shlex.split(_COMMANDS["run"])[1:], "--run-id", _RUN]
    frames = film(run, ("show", _RUN), folder=_EXAMPLES, columns=COLUMNS)
    talking = [frame for frame in frames if sum("● " in line and "▏" in line for line in text(frame)) == 3]
    return {"run": talking[-1], "show": frames[-1]}
