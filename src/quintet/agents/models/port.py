"""The port: one request to a model, whole; and what the model said, or why it did not.

Whatever answers for an agent stands behind `Port`: a provider's API, the offline model, a recording.  A port
asks once and does not repeat; whether a trouble is worth another try is for `patience` to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from quintet.agents.messages import Message
from quintet.engine.performing import Say
from quintet.engine.values import Json

Finish: TypeAlias = Literal["stop", "tools", "length", "content_filter", "refused"]
"""Why a model stopped: it was done, it wants tools, it ran out of room, it was filtered, it would not."""

TroubleKind: TypeAlias = Literal["timeout", "rate_limit", "provider", "auth", "rejected", "context_length"]


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool that a model may ask for."""

    name: str
    description: str
    parameters: Mapping[str, Json]
    """JSON Schema of its arguments."""

    def to_json(self) -> dict[str, Json]:
        return {"name": self.name, "description": self.description, "parameters": self.parameters}


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, with everything that the model is told."""

    messages: Sequence[Message]
    """The conversation so far; what the agent is told before all else comes first, in the role `system`."""
    tools: Sequence[ToolOffer] = ()
    schema: Mapping[str, Json] | None = None
    """JSON Schema that the answer must satisfy."""
    parameters: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """`temperature`, `max_tokens`, `top_p`, `seed`, `stop`, … as far as anything is said of them."""
    idempotency_key: str = ""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a request took."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    """Of the input, what the provider had kept from before."""
    cache_write: int = 0
    estimated: bool = False
    """Whether nobody has said so, and it is what the texts are worth."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a model said."""

    message: Message
    """In the role `assistant`: its text, and the tools that it asks for."""
    finish: Finish = "stop"
    tokens: Tokens = field(default_factory=Tokens)
    model: str = ""
    """Which model really answered, as the provider names it."""


class Trouble(Exception):
    """A model did not answer."""

    def __init__(
        self,
        kind: TroubleKind,
        message: str,
        *,
        passing: bool = False,
        definite: bool = False,
        retry_after: float | None = None,
    ) -> None:
        """Say why.

        Args:
            kind: A stable word to decide by.
            message: A sentence for people; it names no secret.
            passing: Whether the same request may succeed a little later.
            definite: Whether it is certain that nothing happened, so that nothing is paid.
            retry_after: Seconds that the provider asks to wait.
        """
        super().__init__(message)
        self.kind: TroubleKind = kind
        self.passing = passing
        self.definite = definite
        self.retry_after = retry_after


class Port(Protocol):
    """A model that can be asked."""

    async def ask(self, ask: Ask, say: Say) -> Said:
        """Ask once, and show the answer piece by piece as it comes.  Raises Trouble.

        To be cancelled at any moment: what was opened is closed then.
        """
        ...
