"""Templates: `{{path}}`, and `{{first||second||'a literal'}}`, of which the first that says something counts.

"Prompt sections, state initializers, `stateUpdates`, and transition `reason` fields all support
handlebars-style expressions."  What a substitution gives is not read as a template again, so rendering takes
time in proportion to what goes in and comes out, and nothing that a model writes can reach beyond its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from quintet.engine.values import Json
from quintet.formats.hyperagent.javascript import index, json_text, length, number_text, trim, unit

LONGEST: Final = 16 * 1024 * 1024
"""Characters of a rendered text: a state that takes itself in twice a round has no end."""

Scope: TypeAlias = Mapping[str, Json]
"""What a template can see, by name."""


class TextTooLong(ValueError):
    """A template that renders to more than any model reads."""


@dataclass(frozen=True, slots=True)
class Literal:
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A path into the scope."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expression:
    """What stands between braces: the first that says something is what it comes to."""

    text: str
    choices: tuple[Literal | Reading, ...]


def render(template: str, scope: Scope) -> str:
    """The text.  Raises TextTooLong past LONGEST characters.

    >>> render("{{ parsed.note || 'none' }} of {{round}}", {"parsed": {"note": ""}, "round": 2})
    'none of 2'
    """
    parts: list[str] = []
    room = LONGEST
    for part in parse(template):
        text = part if isinstance(part, str) else evaluate(part, scope)
        room -= len(text)
        if room < 0:
            raise TextTooLong(f"a text of more than {LONGEST:,} characters came of a template")
        parts.append(text)
    return "".join(parts)


def assemble(sections: tuple[str, ...], scope: Scope) -> str:
    """ "rendered and concatenated with double newlines"; a section that renders to nothing is left out."""
    rendered = (trim(render(section, scope)) for section in sections)
    text = "\n\n".join(section for section in rendered if section)
    if len(text) > LONGEST:
        raise TextTooLong(f"a prompt of more than {LONGEST:,} characters came of its sections")
    return text


def evaluate(expression: Expression, scope: Scope) -> str:
    """ "Literal strings can provide fallbacks using `||`": the first choice that renders to something."""
    for choice in expression.choices:
        text = choice.text if isinstance(choice, Literal) else shown(read(scope, choice.names))
        if text:
            return text
    return ""


def shown(value: Json) -> str:
    """What a value renders to; null and the empty text, to nothing."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case int() | float():
            return number_text(value)
        case _:
            return json_text(value)


def read(value: Json, names: tuple[str, ...]) -> Json:
    """What a path leads to; None where it leads nowhere."""
    for name in names:
        match value:
            case Mapping():
                value = value.get(name)
            case str():
                value = length(value) if name == "length" else _at(value, name)
            case None | bool() | int() | float():
                return None
            case _:
                place = index(name)
                value = len(value) if name == "length" else None if place is None else _nth(value, place)
    return value if names else None


def path(text: str) -> tuple[str, ...]:
    """The names in a dotted path."""
    return tuple(name for part in text.split(".") if (name := trim(part)))


@lru_cache(maxsize=1024)
def parse(template: str) -> tuple[str | Expression, ...]:
    """A template in pieces of text and expressions; anything else in braces is text."""
    return tuple(_pieces(template))


def _pieces(template: str) -> Iterator[str | Expression]:
    done = start = 0
    while (end := template.find("}", start)) >= 0:
        opening = template.find("{{", start, end)
        if opening < 0 or end < opening + 3 or template[end + 1 : end + 2] != "}":
            start = end + 1
            continue
        if done < opening:
            yield template[done:opening]
        yield _expression(template[opening + 2 : end])
        done = start = end + 2
    if done < len(template):
        yield template[done:]


def _expression(text: str) -> Expression:
    """`||` splits first, so a literal cannot hold one."""
    return Expression(text, tuple(choice for part in text.split("||") if (choice := _choice(trim(part)))))


def _choice(text: str) -> Literal | Reading | None:
    if not text:
        return None
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return Literal(text[1:-1])
    return Reading(path(text.removeprefix("@")))


def _at(text: str, name: str) -> Json:
    place = index(name)
    return None if place is None else unit(text, place)


def _nth(items: Json, place: int) -> Json:
    assert isinstance(items, list | tuple)
    return items[place] if place < len(items) else None
