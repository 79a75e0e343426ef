"""Sending: batches of spans and measures go to a collector from threads of their own.

A collector that is slow, gone or refuses costs a run nothing while it works, and a few seconds when all is
over.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from opentelemetry import metrics, trace
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricExportResult, MetricsData, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator

from quintet.tracing.destination import Destination, Signal, Target
from quintet.tracing.exporter import Exporter
from quintet.tracing.quiet import quietly
from quintet.tracing.span import Span, span_id, trace_id
from quintet.tracing.telling import logger

PATIENCE: Final = 3.0
"""Seconds for which a collector is waited for when all is over."""


class Sending:
    """Sends to one destination."""

    def __init__(self, destination: Destination) -> None:
        self._places = {signal: target.place for signal, target in destination.targets}
        self._failed: set[Signal] = set()
        self._close: list[tuple[Signal, Callable[[], None]]] = []
        resource, ids = Resource.create({"service.name": destination.service}), _Ids()
        tracers: trace.TracerProvider = trace.NoOpTracerProvider()
        meters: metrics.MeterProvider = metrics.NoOpMeterProvider()
        for signal, target in destination.targets:
            if signal == "traces":
                tracers = self._tracers(target, resource, ids)
            else:
                meters = self._meters(target, resource)
        self.exporter = Exporter(tracers, meters, content=destination.content, lay_out=ids.lay_out)

    async def aclose(self) -> None:
        """Send what waits, but wait for the collector only so long."""
        loop = asyncio.get_running_loop()
        closing = [self._closing(loop, signal, close) for signal, close in self._close]
        _, late = await asyncio.wait([loop.create_task(one.wait()) for one in closing], timeout=PATIENCE)
        for task in late:
            task.cancel()
        places = {self._places[signal] for signal in self._failed}
        if late or places:
            where = ", ".join(sorted(places or set(self._places.values())))
            logger.warning("not all traces have reached %s", where)

    def _closing(
        self, loop: asyncio.AbstractEventLoop, signal: Signal, close: Callable[[], None]
    ) -> asyncio.Event:
        """Close in a thread that nobody has to wait for; is set when that is done."""
        done = asyncio.Event()

        def work() -> None:
            with quietly():
                try:
                    close()
                except Exception:  # whatever a library stumbles over
                    self._failed.add(signal)
            with suppress(RuntimeError):  # nobody has waited for it
                loop.call_soon_threadsafe(done.set)

        threading.Thread(target=work, name=f"quintet-{signal}", daemon=True).start()
        return done

    def _tracers(self, target: Target, resource: Resource, ids: _Ids) -> TracerProvider:
        provider = TracerProvider(resource=resource, id_generator=ids, shutdown_on_exit=False)
        exporter = _Spans(target.url, headers=dict(target.headers), timeout=_timeout("TRACES"))
        exporter.failed = self._failed
        provider.add_span_processor(BatchSpanProcessor(exporter))
        self._close.append(("traces", provider.shutdown))
        return provider

    def _meters(self, target: Target, resource: Resource) -> MeterProvider:
        exporter = _Measures(target.url, headers=dict(target.headers), timeout=_timeout("METRICS"))
        exporter.failed = self._failed
        reader = PeriodicExportingMetricReader(exporter)
        provider = MeterProvider([reader], resource, shutdown_on_exit=False)
        self._close.append(("metrics", provider.shutdown))
        return provider


class _Ids(IdGenerator):
    """Gives a span the ids that are laid out for it."""

    def __init__(self) -> None:
        self._trace = self._span = 0

    def lay_out(self, run_id: str, span: Span) -> None:
        self._trace, self._span = trace_id(run_id), span_id(run_id, span)

    def generate_trace_id(self) -> int:
        return self._trace

    def generate_span_id(self) -> int:
        return self._span


class _Spans(OTLPSpanExporter):
    """Remembers what did not arrive."""

    failed: set[Signal]

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        with quietly():
            result = super().export(spans)
        if result is not SpanExportResult.SUCCESS:
            self.failed.add("traces")
        return result


class _Measures(OTLPMetricExporter):
    """The same for measures."""

    failed: set[Signal]

    def export(
        self, metrics_data: MetricsData, timeout_millis: float | None = PATIENCE * 1000, **kwargs: Any
    ) -> MetricExportResult:
        with quietly():
            patience = timeout_millis or PATIENCE * 1000
            result = super().export(metrics_data, patience)  # pyright: ignore[reportUnknownMemberType]
        if result is not MetricExportResult.SUCCESS:
            self.failed.add("metrics")
        return result


def _timeout(signal: str) -> float | None:
    """Seconds for one request; None where the environment says."""
    names = (f"OTEL_EXPORTER_OTLP_{signal}_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT")
    return None if any(map(os.environ.get, names)) else PATIENCE
