"""YAML with a place for every value: a tree built straight from libyaml's events.

libyaml's own composer recurses in C and ends the process on a deep document, so it is never called.  Events
come one by one, and reading stops at the first that is too deep or one too many.  What the events stand for
is decided here: scalars by `yaml_scalars`, keys always as texts, an alias as the node it names, `<<` as the
keys of other maps (YAML 1.2 has no such key, but files have).  Tags build nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import yaml

from quintet.formats.codes import (
    CONTROL_CHARACTER,
    DUPLICATE_KEY,
    NUMBER_RANGE,
    SEVERAL_DOCUMENTS,
    TOO_DEEP,
    TOO_MANY_VALUES,
    YAML_ALIAS,
    YAML_KEY,
    YAML_MERGE,
    YAML_SYNTAX,
    YAML_TAG,
)
from quintet.formats.limits import LIMITS, Limits, Refused, fits
from quintet.formats.report import Report
from quintet.formats.tree import Entry, List, Map, Scalar, Span, Spanned, Value, head, named_kind
from quintet.formats.yaml_scalars import resolved, tagged
from quintet.problems.codes import Code
from quintet.problems.wording import quoted

_UNPRINTABLE = re.compile(r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HINTS = {
    "mapping values are not allowed in this context": "a text that holds ': ' needs quotes",
    "did not find expected ',' or ']'": "is a ']' or a comma missing?",
    "did not find expected ',' or '}'": "is a '}' or a comma missing?",
    "did not find expected key": "is this indented like the keys above?",
    "did not find expected '-' indicator": "is this indented like the items above?",
    "found unexpected end of stream": "is a quote missing?",
    "could not find expected ':'": "a key is followed by ':' and a space",
    "found unknown escape character": "write \\\\ for a \\, or use single quotes",
    "found a tab character that violates indentation": "indent with spaces",
}

_Event: TypeAlias = yaml.Event


def read_yaml(report: Report, limits: Limits = LIMITS) -> Value | None:
    """The value that a text stands for, None for a text without one.

    Raises Refused, with the problem reported, where the text cannot be read.
    """
    strange = _UNPRINTABLE.search(report.text.text)
    if strange is not None:
        report.add(CONTROL_CHARACTER, "a control character", Span(*strange.span()))
        raise Refused
    guises = _guises(report.text.text)
    builder = _Builder(report, limits, {guise: char for char, guise in guises.items()})
    try:
        for event in _events(report.text.text.translate(guises)):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        raise _syntax(report, error) from None
    return builder.root


def _events(text: str) -> Iterator[_Event]:
    return cast("Iterator[_Event]", yaml.parse(text, Loader=yaml.CSafeLoader))  # pyright: ignore[reportUnknownMemberType]


def _guises(text: str) -> dict[int, int]:
    """Characters in place of those that are line breaks to libyaml, by YAML 1.1, and to no editor."""
    odd = [char for char in "\x85\u2028\u2029" if char in text]
    free = (code for code in range(0xE000, 0xF900) if chr(code) not in text)
    return {ord(char): code for char, code in zip(odd, free, strict=False)}


def _syntax(report: Report, error: yaml.MarkedYAMLError) -> Refused:
    """libyaml's words are kept where they are plain, and get a hint."""
    mark = error.problem_mark or error.context_mark
    index = 0 if mark is None else mark.index
    text = report.text.text
    message = error.problem or "this cannot be read"
    hint = _HINTS.get(message, "")
    if message == "found character that cannot start any token":
        tab = text[index : index + 1] == "\t"
        message = (
            "a tab cannot indent a line" if tab else f"{quoted(text[index : index + 1])} cannot begin a text"
        )
        hint = "use spaces" if tab else "put the text in quotes"
    elif index >= len(text.rstrip()) and error.context_mark is not None:  # point at what is not closed
        index = error.context_mark.index
    elif error.context:
        message = f"{message} {error.context}"
    report.add(YAML_SYNTAX, message, Span(index, index + 1), hint)
    return Refused()


@dataclass(frozen=True, slots=True)
class _Whole:
    """A finished node, and how much it adds wherever it stands."""

    node: Value
    size: int
    height: int


