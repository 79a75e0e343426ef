"""The wire: one request to a provider and its answer, between our messages and those of pydantic-ai.

Nothing is recorded in pydantic-ai's forms, which change from release to release: a conversation is translated
anew for each request, and an answer becomes one of our messages as soon as it is complete.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from quintet.agents.models.clients import AnyModel, model_of, secrets_of, speaks_chat
from quintet.agents.models.parameters import LONGEST, settings_for, silence_in
from quintet.agents.models.port import Ask, Said, Trouble
from quintet.agents.models.providers import PROVIDERS
from quintet.agents.models.translation import answered, history, request_of
from quintet.agents.models.troubles import trouble_of, unaskable
from quintet.engine.performing import Say
from quintet.engine.redaction import Redactor

if TYPE_CHECKING:
    from quintet.agents.models.remote import Connection


@dataclass(frozen=True, slots=True)
class _Request:
    """All that pydantic-ai is given."""

    model: AnyModel
    messages: list[ModelMessage]
    settings: ModelSettings
    parameters: ModelRequestParameters
    silence: float
    """So many seconds nothing may come."""

    @property
    def longest(self) -> float:
        """So many seconds it may take in all."""
        return max(LONGEST, self.silence)


class Wire:
    """A model of a provider, with the connections that one event loop has to it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known = PROVIDERS[connection.model.provider]
        self._redactor = Redactor(secrets_of(connection))
        self._model: AnyModel | None = None

    async def ask(self, ask: Ask, say: Say) -> Said:
        """Ask once.  Raises Trouble."""
        try:
            request = self._request(ask)
        except Exception as error:
            refusal = unaskable(error)
            raise self._located(refusal) from None
        try:
            async with asyncio.timeout(request.longest):
                return answered(await self._response(request, say))
        except TimeoutError:
            late = Trouble("timeout", f"not done after {request.longest:g} seconds", passing=True)
            raise self._located(late) from None
        except Exception as error:
            trouble = trouble_of(error, request.silence)
            # What it came from may hold what must not be told.
            raise self._located(trouble) from None

    async def aclose(self) -> None:
        if self._model is not None:
            async with self._model:  # leaving it closes what it has opened
                pass

    def _request(self, ask: Ask) -> _Request:
        model = self._model = self._model or model_of(self._connection)
        settings = settings_for(model, self._known, ask, self._connection.headers)
        silence = silence_in(ask.parameters)
        return _Request(model, history(ask, model), settings, request_of(ask, model), silence)

    async def _response(self, request: _Request, say: Say) -> ModelResponse:
        async with model_request_stream(
            request.model,
            request.messages,
            model_settings=request.settings,
            model_request_parameters=request.parameters,
            instrument=False,
        ) as stream:
            async for event in stream:
                if piece := _piece(event):
                    say(piece)
        return self._complete(stream.get(), request.model)

    def _complete(self, response: ModelResponse, model: AnyModel) -> ModelResponse:
        """The same.  Raises Trouble where the stream just ended: half an answer must not pass for a whole."""
        details = response.provider_details or {}
        if "finish_reason" in details or "refusal" in details:
            return response
        # Of chat completions, pydantic-ai takes it that a model which says nothing of why it stopped is done.
        if response.finish_reason is None or speaks_chat(model, self._known):
            raise Trouble("provider", "the answer ended in the middle", passing=True)
        return response

    def _located(self, trouble: Trouble) -> Trouble:
        """The same, told of which model, and without secrets."""
        return Trouble(
            trouble.kind,
            self._redactor.text(f"{self._connection.model}: {trouble}"),
            passing=trouble.passing,
            definite=trouble.definite,
            retry_after=trouble.retry_after,
        )


def _piece(event: ModelResponseStreamEvent) -> str:
    """The text that an event adds to the answer."""
    match event:
        case PartStartEvent(part=TextPart(content=piece)):
            return piece
        case PartDeltaEvent(delta=TextPartDelta(content_delta=piece)):
            return piece
        case _:
            return ""
