"""Destination: where traces are sent, and what of a run they tell.

What the environment says in OpenTelemetry's own variables goes before `quintet.toml`.  Where neither names an
endpoint there is no destination: nothing of OpenTelemetry is imported then, and nothing is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Final, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from quintet.agents.models.settings import FROM_ENVIRONMENT, resolved
from quintet.engine.failures import EngineError
from quintet.tracing.settings import TracingSettings, with_credentials

Signal: TypeAlias = Literal["traces", "metrics"]
SIGNALS: Final[tuple[Signal, ...]] = ("traces", "metrics")

SERVICE: Final = "quintet"
INSTALL: Final = "pip install 'quintet[tracing]'"


class CannotTrace(EngineError):
    """Traces are asked for, and cannot be made."""

    code = "tracing"


@dataclass(frozen=True, slots=True)
class Target:
    """Where one signal goes."""

    url: str
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """Those of the settings; what the environment says of headers, the exporter reads itself."""

    @property
    def place(self) -> str:
        """What of it can be shown."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


@dataclass(frozen=True, slots=True)
class Destination:
    """Where to."""

    targets: tuple[tuple[Signal, Target], ...] = ()
    """None: to the providers that the application has set up."""
    service: str = SERVICE
    content: bool = False


def destination(settings: TracingSettings, environment: Mapping[str, str]) -> Destination | None:
    """Where traces go, if anywhere.  Raises CannotTrace."""
    if is_disabled(environment):
        return None
    targets = tuple(_targets(settings, environment))
    if not targets:
        return None
    _check(environment)
    return Destination(targets, _service(settings, environment), wants_content(settings, environment))


def is_disabled(environment: Mapping[str, str]) -> bool:
    """Whether the environment forbids it."""
    return environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"


def wants_content(settings: TracingSettings, environment: Mapping[str, str]) -> bool:
    """Whether what was said is told, too."""
    asked = environment.get("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")
    if not asked:
        return settings.content
    return asked.strip().lower() in ("true", "1", "span_only", "span_and_event")


def environment_secrets(environment: Mapping[str, str]) -> Iterator[str]:
    """The headers that the environment has for a collector: they must never be shown."""
    for signal in ("", "TRACES_", "METRICS_"):
        for pair in environment.get(f"OTEL_EXPORTER_OTLP_{signal}HEADERS", "").split(","):
            value = pair.partition("=")[2].strip()
            yield from with_credentials(value)
            yield from with_credentials(unquote(value))


def _targets(settings: TracingSettings, environment: Mapping[str, str]) -> Iterator[tuple[Signal, Target]]:
    for signal in SIGNALS:
        if (target := _target(signal, settings, environment)) is not None:
            yield signal, target


def _target(signal: Signal, settings: TracingSettings, environment: Mapping[str, str]) -> Target | None:
    name = signal.upper()
    if environment.get(f"OTEL_{name}_EXPORTER", "").strip().lower() == "none":
        return None
    if own := environment.get(f"OTEL_EXPORTER_OTLP_{name}_ENDPOINT"):
        return Target(own)
    if general := environment.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
        return Target(_joined(general, signal))
    if settings.endpoint is None:
        return None
    return Target(_joined(settings.endpoint, signal), tuple(_headers(settings)))


def _joined(endpoint: str, signal: Signal) -> str:
    return f"{endpoint.rstrip('/')}/v1/{signal}"


def _headers(settings: TracingSettings) -> Iterator[tuple[str, str]]:
    for name, text in settings.headers.items():
        value = resolved(text)
        if value is None:
            variable = text.removeprefix(FROM_ENVIRONMENT)
            raise CannotTrace(
                f"the header {name!r} of [tracing] is to come from {variable}, which is not set"
            )
        yield name, value


def _service(settings: TracingSettings, environment: Mapping[str, str]) -> str:
    return environment.get("OTEL_SERVICE_NAME") or settings.service_name or SERVICE


def _check(environment: Mapping[str, str]) -> None:
    """Raises CannotTrace where traces cannot be made."""
    protocol = environment.get("OTEL_EXPORTER_OTLP_PROTOCOL") or "http/protobuf"
    if protocol != "http/protobuf":
        raise CannotTrace(
            f"traces are sent as http/protobuf, not as {protocol} (OTEL_EXPORTER_OTLP_PROTOCOL)"
        )
    needed = ("opentelemetry", "opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
    if not all(map(_is_installed, needed)):
        raise CannotTrace(f"tracing is asked for, and OpenTelemetry is not installed: {INSTALL}")


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # one of its parents
        return False
