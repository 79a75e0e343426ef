"""Syntax: what an expression is, as a tree.  Each node knows which characters it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

RootName: TypeAlias = Literal["inputs", "item"]
BinarySign: TypeAlias = Literal["===", "!==", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "+"]
UnarySign: TypeAlias = Literal["!", "-"]


@dataclass(frozen=True, slots=True)
class Undefined:
    """The value of what is not there."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Undefined()


@dataclass(frozen=True, slots=True)
class Literally:
    """A number, a text, `true`, `false`, `null` or `undefined`."""

    value: None | bool | int | float | str | Undefined
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Root:
    """`inputs` or `item`."""

    name: RootName
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Step:
    """`steps.<id>`."""

    id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Member:
    """`of.name`."""

    of: Node
    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Index:
    """`of[key]`."""

    of: Node
    key: Node
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Array:
    items: tuple[Node, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Object:
    entries: tuple[tuple[str, Node], ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Unary:
    sign: UnarySign
    operand: Node
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Binary:
    sign: BinarySign
    left: Node
    right: Node
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Choice:
    """`test ? yes : no`."""

    test: Node
    yes: Node
    no: Node
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Call:
    """`contains(a, b)`."""

    name: str
    arguments: tuple[Node, ...]
    start: int
    end: int


Node: TypeAlias = Literally | Root | Step | Member | Index | Array | Object | Unary | Binary | Choice | Call


def parts(node: Node) -> tuple[Node, ...]:
    """The nodes directly within a node."""
    match node:
        case Literally() | Root() | Step():
            return ()
        case Member(of):
            return (of,)
        case Index(of, key):
            return (of, key)
        case Array(items):
            return items
        case Object(entries):
            return tuple(value for _, value in entries)
        case Unary(_, operand):
            return (operand,)
        case Binary(_, left, right):
            return (left, right)
        case Choice(test, yes, no):
            return (test, yes, no)
        case Call(_, arguments):
            return arguments


def walk(node: Node) -> Iterator[Node]:
    """A node and all within it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(parts(one))
