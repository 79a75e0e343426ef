"""Remote: a port to whatever model a provider offers, over the network.

pydantic-ai speaks to the providers.  It takes a second to import, so nothing here imports it before the first
question; `check` says without it, and without the network, whether a connection can work at all.

    port = remote(Connection(ModelName("openai", "gpt-5-mini")))
    said = await port.ask(Ask([user("Write a line about tea.")]), say=print)
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from quintet.agents.models.names import ModelName
from quintet.agents.models.port import Ask, Said
from quintet.agents.models.providers import missing
from quintet.engine.failures import EngineError
from quintet.engine.performing import Say

if TYPE_CHECKING:
    from quintet.agents.models.wire import Wire

_WIRE: Final = "quintet.agents.models.wire"


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a model is, and with which key it is asked; resolved anew in every process, never recorded."""

    model: ModelName
    base_url: str | None = None
    """Where its provider is, if not where it usually is."""
    api_key: str | None = field(default=None, repr=False)
    """Otherwise the provider's own variable in the environment."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    """Sent with every request."""
    unset: tuple[str, ...] = ()
    """Variables of the environment that are to hold its secrets, and do not."""


class Unusable(EngineError):
    """A connection cannot work; the message says what to install or to set."""

    code = "unusable-model"


def check(connection: Connection) -> str | None:
    """What is missing before a model can be asked, in words, as far as it can be told without asking."""
    if connection.unset:  # a key that is meant for somebody else must not go there instead
        return f"its settings name what is not in the environment: set {' and '.join(connection.unset)}"
    return missing(connection.model.provider, connection.base_url, connection.api_key)


def remote(connection: Connection) -> Remote:
    """A port to a provider's model.  Raises Unusable where `check` finds something missing."""
    if lacking := check(connection):
        raise Unusable(f"{connection.model}: {lacking}")
    return Remote(connection)


class Remote:
    """A port to a provider's model; use `remote`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        # Connections belong to the event loop that opened them; there may be several, one after the other.
        self._wires: WeakKeyDictionary[asyncio.AbstractEventLoop, Wire] = WeakKeyDictionary()

    async def ask(self, ask: Ask, say: Say) -> Said:
        """Ask once.  Raises Trouble, and nothing else."""
        return await (await self._wire()).ask(ask, say)

    async def aclose(self) -> None:
        """Close the connections that this event loop has opened; asking again opens new ones."""
        if wire := self._wires.pop(asyncio.get_running_loop(), None):
            await wire.aclose()

    async def _wire(self) -> Wire:
        if _WIRE not in sys.modules:
            await asyncio.to_thread(import_module, _WIRE)  # so long a loop must not stand still
        from quintet.agents.models.wire import Wire

        loop = asyncio.get_running_loop()
        wire = self._wires.get(loop)
        if wire is None:
            wire = self._wires[loop] = Wire(self.connection)
        return wire
