"""Ports: the models that this process is asking, and the lanes that lead to them.

They are shared by all that works in one event loop, however many stores and runs that are: a provider counts
what it is asked with a key, and not by the run.

    async with open_ports() as ports:
        said = await ports.ask(candidate, reach, ask, call)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Protocol
from weakref import WeakKeyDictionary

from quintet.agents.models.choice import OFFLINE, Candidate
from quintet.agents.models.lanes import Lane
from quintet.agents.models.patience import LONGEST, WITH_OTHERS, ask_patiently
from quintet.agents.models.port import Ask, Port, Said
from quintet.agents.models.reach import Reach
from quintet.agents.models.remote import Connection, remote
from quintet.agents.models.settings import Pace
from quintet.engine.performing import Call


class _Open(Port, Protocol):
    async def aclose(self) -> None: ...


class Ports:
    """What is open in one event loop."""

    def __init__(self) -> None:
        self.users = 0
        self._ports: dict[str, _Open] = {}
        self._lanes: dict[tuple[str, str | None, Pace], Lane] = {}

    async def ask(self, candidate: Candidate, reach: Reach, ask: Ask, call: Call) -> Said:
        """Ask a model, in its turn and with patience.  Raises Trouble, Unusable."""
        connection = reach.connection(candidate)
        lanes = self._lanes_to(candidate, connection.base_url, reach.pace)
        longest = WITH_OTHERS if candidate.others_follow else LONGEST
        return await ask_patiently(self._port(connection), lanes, ask, call, longest)

    async def aclose(self) -> None:
        """Close all of it."""
        ports, self._ports = list(self._ports.values()), {}
        for port in ports:
            await port.aclose()

    def _port(self, connection: Connection) -> _Open:
        key = repr((connection, connection.api_key, sorted(connection.headers.items())))
        if key not in self._ports:
            self._ports[key] = opened(connection)
        return self._ports[key]

    def _lanes_to(self, candidate: Candidate, place: str | None, pace: Mapping[str, Pace]) -> Sequence[Lane]:
        """The provider's lane, then the model's; one of which nothing is said only ever slows down.

        Two servers are two providers, whatever they are called.
        """
        clock = asyncio.get_running_loop().time
        names = dict.fromkeys((*reversed(candidate.keys), str(candidate.model)))
        keys = [(name, place, pace.get(name, Pace())) for name in names]
        return [self._lanes.get(key) or self._lanes.setdefault(key, Lane(key[2], clock)) for key in keys]


_ports: WeakKeyDictionary[asyncio.AbstractEventLoop, Ports] = WeakKeyDictionary()


@asynccontextmanager
async def open_ports() -> AsyncGenerator[Ports]:
    """The ports of this event loop; they are closed when nobody uses them any more."""
    loop = asyncio.get_running_loop()
    ports = _ports.setdefault(loop, Ports())
    ports.users += 1
    try:
        yield ports
    finally:
        ports.users -= 1
        if not ports.users:
            del _ports[loop]
            await ports.aclose()


def opened(connection: Connection) -> _Open:
    """A port to a model.  Raises Unusable."""
    if connection.model.provider == OFFLINE:
        from quintet.agents.models.offline import Offline

        return Offline()
    return remote(connection)
