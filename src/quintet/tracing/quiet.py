"""Quiet: what OpenTelemetry logs of our own sending is kept from the screen; the rest is left alone.

A collector that cannot be reached is told of once, in one line, when all is over.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_LOGGERS: Final = (
    "opentelemetry.exporter.otlp.proto.http.metric_exporter",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
    "opentelemetry.sdk._shared_internal",
    "opentelemetry.sdk.metrics._internal.export",
    "opentelemetry.sdk.trace",
    "urllib3.connectionpool",
)
_is_quiet: ContextVar[bool] = ContextVar("quintet_tracing_is_quiet", default=False)


@contextmanager
def quietly() -> Generator[None]:
    """What is logged meanwhile, in this thread, is not."""
    token = _is_quiet.set(True)
    try:
        yield
    finally:
        _is_quiet.reset(token)


def _speaks(record: logging.LogRecord) -> bool:
    return not _is_quiet.get()


for _name in _LOGGERS:
    logging.getLogger(_name).addFilter(_speaks)
