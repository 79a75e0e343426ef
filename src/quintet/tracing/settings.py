"""Settings of tracing: the table of `quintet.toml` that says where traces are sent.

[tracing]
endpoint = "http://127.0.0.1:4318"       # a collector that speaks OTLP over HTTP
headers = {authorization = "env:OTLP_TOKEN"}
service_name = "reviews"
content = true                           # what was said, too: prompts, answers, arguments, results

Like the keys of models, none of it is recorded with a run: every process reads it anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from quintet.agents.models.settings import resolved
from quintet.formats.codes import UNKNOWN_VALUE
from quintet.formats.kinds import TRUTH
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Fields, Key, OrNull, Shape
from quintet.formats.tables import Table
from quintet.problems.wording import quoted


@dataclass(frozen=True, slots=True)
class TracingSettings:
    """What a project says of it."""

    endpoint: str | None = None
    """Where the collector is, without `/v1/traces`."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Sent along: what they hold, or `env:` and the variable that holds it."""
    content: bool = False
    """Whether what was said is told, too."""
    service_name: str | None = None

    @property
    def secrets(self) -> Iterator[str]:
        """What must never be shown."""
        for text in self.headers.values():
            if (known := resolved(text)) is not None:
                yield from with_credentials(known)


def with_credentials(header: str) -> Iterator[str]:
    """The value of a header, and what stands in it behind `Bearer` or `Basic`."""
    yield header
    yield header.partition(" ")[2]


_ENDPOINT: Key[str | None] = Key("endpoint", TEXT, None, "Where a collector takes OTLP over HTTP.")
_HEADERS: Key[Mapping[str, str]] = Key(
    "headers", Table(TEXT, "a map of headers"), {}, "Sent along; `env:NAME` takes one from the environment."
)
_CONTENT: Key[bool] = Key("content", TRUTH, default=False, about="Whether what was said is sent, too.")
_SERVICE: Key[str | None] = Key("service_name", TEXT, None, "What this service is called there.")
_TRACING = Shape("the tracing", (_ENDPOINT, _HEADERS, _CONTENT, _SERVICE))

TRACING: Final[Key[Fields | None]] = Key("tracing", OrNull(_TRACING), None, "Where traces are sent.")


def read_tracing(fields: Fields, report: Report) -> TracingSettings:
    """What the settings say of tracing; what is wrong with it is in the report."""
    table = fields[TRACING]
    if table is None:
        return TracingSettings()
    endpoint = table[_ENDPOINT]
    if endpoint is not None and not _is_address(endpoint):
        message = f"{quoted(endpoint)} is no address"
        report.add(UNKNOWN_VALUE, message, table.at(_ENDPOINT), "write it as http://HOST:4318")
    return TracingSettings(endpoint, table[_HEADERS], table[_CONTENT], table[_SERVICE])


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)
