"""Source: a file becomes a value tree, or problems that say where it cannot.

YAML and JSON are both read here, with a line and a column for every key and value.  How large, how deep and
how full a file may be is bounded before anything recursive sees it, so that any input at all, a hundred
megabytes or ten thousand brackets, is read or refused in bounded time and memory.

Which of the two languages a text is written in: `.json` says JSON, `.yaml` and `.yml` say YAML.  Where the
path does not tell, a text that begins like JSON is read as JSON, then as YAML if it is none.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

from quintet.formats.codes import CANNOT_READ, CONTROL_CHARACTER, EMPTY_FILE, NOT_UTF_8, TOO_LARGE
from quintet.formats.json_text import read_json
from quintet.formats.limits import LIMITS, Limits, Refused
from quintet.formats.positions import Text
from quintet.formats.report import Report
from quintet.formats.tree import Span, Value
from quintet.problems.codes import Language

UNNAMED = "<text>"
"""What a text without a file is called in problems."""

_LANGUAGES: dict[str, Language] = {
    ".json": "json",
    ".jsonc": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".toml": "toml",
}
_LIKE_JSON = re.compile(r"\s*(?:[{\[]|//|/\*)")
_NEVER = re.compile(r"[\x00\ud800-\udfff]")
_OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading a file."""

    root: Value | None
    """None where there is nothing to check: the report then says why."""
    report: Report
    """The problems so far; checks add theirs."""


def read_file(path: str | Path, limits: Limits = LIMITS) -> Reading:
    """Read the file at a path; never more of it than a definition may have."""
    try:
        data = _contents(Path(path), limits.size + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        report = Report(Text("", str(path)))
        report.add(CANNOT_READ, f"cannot be read: {reason[:1].lower()}{reason[1:]}", Span(0, 0))
        return Reading(None, report)
    return read(data, str(path), limits)


def _contents(path: Path, most: int) -> bytes:
    if path.is_fifo():
        from quintet.formats.pipes import read_pipe

        return read_pipe(path, most)
    with path.open("rb") as file:
        return file.read(most)


def read(
    data: str | bytes, path: str = UNNAMED, limits: Limits = LIMITS, otherwise: Language | None = None
) -> Reading:
    """Read a text; the path tells its language and stands in its problems.

    Where it does not tell, `otherwise` is the language, or else what the text looks like.
    """
    size = len(data) if isinstance(data, bytes) else _encoded_size(data, limits)
    if size > limits.size:
        report = Report(Text("", path))
        report.add(TOO_LARGE, f"larger than {limits.size:,} bytes", Span(0, 0))
        return Reading(None, report)
    if isinstance(data, bytes):
        try:
            data = data.decode("utf-8")
        except UnicodeDecodeError as error:
            return _not_utf_8(data, error, path)
    text = Text(data.removeprefix("\ufeff"), path)
    language = _LANGUAGES.get(PurePath(path).suffix.lower()) or otherwise
    if language is not None:
        return _read_as(language, text, limits)
    if not _LIKE_JSON.match(text.text):
        return _read_as("yaml", text, limits)
    as_json = _read_as("json", text, limits)
    if as_json.root is None:
        as_yaml = _read_as("yaml", text, limits)
        return as_json if as_yaml.root is None else as_yaml
    return as_json


def _read_as(language: Language, text: Text, limits: Limits) -> Reading:
    report = Report(text)
    try:
        _printable(report)
        root = None if not text.text.strip() else _parsed(language, report, limits)
    except Refused:
        return Reading(None, report)
    if root is None:
        report.add(EMPTY_FILE, "this file says nothing", Span(0, 0))
    return Reading(root, report)


def _parsed(language: Language, report: Report, limits: Limits) -> Value | None:
    if language == "json":
        return read_json(report, limits)
    if language == "toml":
        from quintet.formats.toml_text import read_toml  # only settings and agents are written in it

        return read_toml(report, limits)
    from quintet.formats.yaml_text import read_yaml  # takes a while to import

    return read_yaml(report, limits)


def _printable(report: Report) -> None:
    """Refuses what no text file can hold, whatever its language."""
    found = _NEVER.search(report.text.text)
    if found is not None:
        what = "a NUL character" if found[0] == "\0" else "half of a surrogate pair"
        report.add(CONTROL_CHARACTER, what, Span(*found.span()), "is this a text file?")
        raise Refused


def _encoded_size(text: str, limits: Limits) -> int:
    """The size of a text in UTF-8, without encoding one that is too large anyway."""
    return len(text) if len(text) > limits.size else len(text.encode("utf-8", "surrogatepass"))


def _not_utf_8(data: bytes, error: UnicodeDecodeError, path: str) -> Reading:
    """Points at the first byte that does not fit; the text around it is shown as well as it can be."""
    mark = next((name for mark, name in _OTHER_MARKS.items() if data.startswith(mark)), None)
    start = len(data[: error.start].decode("utf-8"))
    report = Report(Text(data.decode("utf-8", "replace"), path))
    message = (
        f"the byte 0x{data[error.start]:02x} is not UTF-8" if mark is None else f"this is {mark}, not UTF-8"
    )
    report.add(NOT_UTF_8, message, Span(start, start + 1), "save the file as UTF-8")
    return Reading(None, report)
