"""A collector that takes OTLP over HTTP, on a real socket in a thread of its own; with what it got."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass(frozen=True, slots=True)
class Got:
    """A span as it came."""

    trace: str
    id: str
    parent: str
    name: str
    start: int
    end: int
    attributes: Mapping[str, Any]
    failed: bool
    message: str
    marks: tuple[str, ...]
    service: str


@dataclass(frozen=True, slots=True)
class Point:
    """What was counted under the same attributes."""

    metric: str
    attributes: Mapping[str, Any]
    count: int
    sum: float
    bounds: tuple[float, ...]


@dataclass(slots=True)
class Collector:
    """What it got, and what it says to it."""

    status: int = 200
    is_silent: bool = False
    """It takes requests and never answers."""
    port: int = 0
    bodies: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])
    """By path, in their order."""
    headers: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    over: threading.Event = field(default_factory=threading.Event)
    changed: threading.Condition = field(default_factory=threading.Condition)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def spans(self) -> list[Got]:
        """In the order in which they began."""
        return sorted(self._spans(), key=lambda span: (span.start, -span.end))

    @property
    def points(self) -> list[Point]:
        return list(self._points())

    @property
    def raw(self) -> bytes:
        """Everything, as it came."""
        return b"".join(body for _, body in self.bodies)

    def until(self, condition: Callable[[], bool], timeout: float = 30) -> None:
        """Wait until something is true of what it got."""
        with self.changed:
            assert self.changed.wait_for(condition, timeout)

    def _spans(self) -> Iterator[Got]:
        for body in self._of("/v1/traces"):
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                service = _plain(resource.resource.attributes)["service.name"]
                for scope in resource.scope_spans:
                    yield from (_got(span, service) for span in scope.spans)

    def _points(self) -> Iterator[Point]:
        for body in self._of("/v1/metrics"):
            for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                for scope in resource.scope_metrics:
                    for metric in scope.metrics:
                        for point in metric.histogram.data_points:
                            bounds = tuple(point.explicit_bounds)
                            about = _plain(point.attributes)
                            yield Point(metric.name, about, point.count, point.sum, bounds)

    def _of(self, path: str) -> Iterator[bytes]:
        return (body for where, body in list(self.bodies) if where == path)

    @contextmanager
    def running(self) -> Generator[Collector]:
        server = _Server(self)
        self.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.over.set()
            server.shutdown()
            thread.join()
            server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, collector: Collector) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.collector = collector


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_POST(self) -> None:
        assert isinstance(self.server, _Server)
        collector = self.server.collector
        body = self.rfile.read(int(self.headers["Content-Length"]))
        collector.headers.append({name.lower(): value for name, value in self.headers.items()})
        with collector.changed:
            collector.bodies.append((self.path, body))
            collector.changed.notify_all()
        if collector.is_silent:
            collector.over.wait()
            self.close_connection = True
            return
        self.send_response(collector.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as its base has it
        pass


def _got(span: Any, service: str) -> Got:
    return Got(
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        span.name,
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        _plain(span.attributes),
        span.status.code == 2,
        span.status.message,
        tuple(event.name for event in span.events),
        service,
    )


def _plain(attributes: Any) -> dict[str, Any]:
    return {one.key: _value(one.value) for one in attributes}


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    return getattr(value, kind)
