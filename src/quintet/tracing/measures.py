"""Measures: what a span adds to the histograms of the GenAI conventions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from quintet.tracing.span import Attribute, Span


class Histogram(NamedTuple):
    """One instrument, with the boundaries of its buckets."""

    name: str
    unit: str
    about: str
    boundaries: Sequence[float]


class Measure(NamedTuple):
    """One value."""

    histogram: Histogram
    value: float
    attributes: Mapping[str, Attribute]


def _doubling(first: float, count: int) -> tuple[float, ...]:
    return tuple(round(first * 2**step, 2) for step in range(count))


_SHORT: Final = _doubling(0.01, 14)
_LONG: Final = _doubling(0.1, 13)
_COUNTS: Final = _doubling(1, 8)
_TOKENS: Final = tuple(4**step for step in range(14))
_WORKFLOW: Final = (1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200)

CHAT: Final = Histogram("gen_ai.client.operation.duration", "s", "GenAI operation duration.", _SHORT)
FIRST: Final = Histogram(
    "gen_ai.client.operation.time_to_first_chunk", "s", "Time to receive the first chunk.", _SHORT
)
TOKENS: Final = Histogram(
    "gen_ai.client.token.usage", "{token}", "Number of input and output tokens used.", _TOKENS
)
TOOL: Final = Histogram("gen_ai.execute_tool.duration", "s", "GenAI tool execution duration.", _SHORT)
AGENT: Final = Histogram("gen_ai.invoke_agent.duration", "s", "GenAI agent invocation duration.", _LONG)
REQUESTS: Final = Histogram(
    "gen_ai.invoke_agent.inference_calls", "{inference_call}", "Inference calls of an agent.", _COUNTS
)
CALLS: Final = Histogram("gen_ai.invoke_agent.tool_calls", "{tool_call}", "Tool calls of an agent.", _COUNTS)
WORKFLOW: Final = Histogram("gen_ai.invoke_workflow.duration", "s", "GenAI workflow duration.", _WORKFLOW)
HISTOGRAMS: Final = (CHAT, FIRST, TOKENS, TOOL, AGENT, REQUESTS, CALLS, WORKFLOW)

FIRST_CHUNK: Final = "gen_ai.response.time_to_first_chunk"
_MODEL: Final = (
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.model",
    "error.type",
)
_SPENT: Final = {"input": "gen_ai.usage.input_tokens", "output": "gen_ai.usage.output_tokens"}


def measures(span: Span) -> Iterator[Measure]:
    """What a span that has ended adds."""
    match span.operation:
        case "chat":
            yield from _of_chat(span)
        case "execute_tool":
            about = ("gen_ai.tool.name", "gen_ai.tool.type", "gen_ai.agent.name", "error.type")
            yield Measure(TOOL, span.seconds, _some(span, about))
        case "invoke_agent":
            about = _some(span, ("gen_ai.agent.name", "error.type"))
            yield Measure(AGENT, span.seconds, about)
            yield Measure(REQUESTS, span.requests, about)
            yield Measure(CALLS, span.calls, about)
        case "invoke_workflow":
            yield Measure(WORKFLOW, span.seconds, _some(span, ("gen_ai.workflow.name", "error.type")))


def _of_chat(span: Span) -> Iterator[Measure]:
    about = _some(span, _MODEL)
    yield Measure(CHAT, span.seconds, about)
    if isinstance(first := span.attributes.get(FIRST_CHUNK), float):
        yield Measure(FIRST, first, about)
    without_error = {name: value for name, value in about.items() if name != "error.type"}
    for kind, name in _SPENT.items():
        if name in span.usage:
            yield Measure(TOKENS, span.usage[name], {**without_error, "gen_ai.token.type": kind})


def _some(span: Span, names: Sequence[str]) -> dict[str, Attribute]:
    return {name: span.attributes[name] for name in names if name in span.attributes}
