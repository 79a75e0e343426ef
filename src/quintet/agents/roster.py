"""Roster: the agents there are in a place, by name and by id."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable
from functools import lru_cache

from quintet.agents.manifest import Manifest
from quintet.agents.turn import Agent
from quintet.formats.uuids import canonical

_NAMESPACE = uuid.UUID("5f0d3a52-8c1e-5d0b-9a54-2f4c3f6f1c11")


class Roster:
    """Agents as their manifests define them; an agent without one is known by its name alone."""

    def __init__(self, manifests: Iterable[Manifest] = ()) -> None:
        self.manifests = tuple(manifests)
        self._by_name: dict[str, Manifest] = {}
        self._by_id: dict[str, Manifest] = {}
        for manifest in self.manifests:
            self._by_name.setdefault(manifest.name, manifest)
            self._by_id.setdefault(id_of(manifest), manifest)

    @property
    def names(self) -> frozenset[str]:
        """All that agents can be referred to by."""
        return frozenset((*self._by_name, *self._by_id))

    def ids_of(self, names: Collection[str]) -> frozenset[str]:
        """The ids of those that are called so."""
        return frozenset(own for own, manifest in self._by_id.items() if manifest.name in names)

    def find(self, agent: Agent) -> Manifest | None:
        """The manifest of an agent; of a copy that of the agent it is a copy of."""
        if agent.id is not None:
            return self._by_id.get(canonical(agent.id))
        return self._by_name.get(agent.name or "") or self._by_name.get(agent.copy_of or "")

    def has(self, agent: Agent) -> bool:
        """Whether there is such an agent; where none is defined, whoever has a name is one."""
        return agent.own or self.find(agent) is not None or (not self.manifests and agent.name is not None)

    def known(self, agent: Agent) -> Agent:
        """The agent with its name and its id."""
        found = self.find(agent)
        if agent.name is None:
            own = canonical(agent.id or "")
            return Agent(found.name if found else own, own)
        return Agent(agent.name, id_of(found) if found else named_id(agent.name))


def id_of(manifest: Manifest) -> str:
    """The id of an agent: its own, or else one that is always the same for its name."""
    return canonical(manifest.id) if manifest.id else named_id(manifest.name)


@lru_cache(maxsize=1024)
def named_id(name: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, name))
