"""Llama: llama.cpp in this process, as the package xllamacpp has it; nothing else here touches that package.

It is imported when a model is loaded and not before.  It has no types, reports what is wrong with a request
as a value, swallows what its callbacks raise, and opens a port on the loopback whether that is wanted or not:
what is said about all that is said here, once.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias, cast

from quintet.engine.values import Json

PACKAGE: Final = "xllamacpp"

SLOTS: Final = 4
"""How many requests are answered at once; all share the processor."""
CONTEXT: Final = 2048
"""Tokens that a request and its answer may have together."""
_BATCH: Final = 128
"""Tokens that are read at once: a request can be stopped only in between."""
_MOST_THREADS: Final = 4

Chunk: TypeAlias = Mapping[str, Any]
"""A piece of an answer, as OpenAI's streaming has it, or `{"error": ...}`."""


class CannotLoad(Exception):
    """The runtime is not there, or does not take the weights."""


class _Server(Protocol):
    def handle_chat_completions(
        self, request: dict[str, Json], heard: Callable[[Chunk], bool], /
    ) -> object: ...


class _Runtime(Protocol):
    def CommonParams(self) -> Any: ...  # noqa: N802  xllamacpp's name
    def Server(self, params: Any) -> _Server: ...  # noqa: N802  xllamacpp's name
    def json_schema_to_grammar(self, schema: Mapping[str, Json]) -> str: ...


def is_installed() -> bool:
    """Whether the runtime can be imported; does not import it."""
    return find_spec(PACKAGE) is not None


def threads(processors: int) -> int:
    """How many threads compute: half as many as there are processors.

    They wait for each other by spinning.  Where something else keeps one of the processors, a thread on each
    is twenty times slower than half as many are, and on a quiet machine less than twice as fast.
    """
    return max(1, min(processors // 2, _MOST_THREADS))


class Engine:
    """A model in memory."""

    def __init__(self, weights: Path, name: str) -> None:
        """Load it, which takes half a second.  Raises CannotLoad."""
        try:
            import xllamacpp  # pyright: ignore[reportMissingTypeStubs]
        except ImportError as error:
            raise CannotLoad(f"its runtime cannot be imported: {error}") from error
        self._runtime = cast(_Runtime, xllamacpp)
        try:
            self._server: _Server | None = self._runtime.Server(self._params(weights, name))
        except (RuntimeError, ValueError) as error:
            raise CannotLoad(str(error)) from error

    def _params(self, weights: Path, name: str) -> Any:
        params = self._runtime.CommonParams()
        params.model.path = str(weights)
        params.model_alias = {name}  # else each answer names the file
        params.n_parallel, params.n_ctx = SLOTS, SLOTS * CONTEXT
        params.n_batch, params.n_gpu_layers = _BATCH, 0
        params.cache_ram_mib = 0  # else old prompts are kept in up to 8 GiB
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads(os.cpu_count() or 1)
        params.verbosity = -1
        # Calls in the process need no key; with one that nobody knows, nobody else is answered.
        params.api_keys = [secrets.token_hex(16)]
        params.cors_origins, params.n_threads_http = "", 1
        params.ui = params.endpoint_slots = params.endpoint_props = params.endpoint_metrics = False
        return params

    def chat(self, request: Mapping[str, Json], heard: Callable[[Chunk], bool]) -> None:
        """Answer, in this thread; `heard` is given each piece, and stops the answer by True."""
        assert self._server is not None, "nothing is asked of a closed model"
        told = {"stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        self._server.handle_chat_completions({**request, **told}, heard)

    def grammar(self, schema: Mapping[str, Json]) -> str:
        """What makes an answer fit a schema.

        It fails open: where the schema says what LLGuidance does not understand, it constrains less, or
        nothing.  Without white space, since models of this size can write it without end.
        """
        how: Json = {"whitespace_flexible": False, "lenient": True}
        return self._runtime.json_schema_to_grammar({**schema, "x-guidance": how})

    def close(self) -> None:
        """Free its memory, and close its port."""
        self._server = None
