"""The offline model: a language model in this process, for where there is no key and no network.

Its 135 million parameters show that everything around it is real: text comes piece by piece, answers fit
their schema, tokens are counted.  What it says is worth little, and what it decides nothing.

One model is loaded in a process, at the first request.  It answers a few requests at once, each in a thread
of its own; more wait for such a thread, whichever event loop they come from.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, TypeGuard

from quintet.agents import messages
from quintet.agents.messages import Message
from quintet.agents.models import llama, weights
from quintet.agents.models.llama import Chunk, Engine
from quintet.agents.models.narrowing import narrowed
from quintet.agents.models.port import Ask, Finish, Said, Tokens, Trouble, TroubleKind
from quintet.engine.performing import Say
from quintet.engine.values import Json, encode
from quintet.problems.wording import did_you_mean, quoted

INSTALL: Final = "quintet model install"

_USUAL: Final[Mapping[str, Json]] = {"max_tokens": 256, "temperature": 0.2, "top_p": 0.9, "seed": 1}
"""Where nothing is said: the same request gets the same answer."""
_HOW: Final[Mapping[str, Json]] = {"repeat_penalty": 1.1, "cache_prompt": False}
"""Without the first it counts to a hundred; with the other, what was asked before would change an answer."""

LONG_ENOUGH: Final = 70
"""So many tokens make an answer, where nobody says how long it may be."""
_ENDS: Final = (".", "!", "?", "\n")


class Offline:
    """The port to the offline model."""

    async def ask(self, ask: Ask, say: Say) -> Said:
        request = request_of(ask)
        answer = Answer(is_brief="max_tokens" not in ask.parameters and ask.schema is None)
        loop, chunks, stop = asyncio.get_running_loop(), asyncio.Queue[Chunk | None](), threading.Event()

        def hand_over(chunk: Chunk | None) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(chunks.put_nowait, chunk)

        def heard(chunk: Chunk) -> bool:
            hand_over(chunk)
            return stop.is_set() or answer.is_enough(chunk)

        job: Future[None] = _workers().submit(_answer, request, ask.schema, heard, stop)
        job.add_done_callback(lambda _: hand_over(None))
        try:
            while (chunk := await chunks.get()) is not None:
                if piece := answer.take(chunk):
                    say(piece)
        finally:
            stop.set()
            job.cancel()
        job.result()
        return answer.said()

    async def aclose(self) -> None:
        """Nothing is to be done: the model stays loaded, and other event loops may be asking it."""


# --- the model in this process ------------------------------------------------------------------------


def _answer(
    request: dict[str, Json],
    schema: Mapping[str, Json] | None,
    heard: Callable[[Chunk], bool],
    stop: threading.Event,
) -> None:
    """Answer in this thread.  Raises Trouble."""
    engine = _engine()
    if stop.is_set():
        return
    if schema is not None:
        request["grammar"] = _grammar(engine, schema)
    engine.chat(request, heard)


def _grammar(engine: Engine, schema: Mapping[str, Json]) -> str:
    import jsonschema_rs

    try:
        jsonschema_rs.validator_for(encode(schema), offline=True)
        return engine.grammar(narrowed(schema))
    except ValueError as error:
        reason = str(error).partition("\n")[0]
        raise _trouble("rejected", f"the schema is no JSON Schema: {reason}") from error


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(llama.SLOTS, thread_name_prefix="offline-model")


_loading = threading.Lock()


def _engine() -> Engine:
    """The one model; whoever comes first loads it."""
    with _loading:
        return _load()


@cache
def _load() -> Engine:
    """Load the model.  Raises Trouble, and then is tried again at the next request."""
    path = weights.find()
    if path is None or not llama.is_installed():
        missing = "weights" if path is None else "runtime"
        raise _trouble("rejected", f"the offline model is not installed (no {missing}): {INSTALL}")
    try:
        weights.check(path)
        engine = Engine(path, weights.NAME)
    except (weights.Wrong, llama.CannotLoad, OSError) as error:
        raise _trouble("rejected", f"the offline model cannot be loaded: {error}") from error
    atexit.register(engine.close)
    return engine


# --- what is asked ------------------------------------------------------------------------------------


def request_of(ask: Ask) -> dict[str, Json]:
    """A request in the words of OpenAI.  Raises Trouble where the model cannot do what it is asked."""
    if ask.tools:
        names = ", ".join(tool.name for tool in ask.tools)
        raise _trouble("rejected", f"the offline model cannot call tools, and is offered some: {names}")
    given = {name: value for name, value in ask.parameters.items() if value is not None}
    for name, value in given.items():
        _check(name, value)
    return {"messages": [_told(message) for message in ask.messages], **_USUAL, **given, **_HOW}


def _check(name: str, value: Json) -> None:
    valid = _PARAMETERS.get(name)
    if valid is None:
        hint = did_you_mean(name, _PARAMETERS) or f"it knows {', '.join(_PARAMETERS)}"
        raise _trouble("rejected", f"the offline model has no parameter {quoted(name)}; {hint}")
    what, fits = valid
    if not fits(value):
        raise _trouble("rejected", f"{name} has to be {what}, and is {encode(value)}")


def _is_whole(value: Json) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Json) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_texts(value: Json) -> bool:
    if isinstance(value, str):
        return True
    return isinstance(value, Sequence) and all(isinstance(one, str) for one in value)


_PARAMETERS: Final[Mapping[str, tuple[str, Callable[[Json], bool]]]] = {
    "temperature": ("a number from 0", lambda value: _is_number(value) and value >= 0),
    "max_tokens": ("a whole number from 1", lambda value: _is_whole(value) and value >= 1),
    "top_p": ("a number from 0 to 1", lambda value: _is_number(value) and 0 <= value <= 1),
    "seed": ("a whole number", _is_whole),
    "stop": ("a text, or a list of texts", _is_texts),
}


def _told(message: Message) -> Json:
    """A message as the model knows it, which has never heard of tools."""
    match message["role"]:
        case "tool" if "error" in message:
            return {"role": "user", "content": f"{message['tool']} failed: {message['error']}"}
        case "tool":
            result = message["result"]
            shown = result if isinstance(result, str) else encode(result)
            return {"role": "user", "content": f"{message['tool']} gives: {shown}"}
        case role:
            return {"role": role, "content": messages.text(message)}


# --- what is answered ---------------------------------------------------------------------------------

_FINISHES: Final[Mapping[str, Finish]] = {"stop": "stop", "length": "length"}
_KINDS: Final[Mapping[str, TroubleKind]] = {
    "exceed_context_size_error": "context_length",
    "invalid_request_error": "rejected",
}


@dataclass(slots=True)
class Answer:
    """An answer, as its chunks come."""

    pieces: list[str] = field(default_factory=list[str])
    finish: Finish | None = None
    tokens: Tokens = field(default_factory=Tokens)
    is_brief: bool = False
    """Whether it ends with a sentence once it is long enough: by itself this model rarely finds an end."""
    _heard: int = 0

    def is_enough(self, chunk: Chunk) -> bool:
        """Whether nothing more is wanted; called in the thread that hears the model, before `take`."""
        pieces = [piece for choice in chunk.get("choices", ()) if (piece := choice["delta"].get("content"))]
        self._heard += len(pieces)
        return self.is_brief and self._heard >= LONG_ENOUGH and "".join(pieces).endswith(_ENDS)

    def take(self, chunk: Chunk) -> str:
        """Add a chunk; gives the text that came with it.  Raises Trouble."""
        if error := chunk.get("error"):
            raise _refused(error)
        if progress := chunk.get("prompt_progress"):
            self.tokens = Tokens(progress["total"])
        if usage := chunk.get("usage"):
            self.tokens = Tokens(usage["prompt_tokens"], usage["completion_tokens"])
        for choice in chunk.get("choices", ()):
            if finish := choice.get("finish_reason"):
                self.finish = _FINISHES.get(finish, "stop")
            if piece := choice["delta"].get("content"):
                self.pieces.append(piece)
                return piece
        return ""

    def said(self) -> Said:
        """The whole.  Raises Trouble where it broke off."""
        if self.finish is None and self.is_brief and self._heard >= LONG_ENOUGH:
            self.finish, self.tokens = "stop", Tokens(self.tokens.input, self._heard)
        if self.finish is None:
            raise _trouble("provider", "the offline model stopped in the middle of its answer", passing=True)
        return Said(messages.assistant("".join(self.pieces)), self.finish, self.tokens, weights.NAME)


def _refused(error: Mapping[str, Any]) -> Trouble:
    """What llama.cpp says of a request that it does not answer."""
    kind: TroubleKind = _KINDS.get(error.get("type", ""), "provider")
    if kind == "context_length":
        size, room = error.get("n_prompt_tokens", 0), error.get("n_ctx", llama.CONTEXT)
        message = f"the request has {size:,} tokens; the offline model takes {room:,}, its answer included"
    else:
        message = f"the offline model does not answer: {error.get('message')}"
    return _trouble(kind, message, passing=kind == "provider")


def _trouble(kind: TroubleKind, message: str, *, passing: bool = False) -> Trouble:
    """Whatever happens here costs nothing, so it is always certain that nothing was paid."""
    return Trouble(kind, message, passing=passing, definite=True)
