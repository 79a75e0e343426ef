"""Templates: text with expressions in it.

"Expressions are denoted by `${{ }}`".  A text that is one expression and nothing else keeps the type of its
value.  Within other text, a text stands as it is, anything else as compact JSON, and `undefined` as nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from quintet.formats.awds.expressions.evaluation import MOST_WORK, Run, Scope, compiled
from quintet.formats.awds.expressions.parser import parse
from quintet.formats.awds.expressions.syntax import Node, Undefined
from quintet.formats.awds.expressions.tokens import ExpressionError
from quintet.formats.awds.expressions.values import Value, as_json, json_text

OPEN, CLOSE = "${{", "}}"
MOST_TEXT: Final = 16 * 1024 * 1024
"""Characters of a filled template."""


@dataclass(frozen=True, slots=True)
class Expression:
    """One expression, and what text it was written in."""

    text: str
    """The text that it stands in, the expression's own positions are in it."""
    node: Node
    start: int
    """Where it begins: of one in braces, with these."""
    end: int
    _run: list[Run] = field(default_factory=list[Run], compare=False, repr=False)

    def value(self, scope: Scope) -> Value:
        """Raises ExpressionError."""
        if not self._run:
            self._run.append(compiled(self.node))
        scope.room = MOST_WORK
        try:
            return self._run[0](scope)
        except ExpressionError as error:
            error.text = self.text
            raise


Piece: TypeAlias = str | Expression


@dataclass(frozen=True, slots=True)
class Template:
    """A text, cut at its expressions."""

    text: str
    pieces: tuple[Piece, ...]

    @property
    def expressions(self) -> Iterator[Expression]:
        return (piece for piece in self.pieces if isinstance(piece, Expression))

    def value(self, scope: Scope) -> Value:
        """What it comes to.  Raises ExpressionError."""
        match self.pieces:
            case (Expression() as whole,):
                return whole.value(scope)
            case _:
                return self.filled(scope)

    def filled(self, scope: Scope) -> str:
        """The same as a text.  Raises ExpressionError."""
        made: list[str] = []
        size = 0
        for piece in self.pieces:
            made.append(piece if isinstance(piece, str) else shown(piece.value(scope)))
            size += len(made[-1])
            if size > MOST_TEXT:
                message = f"the text becomes longer than {MOST_TEXT:,} characters"
                error = ExpressionError(message, 0, len(self.text))
                error.text = self.text
                raise error
        return "".join(made)


Blueprint: TypeAlias = (
    "None | bool | int | float | Template | tuple[Blueprint, ...] | Mapping[str, Blueprint]"
)
"""A value with templates in the place of its texts."""


def template(text: str, errors: list[ExpressionError]) -> Template:
    """The template that a text is; what is wrong with its expressions is added to the errors."""
    pieces: list[Piece] = []
    at = 0
    while (start := text.find(OPEN, at)) >= 0:
        if start > at:
            pieces.append(text[at:start])
        try:
            node, end = parse(text, start + len(OPEN), closed=True)
            at = end + len(CLOSE)
            pieces.append(Expression(text, node, start, at))
        except ExpressionError as error:
            errors.append(error)
            close = text.find(CLOSE, start)
            at = len(text) if close < 0 else close + len(CLOSE)
    if at < len(text) or not pieces:
        pieces.append(text[at:])
    return Template(text, tuple(pieces))


def single(text: str, errors: list[ExpressionError]) -> Expression | None:
    """The one expression that a text is, in its braces or without."""
    if OPEN not in text:
        return _bare(text, errors)
    start = len(text) - len(text.lstrip())
    found = template(text.strip(), errors)
    if len(found.pieces) == 1 and isinstance(found.pieces[0], Expression):
        return _shifted(text, start, errors)
    if not errors:
        hint = "put all of it within one ${{ }}"
        errors.append(
            ExpressionError("this must be one expression, without text around it", 0, len(text), hint)
        )
    return None


def _bare(text: str, errors: list[ExpressionError]) -> Expression | None:
    try:
        node, end = parse(text)
    except ExpressionError as error:
        errors.append(error)
        return None
    return Expression(text, node, 0, end)


def _shifted(text: str, start: int, errors: list[ExpressionError]) -> Expression | None:
    try:
        node, end = parse(text, start + len(OPEN), closed=True)
    except ExpressionError as error:
        errors.append(error)
        return None
    return Expression(text, node, start, end + len(CLOSE))


def shown(value: Value) -> str:
    """A value within text."""
    match value:
        case Undefined():
            return ""
        case str():
            return value
        case _:
            return json_text(value)


def filled(blueprint: Blueprint, scope: Scope) -> Value:
    """A blueprint with its expressions replaced.  Raises ExpressionError."""
    match blueprint:
        case Template():
            return blueprint.value(scope)
        case Mapping():
            return {key: as_json(filled(item, scope)) for key, item in blueprint.items()}
        case tuple():
            return [as_json(filled(item, scope)) for item in blueprint]
        case _:
            return blueprint


def templates(blueprint: Blueprint) -> Iterator[Template]:
    """All templates in it."""
    match blueprint:
        case Template():
            yield blueprint
        case Mapping():
            for item in blueprint.values():
                yield from templates(item)
        case tuple():
            for item in blueprint:
                yield from templates(item)
        case _:
            pass
