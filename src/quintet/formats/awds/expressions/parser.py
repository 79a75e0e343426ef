"""Parser: tokens become a tree, each sign binding as tight as in JavaScript.

A Pratt parser: `_expression(power)` reads one operand, then goes on as long as the next sign binds tighter
than `power`.  How high the tree may grow is bounded, so whatever walks over it may recurse.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from quintet.formats.awds.expressions.functions import FUNCTIONS
from quintet.formats.awds.expressions.syntax import (
    UNDEFINED,
    Array,
    Binary,
    BinarySign,
    Call,
    Choice,
    Index,
    Literally,
    Member,
    Node,
    Object,
    Root,
    RootName,
    Step,
    Unary,
    parts,
)
from quintet.formats.awds.expressions.tokens import ExpressionError, Token, tokens
from quintet.formats.awds.expressions.values import number_text
from quintet.problems.wording import did_you_mean, quoted

DEEPEST: Final = 64
"""So high may the tree of an expression be."""
ROOTS: Final = ("steps", "inputs", "item")
_POWERS: Final = {
    "?": 1,
    "||": 2,
    "&&": 3,
    **dict.fromkeys(("==", "!=", "===", "!=="), 4),
    **dict.fromkeys(("<", "<=", ">", ">="), 5),
    "+": 6,
    **dict.fromkeys((".", "["), 9),
}
_PREFIX_POWER: Final = 8
_WORDS: Final = {"true": True, "false": False, "null": None, "undefined": UNDEFINED}


def parse(text: str, start: int = 0, *, closed: bool = False) -> tuple[Node, int]:
    """The expression at `start`, and where it ends: at its `}}` if it is `closed`, else with the text.

    Raises ExpressionError.
    """
    parser = _Parser(tokens(text, start, closed=closed))
    node = parser.whole(start)
    return node, parser.token.end


class _Parser:
    def __init__(self, some: Iterator[Token]) -> None:
        self._tokens = some
        self.token = next(some)
        self._nested = 0
        self._heights: dict[int, int] = {}

    def whole(self, start: int) -> Node:
        if self.token.kind == "end":
            raise ExpressionError("an expression is missing here", start, self.token.end)
        node = self._expression(0)
        self._end()
        return node

    def _end(self) -> None:
        if self.token.kind != "end":
            raise self._unexpected()

    def _expression(self, power: int) -> Node:
        self._nested += 1
        if self._nested > DEEPEST:
            raise _too_deep(self.token)
        left = self._operand()
        while self.token.kind == "sign" and _POWERS.get(str(self.token.value), 0) > power:
            left = self._continued(left)
        self._nested -= 1
        return left

    # What an expression begins with

    def _operand(self) -> Node:
        token = self._take()
        match token.kind, token.value:
            case (("number" | "string"), value):
                return self._made(Literally(value, token.start, token.end))
            case "name", str(name):
                return self._named(name, token)
            case "sign", "(":
                node = self._expression(0)
                self._expect(")", token)
                return node
            case "sign", "[":
                items, end = self._listed("]", token)
                return self._made(Array(tuple(items), token.start, end))
            case "sign", "{":
                return self._object(token)
            case "sign", ("!" | "-") as sign:
                operand = self._expression(_PREFIX_POWER)
                return self._made(Unary(sign, operand, token.start, operand.end))
            case _:
                raise _unexpected(token)

    def _named(self, name: str, token: Token) -> Node:
        if name in _WORDS:
            return self._made(Literally(_WORDS[name], token.start, token.end))
        if self._is("("):
            return self._call(name, token)
        if name == "steps":
            return self._step(token)
        if name in ROOTS:
            return self._made(Root(cast(RootName, name), token.start, token.end))
        known = did_you_mean(name, (*ROOTS, *FUNCTIONS)) or "there are steps.<id>.outputs, inputs and item"
        raise ExpressionError(f"there is no {quoted(name)} here", token.start, token.end, known)

    def _step(self, token: Token) -> Node:
        """Which step it is must be plain: "References to step outputs MUST refer to completed steps"."""
        if self._is("."):
            self._take()
            if self.token.kind == "step":
                step = self._take()
                return self._made(Step(str(step.value), token.start, step.end))
        elif self._is("["):
            bracket = self._take()
            if self.token.kind == "string":
                step = self._take()
                end = self._expect("]", bracket)
                return self._made(Step(str(step.value), token.start, end))
        hint = 'write steps.<id> or steps["<id>"]'
        raise ExpressionError("'steps' needs the id of a step", token.start, token.end, hint)

    def _call(self, name: str, token: Token) -> Node:
        if name not in FUNCTIONS:
            hint = did_you_mean(name, FUNCTIONS) or f"there are {', '.join(FUNCTIONS)}"
            raise ExpressionError(f"there is no function {quoted(name)}", token.start, token.end, hint)
        arguments, end = self._listed(")", self._take())
        least, most = FUNCTIONS[name].least, FUNCTIONS[name].most
        if not least <= len(arguments) <= (most or len(arguments)):
            raise ExpressionError(f"it is {FUNCTIONS[name].usage}", token.start, end)
        return self._made(Call(name, tuple(arguments), token.start, end))

    def _object(self, brace: Token) -> Node:
        entries: list[tuple[str, Node]] = []
        while not self._is("}"):
            key = self._take()
            if key.kind not in ("name", "string", "number"):
                raise _unexpected(key)
            self._expect(":", key)
            name = key.value if isinstance(key.value, str) else number_text(key.value)
            entries.append((name, self._expression(0)))
            if not self._is("}"):
                self._expect(",", brace)
        return self._made(Object(tuple(entries), brace.start, self._take().end))

    def _listed(self, close: str, opening: Token) -> tuple[list[Node], int]:
        """Expressions with commas between them, and one behind the last if you like."""
        found: list[Node] = []
        while not self._is(close):
            found.append(self._expression(0))
            if not self._is(close):
                self._expect(",", opening)
        return found, self._take().end

    # What an expression goes on with

    def _continued(self, left: Node) -> Node:
        sign = self._take()
        match sign.value:
            case ".":
                name = self._take()
                if name.kind != "name":
                    raise _unexpected(name)
                return self._made(Member(left, str(name.value), left.start, name.end))
            case "[":
                key = self._expression(0)
                return self._made(Index(left, key, left.start, self._expect("]", sign)))
            case "?":
                yes = self._expression(0)
                self._expect(":", sign)
                no = self._expression(0)
                return self._made(Choice(left, yes, no, left.start, no.end))
            case word:
                right = self._expression(_POWERS[str(word)])
                return self._made(Binary(cast(BinarySign, word), left, right, left.start, right.end))

    # Tokens, and how high the tree is

    def _take(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.token = next(self._tokens)
        return token

    def _is(self, sign: str) -> bool:
        return self.token.kind == "sign" and self.token.value == sign

    def _expect(self, sign: str, opening: Token) -> int:
        """Where the sign ends."""
        if self._is(sign):
            return self._take().end
        if self.token.kind == "end":
            raise ExpressionError(f"{quoted(sign)} is missing", opening.start, opening.end)
        raise self._unexpected(f"{quoted(sign)} was to come")

    def _unexpected(self, hint: str = "") -> ExpressionError:
        return _unexpected(self.token, hint)

    def _made(self, node: Node) -> Node:
        height = 1 + max((self._heights[id(part)] for part in parts(node)), default=0)
        if height > DEEPEST:
            raise _too_deep(node)
        self._heights[id(node)] = height
        return node


def _unexpected(token: Token, hint: str = "") -> ExpressionError:
    if token.kind == "end":
        return ExpressionError("the expression ends too early", max(token.start - 1, 0), token.end)
    if token.kind == "number" and isinstance(token.value, float) and token.value < 1:
        hint = hint or "an item of a list is list[0]"
    if token.value == "-":
        return ExpressionError("there is no arithmetic but '+'", token.start, token.end)
    what = "a number" if token.kind == "number" else quoted(str(token.value))
    return ExpressionError(f"{what} cannot stand here", token.start, token.end, hint)


def _too_deep(at: Node | Token) -> ExpressionError:
    message = f"the expression is nested deeper than {DEEPEST}"
    return ExpressionError(message, at.start, at.end, "have an earlier step work it out")
