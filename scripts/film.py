"""Films of the command line: what a terminal shows while a command works, moment by moment, as SVG.

The command runs for real, in a pseudo-terminal; what it writes is read by a small terminal of our own.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

from quintet.drawing.cells import char_width
from scripts.emulator import Emulator

QUINTET = Path(sys.executable).parent / "quintet"
_SHOWN = "\x1b[?2026l"
"""With this a picture is complete."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Cells of one colour."""

    column: int
    text: str
    style: str

    @property
    def wide(self) -> int:
        return sum(map(char_width, self.text))


Frame = tuple[tuple[Stretch, ...], ...]
"""A screen, line by line, without what is blank."""


def film(*commands: Sequence[str], folder: Path, columns: int, height: int = 40) -> list[Frame]:
    """All pictures that a terminal shows of some commands in a folder, each on a clear screen of its own."""
    frames: list[Frame] = []
    plain = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS"}}
    with tempfile.TemporaryDirectory() as home:
        told = {**plain, "TERM": "xterm-256color", "PYTHONUTF8": "1", "QUINTET_HOME": home}
        for command in commands:
            screen = Emulator(columns, height)
            for piece in _written(command, folder, told, screen.size()):
                screen.write(piece)
                frames.append(_frame(screen))
    return frames


def text(frame: Frame) -> list[str]:
    """What stands on a screen."""
    return ["".join(_filled(line)) for line in frame]


def _filled(line: Sequence[Stretch]) -> Iterator[str]:
    at = 0
    for one in line:
        yield " " * (one.column - at) + one.text
        at = one.column + one.wide


def _written(
    command: Sequence[str], folder: Path, told: Mapping[str, str], size: tuple[int, int]
) -> Iterator[str]:
    """What a command writes to its terminal, a picture at a time."""
    import fcntl
    import termios

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *reversed(size), 0, 0))
    process = subprocess.Popen(
        [str(QUINTET), *command], cwd=folder, env=told, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    seen = ""
    while piece := _read(ours):
        *whole, seen = (seen + piece).split(_SHOWN)
        yield from (part + _SHOWN for part in whole)
    yield seen
    os.close(ours)
    if process.wait() != 0:
        raise RuntimeError(f"{command} gave {process.returncode}")


def _read(terminal: int) -> str:
    try:
        data = os.read(terminal, 65536)
        while data and data[-1] & 0x80:  # not within a character
            data += os.read(terminal, 1)
    except OSError:  # nobody has the other end any more
        return ""
    return data.decode().replace("\r\n", "\n")


def _frame(screen: Emulator) -> Frame:
    lines = [tuple(_stretches(*row)) for row in zip(screen.screen, screen.styles, strict=True)]
    while lines and not lines[-1]:
        lines.pop()
    return tuple(lines)


def _stretches(chars: Sequence[str], styles: Sequence[str]) -> Iterator[Stretch]:
    at = 0
    for style, cells in groupby(zip(chars, styles, strict=True), key=lambda cell: cell[1]):
        whole = [char for char, _ in cells]
        found = "".join(whole)
        if found.strip():
            blank = len(found) - len(found.lstrip())
            yield Stretch(at + blank, found.strip(), style)
        at += len(whole)


# --- as a picture -------------------------------------------------------------------------------------

_CELL, _ROW, _MARGIN, _BAR = 8.4, 20.0, 18.0, 30.0
_COLOURS = {"31": "red", "32": "green", "33": "yellow", "35": "magenta", "36": "cyan"}
_STYLE = """
    svg { color-scheme: light dark; --paper: #ffffff; --edge: #d0d7de; --ink: #1f2328; --quiet: #6e7781;
      --red: #cf222e; --green: #1a7f37; --yellow: #9a6700; --magenta: #8250df; --cyan: #0969da; }
    @media (prefers-color-scheme: dark) {
      svg { --paper: #0d1117; --edge: #30363d; --ink: #e6edf3; --quiet: #8b949e;
        --red: #ff7b72; --green: #3fb950; --yellow: #d29922; --magenta: #d2a8ff; --cyan: #58a6ff; } }
    .paper { fill: var(--paper); stroke: var(--edge); }
    .dot { fill: var(--edge); }
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
      fill: var(--ink); white-space: pre; }
    .bold { font-weight: 600; }
    .quiet { fill: var(--quiet); }
    .red { fill: var(--red); } .green { fill: var(--green); } .yellow { fill: var(--yellow); }
    .magenta { fill: var(--magenta); } .cyan { fill: var(--cyan); }
"""


def svg(frame: Frame, command: str, columns: int) -> str:
    """A screen below the command that was typed."""
    wide = columns * _CELL + 2 * _MARGIN
    typed = (Stretch(0, "$", "2"), Stretch(2, command, ""))
    lines = (typed, *frame)
    high = len(lines) * _ROW + _BAR + _MARGIN
    dots = "".join(f'<circle class="dot" cx="{_n(_MARGIN + 16 * n)}" cy="16" r="5"/>' for n in range(3))
    rows = [
        f"  {_text(one, _BAR + _ROW * (number + 0.75))}" for number, line in enumerate(lines) for one in line
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(wide)} {_n(high)}"',
            f'  width="{_n(wide)}" height="{_n(high)}" role="img">',
            f"  <title>{escape(command)}</title>\n  <style>{_STYLE}  </style>",
            f'  <rect class="paper" x="0.5" y="0.5" width="{_n(wide - 1)}" height="{_n(high - 1)}" rx="8"/>',
            f"  {dots}",
            *rows,
            "</svg>\n",
        ]
    )


def _text(one: Stretch, y: float) -> str:
    classes = " ".join(filter(None, map(_class, one.style.split(";"))))
    kind = f' class="{classes}"' if classes else ""
    place = f'x="{_n(_MARGIN + one.column * _CELL)}" y="{_n(y)}" textLength="{_n(one.wide * _CELL)}"'
    return f'<text{kind} {place} lengthAdjust="spacingAndGlyphs">{escape(one.text)}</text>'


def _class(code: str) -> str:
    return {"1": "bold", "2": "quiet"}.get(code) or _COLOURS.get(code, "")


def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