@dataclass(slots=True)
class _Key:
    name: str
    at: Span
    merges: bool


@dataclass(slots=True)
class _Open:
    """A list or map whose end has not come."""

    start: int
    anchor: str | None
    is_map: bool
    size: int = 1
    height: int = 1
    items: list[Value] = field(default_factory=list["Value"])
    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])
    merged: dict[str, Entry] = field(default_factory=dict[str, Entry])
    key: _Key | None = None
    """The key whose value comes next."""

    def node(self, end: int) -> Value:
        if not self.is_map:
            return List(self.items, self.start, end)
        return Map(self.merged | self.entries if self.merged else self.entries, self.start, end)


class _Builder:
    """Takes the events of a text, one by one."""

    def __init__(self, report: Report, limits: Limits, disguised: dict[int, int]) -> None:
        self.report = report
        self.limits = limits
        self.disguised = disguised
        self.root: Value | None = None
        self.open: list[_Open] = []
        self.anchors: dict[str, _Whole] = {}
        self.documents = 0
        self.size = 0
        """All values and keys so far, with every alias written out."""

    @property
    def awaits_key(self) -> bool:
        return bool(self.open) and self.open[-1].is_map and self.open[-1].key is None

    def take(self, event: _Event) -> None:
        match event:
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    raise self.refused(SEVERAL_DOCUMENTS, "a second document begins here", _at(event, 3))
            case yaml.ScalarEvent():
                self.scalar(event)
            case yaml.AliasEvent():
                self.alias(event)
            case yaml.CollectionStartEvent():
                self.begin(event, is_map=isinstance(event, yaml.MappingStartEvent))
            case yaml.CollectionEndEvent():
                self.finish(event)
            case _:
                pass

    # --- nodes ----------------------------------------------------------------------------------------

    def scalar(self, event: yaml.ScalarEvent) -> None:
        at = _at(event)
        text = cast(str, event.value).translate(self.disguised)
        self.count(1, at)
        if self.awaits_key:
            self.data_tag(event.tag, at, {"str"})
            self.begin_entry(_Key(text, at, merges=text == "<<" and not event.style))
            self.anchored(event.anchor, _Whole(Scalar(text, at.start, at.end), 1, 0))
            return
        value = self.scalar_value(event, text, at)
        whole = _Whole(Scalar(value, at.start, at.end), 1, 0)
        self.anchored(event.anchor, whole)
        self.add(whole, at)

    def scalar_value(self, event: yaml.ScalarEvent, text: str, at: Span) -> None | bool | int | float | str:
        """What a scalar stands for; a number that is out of range is reported and stands as 1."""
        if event.tag is not None:
            self.data_tag(event.tag, at, {"str", "null", "bool", "int", "float"})
            value, agrees = tagged(event.tag, text)
            if not agrees:
                self.report.add(YAML_TAG, f"{quoted(text)} is not what its tag says", at)
        else:
            value = text if event.style else resolved(text)
        if fits(value):
            return value
        hint = "put it in quotes if it is not for counting"
        self.report.add(NUMBER_RANGE, f"the number {quoted(text)} is too large or not finite", at, hint)
        return 1

    def alias(self, event: yaml.AliasEvent) -> None:
        at = _at(event)
        name = cast(str, event.anchor)
        target = self.anchors.get(name)
        if target is None:
            inside = any(frame.anchor == name for frame in self.open)
            why = "stands for a value that it is a part of" if inside else "has no anchor before it"
            hint = "" if inside else "a text that begins with '*' needs quotes"
            raise self.refused(YAML_ALIAS, f"the alias {quoted(name)} {why}", at, hint)
        self.count(target.size, at)
        if not self.awaits_key:
            self.add(target, at)
        elif isinstance(target.node, Scalar) and isinstance(target.node.value, str):
            self.begin_entry(_Key(target.node.value, at, merges=False))
        else:
            raise self.refused(YAML_KEY, f"{named_kind(target.node)} cannot be a key", at, "keys are texts")

    def begin(self, event: yaml.CollectionStartEvent, *, is_map: bool) -> None:
        at = _at(event, 1)
        self.count(1, at)
        if self.awaits_key:
            raise self.complex_key(at, is_map=is_map)
        if len(self.open) == self.limits.depth:
            raise self.too_deep(at)
        self.data_tag(event.tag, at, {"map" if is_map else "seq"})
        anchor = cast("str | None", event.anchor)
        if anchor is not None:
            self.anchors.pop(anchor, None)
        self.open.append(_Open(at.start, anchor, is_map))

    def finish(self, event: _Event) -> None:
        frame = self.open.pop()
        end = max(self.trimmed(_at(event).end), frame.start + 1)
        whole = _Whole(frame.node(end), frame.size, frame.height)
        self.anchored(frame.anchor, whole)
        self.add(whole, head(whole.node))

    def anchored(self, anchor: str | None, whole: _Whole) -> None:
        if anchor is not None:
            self.anchors[anchor] = whole

    # --- where they stand -----------------------------------------------------------------------------

    def add(self, whole: _Whole, at: Spanned) -> None:
        """Put a finished node where it belongs."""
        if not self.open:
            self.root = whole.node
            return
        frame = self.open[-1]
        frame.size += whole.size
        frame.height = max(frame.height, whole.height + 1)
        if len(self.open) + whole.height > self.limits.depth:
            raise self.too_deep(at)
        key, frame.key = frame.key, None
        if key is None:
            frame.items.append(whole.node)
        elif key.merges:
            self.merge(frame, whole.node, key.at)
        else:
            frame.entries.setdefault(key.name, Entry(key.at, whole.node))

    def begin_entry(self, key: _Key) -> None:
        frame = self.open[-1]
        frame.size += 1
        frame.key = key
        before = frame.entries.get(key.name)
        if before is not None:
            line, _ = self.report.text.position(before.key.start)
            self.report.add(DUPLICATE_KEY, f"{quoted(key.name)} is already there, in line {line}", key.at)

    def merge(self, frame: _Open, node: Value, key: Span) -> None:
        """Take over keys: those of an earlier map go before those of a later one."""
        for source in node.items if isinstance(node, List) else (node,):
            if not isinstance(source, Map):
                hint = 'put "<<" in quotes if it is the name of a key'
                self.report.add(YAML_MERGE, f"'<<' cannot merge {named_kind(source)}", key, hint)
                continue
            for name, entry in source.entries.items():
                frame.merged.setdefault(name, entry)

    def trimmed(self, end: int) -> int:
        """A block ends where the next thing begins: go back over the white space between."""
        text = self.report.text.text
        while end > 0 and text[end - 1] in " \r\n":
            end -= 1
        return end

    # --- what is refused ------------------------------------------------------------------------------

    def count(self, size: int, at: Spanned) -> None:
        self.size += size
        if self.size > self.limits.values:
            raise self.refused(TOO_MANY_VALUES, f"more than {self.limits.values:,} values", at)

    def data_tag(self, tag: str | None, at: Span, kinds: set[str]) -> None:
        """Refuses a tag that asks for something else than these kinds of data."""
        short = (tag or "!").removeprefix("tag:yaml.org,2002:")
        if short != "!" and not (short in kinds and short != tag):
            shown = short if short == tag else f"!!{short}"
            self.report.add(YAML_TAG, f"the tag {quoted(shown)} cannot be used here", at, "leave it out")

    def complex_key(self, at: Span, *, is_map: bool) -> Refused:
        text = self.report.text.text
        if is_map and text[at.start - 1 : at.end] == "{{":
            at = Span(at.start - 1, at.end)
            return self.refused(YAML_KEY, "this is read as a map within a map", at, "put the text in quotes")
        return self.refused(
            YAML_KEY, f"a {'map' if is_map else 'list'} cannot be a key", at, "keys are texts"
        )

    def too_deep(self, at: Spanned) -> Refused:
        return self.refused(TOO_DEEP, f"nested more than {self.limits.depth} levels deep", at)

    def refused(self, code: Code, message: str, at: Spanned, hint: str = "") -> Refused:
        self.report.add(code, message, at, hint)
        return Refused()


def _at(event: _Event, length: int | None = None) -> Span:
    start = cast(int, event.start_mark.index)
    return Span(start, cast(int, event.end_mark.index) if length is None else start + length)
