"""Reach: where models are and with which keys they are asked, as the project says it now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from quintet.agents.models.choice import Candidate
from quintet.agents.models.remote import Connection
from quintet.agents.models.settings import Access, Pace, resolved


@dataclass(frozen=True, slots=True)
class Reach:
    """What no log holds: it is looked up anew by every process."""

    access: Mapping[str, Access] = field(default_factory=dict[str, Access])
    pace: Mapping[str, Pace] = field(default_factory=dict[str, Pace])

    def connection(self, candidate: Candidate) -> Connection:
        """Where a model is; what is said most closely to it goes first."""
        layers = [candidate.own, *(self.access[key] for key in candidate.keys if key in self.access)]
        base_url = next((layer.base_url for layer in layers if layer.base_url), None)
        key = next((layer.api_key for layer in layers if layer.api_key), None)
        headers: dict[str, str] = {}
        for layer in reversed(layers):
            headers |= layer.headers
        known = {name: text for name, said in headers.items() if (text := resolved(said)) is not None}
        unset = tuple(dict.fromkeys(Access(None, key, headers).unset))
        return Connection(candidate.model, base_url, None if key is None else resolved(key), known, unset)

    @property
    def secrets(self) -> Iterator[str]:
        """What must never be shown."""
        for access in self.access.values():
            yield from access.secrets
