"""Given: the prompt and the inputs of a run, as a call gives them.

quintet run flow.json "the prompt" -i audience=engineers -i 'limits={"words": 200}' --inputs more.yaml
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from quintet.cli.refusal import Refusal
from quintet.problems.wording import quoted

if TYPE_CHECKING:
    from quintet.engine.values import Json

STDIN = "-"

Verb: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Given:
    """What a call gives."""

    prompt_text: str | None = None
    pairs: Sequence[str] = ()
    """Each KEY=VALUE."""
    file: str | None = None
    """A file with more of them."""

    @property
    def prompt(self) -> str | None:
        """The prompt; `-` reads it from standard input, without line ends at its end, as a shell would."""
        if self.prompt_text == STDIN:
            return standard_input().rstrip("\r\n")
        return None if self.prompt_text is None else text_of(self.prompt_text, "PROMPT")

    @property
    def inputs(self) -> dict[str, Json]:
        """Named inputs: of the file, and each KEY=VALUE, which goes before the file."""
        return {**_of_file(self.file), **pairs_of(self.pairs)}


def given_options(verb: Verb) -> Verb:
    """Gives a verb the prompt and the inputs, as a Given."""

    @wraps(verb)
    def with_given(
        *, prompt: str | None, pairs: Sequence[str], inputs_file: str | None, **others: Any
    ) -> Any:
        return verb(given=Given(prompt, pairs, inputs_file), **others)

    decorated: Verb = with_given
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return decorated


_OPTIONS: list[Callable[[Verb], Verb]] = [
    click.argument("prompt", metavar="[PROMPT|-]", required=False),
    click.option(
        "-i",
        "--input",
        "pairs",
        metavar="KEY=VALUE",
        multiple=True,
        help="A named input; VALUE is JSON where it is JSON, else the text itself.  May be repeated.",
    ),
    click.option(
        "--inputs", "inputs_file", metavar="FILE", type=click.Path(), help="A YAML or JSON map of inputs."
    ),
]


def pairs_of(pairs: Iterable[str]) -> dict[str, Json]:
    """What each KEY=VALUE says.  Raises Refusal where one is no pair, or a key is given twice."""
    found: dict[str, Json] = {}
    for key, text in split(pairs):
        found[key] = value_of(text)
    return found


def split(pairs: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Keys and texts of values."""
    seen: set[str] = set()
    for pair in pairs:
        key, equals, text = text_of(pair, "an input").partition("=")
        if not equals or not key:
            raise Refusal(f"{quoted(pair)} is no input", "an input is KEY=VALUE")
        if key in seen:
            raise Refusal(f"{quoted(key)} is given twice")
        seen.add(key)
        yield key, text


def value_of(text: str) -> Json:
    """JSON where a text is JSON that can be written down again, else the text itself."""
    from quintet.engine.values import encode

    try:
        value: Json = json.loads(text, parse_constant=_no_json)
        if _too_deep(value):
            raise RecursionError
        encode(value)
        json.dumps(value, ensure_ascii=False).encode()
    except ValueError:  # among them a number without an end, and half a surrogate pair
        return text
    except RecursionError:
        raise Refusal(f"{quoted(text)} is nested too deep") from None
    return value


def _too_deep(value: Json) -> bool:
    """Whether it has more lists and maps within each other than a file may have."""
    from quintet.formats.limits import LIMITS

    level = [value]
    for _ in range(LIMITS.depth + 1):
        level = [inner for one in level for inner in _within(one)]
    return bool(level)


def _within(value: Json) -> Iterable[Json]:
    if isinstance(value, Mapping):
        return value.values()
    return () if value is None or isinstance(value, str | int | float) else value


def text_of(text: str, name: str) -> str:
    """A text from the command line that can be written down again."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Refusal(f"{name} is not UTF-8: {quoted(text)}") from None
    return text


def standard_input() -> str:
    """All of it, if it is a text, and no longer than a definition may be."""
    from quintet.formats.limits import LIMITS

    if sys.stdin is None:  # it may have been closed before we began
        raise Refusal("there is no standard input")
    data = sys.stdin.buffer.read(LIMITS.size + 1)
    if len(data) > LIMITS.size:
        raise Refusal(f"standard input is larger than {LIMITS.size:,} bytes")
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise Refusal(f"standard input is not UTF-8, from byte {error.start + 1:,} on") from None


def _of_file(path: str | None) -> Mapping[str, Json]:
    """A file with a map, in YAML or JSON.  Raises InvalidFile."""
    from quintet.formats.codes import WRONG_TYPE
    from quintet.formats.invalid import InvalidFile
    from quintet.formats.source import read_file
    from quintet.formats.tree import Map, head, named_kind, plain
    from quintet.problems.problem import has_errors

    if path is None:
        return {}
    reading = read_file(Path(path))
    if reading.root is None or has_errors(reading.report.problems):
        raise InvalidFile(reading.report.problems)
    if not isinstance(reading.root, Map):
        message = f"inputs are a map of names, and this is {named_kind(reading.root)}"
        reading.report.add(WRONG_TYPE, message, head(reading.root))
        raise InvalidFile(reading.report.problems)
    return {name: plain(entry.value) for name, entry in reading.root.entries.items()}


def _no_json(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")
