"""Tracers: whoever tells of the runs of one workshop, each where its project says.

Nothing of OpenTelemetry is imported before a run is to be told of.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final

from quintet.tracing.destination import CannotTrace, Destination, destination, is_disabled, wants_content
from quintet.tracing.settings import TracingSettings
from quintet.tracing.telling import Read, Telling
from quintet.tracing.trace import Planned

if TYPE_CHECKING:
    from quintet.tracing.exporter import Exporter
    from quintet.tracing.sending import Sending


WAYS: Final = "[tracing] in quintet.toml, OTEL_EXPORTER_OTLP_ENDPOINT, or a tracer provider of your own"


class Tracers:
    """All of them."""

    def __init__(self, *, asked: bool | None = None) -> None:
        """Make ready; `asked` is what the application says: None leaves it to the project."""
        self._asked = asked
        self._sendings: dict[Destination, Sending] = {}
        self._joined: dict[bool, Exporter] = {}
        """Those that go through the application's own providers, with content and without."""
        self._at_work: set[Telling] = set()

    def audience(self, settings: TracingSettings, planned: Planned, read: Read) -> Telling | None:
        """Who tells of one run, if anybody does.  Raises CannotTrace."""
        exporter = self._exporter(settings)
        return None if exporter is None else Telling(planned, exporter.teller, read, self._at_work)

    def prepare(self, settings: TracingSettings) -> None:
        """Load what that needs before the clock of a run starts.  Raises CannotTrace."""
        self._exporter(settings)

    async def aclose(self) -> None:
        """Tell what is left to be told."""
        for telling in list(self._at_work):
            await telling.finish()
        sendings, self._sendings = list(self._sendings.values()), {}
        await asyncio.gather(*(sending.aclose() for sending in sendings))

    def _exporter(self, settings: TracingSettings) -> Exporter | None:
        if self._asked is False:
            return None
        if self._asked and _has_providers():
            return self._joining(wants_content(settings, os.environ))
        where = destination(settings, os.environ)
        if where is not None:
            return self._sending(where).exporter
        if self._asked and not is_disabled(os.environ):
            raise CannotTrace(f"tracing is asked for, and nothing says where to: {WAYS}")
        return None

    def _sending(self, where: Destination) -> Sending:
        from quintet.tracing.sending import Sending

        if where not in self._sendings:
            self._sendings[where] = Sending(where)
        return self._sendings[where]

    def _joining(self, content: bool) -> Exporter:
        from opentelemetry import metrics, trace

        from quintet.tracing.exporter import Exporter

        if content not in self._joined:
            providers = trace.get_tracer_provider(), metrics.get_meter_provider()
            self._joined[content] = Exporter(*providers, content=content)
        return self._joined[content]


def _has_providers() -> bool:
    """Whether the application has set up where its own traces go."""
    try:
        from opentelemetry import trace
    except ModuleNotFoundError:
        return False
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
