"""Exporter: makes spans and measures known through OpenTelemetry.

Where the project names a collector, spans have ids of our own: a run is one trace, whichever processes work
on it.  An application that has set up its own providers gets the spans of a run below the one that it is in,
and what waits or is let go ends there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from opentelemetry import metrics, trace
from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Status, StatusCode

from quintet import __version__
from quintet.tracing.measures import HISTOGRAMS, measures
from quintet.tracing.quiet import quietly
from quintet.tracing.span import Attribute, Span

_SCOPE: Final = "quintet"
_SPENDS: Final = ("chat", "invoke_agent")
"""What says what it took: sums of sums would be counted twice."""


LayOut: TypeAlias = Callable[[str, Span], None]
"""Says which span of which run is begun next, so that it is given the ids that are its own."""


class Exporter:
    """Makes known what it is told of any run."""

    def __init__(
        self,
        tracers: trace.TracerProvider,
        meters: metrics.MeterProvider,
        *,
        content: bool,
        lay_out: LayOut | None = None,
    ) -> None:
        """Make ready; without `lay_out` the providers are somebody else's."""
        self.content = content
        self.lay_out = lay_out
        self.tracer = tracers.get_tracer(_SCOPE, __version__)
        meter = meters.get_meter(_SCOPE, __version__)
        self._histograms = {
            one.name: meter.create_histogram(
                one.name, one.unit, one.about, explicit_bucket_boundaries_advisory=list(one.boundaries)
            )
            for one in HISTOGRAMS
        }

    def teller(self, run_id: str) -> RunSpans:
        return RunSpans(self, run_id)

    def measure(self, span: Span) -> None:
        for histogram, value, about in measures(span):
            self._histograms[histogram.name].record(value, about)


class RunSpans:
    """The spans of one run that are under way."""

    def __init__(self, exporter: Exporter, run_id: str) -> None:
        self._exporter = exporter
        self._run_id = run_id
        self._open: dict[Span, trace.Span] = {}

    def begin(self, span: Span) -> None:
        if self._exporter.lay_out is not None:
            self._exporter.lay_out(self._run_id, span)
        with quietly():
            self._open[span] = self._exporter.tracer.start_span(
                span.name,
                self._context(span),
                SpanKind.CLIENT if span.operation == "chat" else SpanKind.INTERNAL,
                span.attributes,
                start_time=_nanoseconds(span.start),
            )

    def end(self, span: Span) -> None:
        if span.operation in _SPENDS:
            span.attributes |= span.usage
        self._close(span, span.end)
        self._exporter.measure(span)

    def drop(self, span: Span) -> None:
        del self._open[span]

    def let_go(self, status: str) -> None:
        """What is under way ends later and elsewhere; but for a provider that is not ours it ends here."""
        if self._exporter.lay_out is None:
            for span in reversed(list(self._open)):
                span.attributes["quintet.status"] = status
                self._close(span, None)
        self._open.clear()

    def _context(self, span: Span) -> Context | None:
        """What it is in; a run is in nothing, or in what the application does."""
        if span.parent is not None:
            return trace.set_span_in_context(self._open[span.parent], Context())
        return None if self._exporter.lay_out is None else Context()

    def _close(self, span: Span, end: float | None) -> None:
        known = self._open.pop(span)
        known.update_name(span.name)
        known.set_attributes(self._attributes(span))
        for name, time in span.marks:
            known.add_event(name, timestamp=_nanoseconds(time))
        if span.error is not None:
            said = span.message if self._exporter.content else None
            known.set_status(Status(StatusCode.ERROR, said))
        with quietly():
            known.end(None if end is None else _nanoseconds(end))

    def _attributes(self, span: Span) -> dict[str, Attribute]:
        return {**span.attributes, **(span.content if self._exporter.content else {})}


def _nanoseconds(seconds: float) -> int:
    return int(seconds * 1e9)
