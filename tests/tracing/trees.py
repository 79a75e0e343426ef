"""Spans as a text: the tree that they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.servers.collector import Got


def tree(spans: Iterable[Got]) -> str:
    """A line for each, with its parts below it; one whose parent has not come is marked."""
    known = list(spans)
    ids = {span.id for span in known}
    roots = [span for span in known if span.parent not in ids]
    return "".join(line for root in _sorted(roots) for line in _lines(root, known, 0))


def _lines(span: Got, known: list[Got], depth: int) -> Iterator[str]:
    lost = "… " if depth == 0 and span.parent else ""
    error = span.attributes.get("error.type")
    yield f"{'  ' * depth}{lost}{span.name}{f': {error}' if error else ''}\n"
    for inner in _sorted(one for one in known if one.parent == span.id):
        yield from _lines(inner, known, depth + 1)


def _sorted(spans: Iterable[Got]) -> list[Got]:
    return sorted(spans, key=lambda span: (span.start, str(span.attributes.get("quintet.path"))))


def check_nesting(spans: Iterable[Got]) -> None:
    """Whatever is in something began and ended within it, in the same trace."""
    known = {span.id: span for span in spans}
    for span in known.values():
        assert span.start <= span.end
        if span.parent:
            around = known[span.parent]
            assert around.start <= span.start <= span.end <= around.end
            assert around.trace == span.trace
