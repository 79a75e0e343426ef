"""Manifest: what an agent is, as OpenFang's `agent.toml` says it.

The file is read strictly: a key that OpenFang does not know is refused.  Of what it does know, this reads
what a turn needs; the rest concerns OpenFang's daemon, may stand there, and is kept as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from quintet.engine.values import Json
from quintet.formats.codes import UNKNOWN_VALUE
from quintet.formats.invalid import InvalidFile
from quintet.formats.kinds import ANYTHING, Number
from quintet.formats.report import Report
from quintet.formats.shape import TEXT, Fields, Key, ListOf, OrNull, Shape, Whole, Wrong
from quintet.formats.source import read
from quintet.formats.tree import Value, plain
from quintet.formats.uuids import is_uuid
from quintet.problems.problem import has_errors
from quintet.problems.wording import quoted

SYSTEM_PROMPT: Final = "You are a helpful AI agent."


@dataclass(frozen=True, slots=True)
class Model:
    """Which model an agent wants, and how it is asked; empty texts leave the choice to the place."""

    provider: str = ""
    name: str = ""
    system_prompt: str = SYSTEM_PROMPT
    max_tokens: int | None = None
    temperature: float | None = None
    base_url: str | None = None
    api_key_env: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """What an agent is."""

    name: str
    id: str | None = None
    description: str = ""
    model: Model = field(default_factory=Model)
    tools: tuple[str, ...] = ()
    """Tools that it may use."""
    fallback: tuple[Model, ...] = ()
    """Models that are asked where its own does not answer."""
    history: int | None = None
    """So many messages of a conversation is its model told, at most; None: all."""
    rest: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What else its file says."""


# --- the shape ----------------------------------------------------------------------------------------

_PROVIDER = Key("provider", TEXT, "", 'Who offers the model; "default" leaves that to the place.')
_MODEL = Key("model", TEXT, "", 'The model; "default" leaves that to the place.')
_MODEL_NAME = Key("name", TEXT, "", "The same as `model`.")
_SYSTEM = Key("system_prompt", TEXT, SYSTEM_PROMPT, "What the agent is told before all else.")
_MAX_TOKENS: Key[int | None] = Key("max_tokens", Whole(1, 2**32 - 1), None, "How long an answer may be.")
_TEMPERATURE: Key[float | None] = Key("temperature", Number(0), None, "How freely the model chooses.")
_BASE_URL: Key[str | None] = Key("base_url", OrNull(TEXT), None, "Where the provider is reached.")
_KEY_ENV: Key[str | None] = Key("api_key_env", OrNull(TEXT), None, "The environment variable with the key.")
_MODEL_SHAPE = Shape(
    "a model",
    (_PROVIDER, _MODEL, _MODEL_NAME, _SYSTEM, _MAX_TOKENS, _TEMPERATURE, _BASE_URL, _KEY_ENV),
)

_TOOLS: Key[tuple[str, ...]] = Key("tools", ListOf(TEXT, "a tool"), (), "Tools that the agent may use.")
_CAPABILITIES = tuple(
    Key(name, ANYTHING, None, "Concerns OpenFang's daemon.")
    for name in (
        [
            "network",
            "memory_read",
            "memory_write",
            "agent_spawn",
            "agent_message",
            "shell",
            "ofp_discover",
            "ofp_connect",
        ]
    )
)
_CAPABILITIES_SHAPE = Shape("capabilities", (_TOOLS, *_CAPABILITIES))

_NAME = Key("name", TEXT, "unnamed", "What the agent is called.")
_ID: Key[str | None] = Key("id", TEXT, None, "Its UUID; without one it has one that follows from its name.")
_DESCRIPTION = Key("description", TEXT, "", "What it does.")
_AGENT_MODEL: Key[Fields | None] = Key("model", _MODEL_SHAPE, None, "Its model.")
_FALLBACK: Key[tuple[Fields, ...]] = Key(
    "fallback_models", ListOf(_MODEL_SHAPE, "a model"), (), "Models that are asked where its own fails."
)
_HISTORY: Key[int | None] = Key(
    "max_history_messages", OrNull(Whole(1, 2**32 - 1)), None, "So many messages is its model told."
)
_AGENT_CAPABILITIES: Key[Fields | None] = Key("capabilities", _CAPABILITIES_SHAPE, None, "What it may do.")
_REST = tuple(
    Key(name, ANYTHING, None, "Concerns OpenFang's daemon.")
    for name in (
        [
            "version",
            "author",
            "module",
            "schedule",
            "resources",
            "priority",
            "profile",
            "tools",
            "skills",
            "mcp_servers",
            "metadata",
            "tags",
            "routing",
            "autonomous",
            "workspace",
            "exec_policy",
            "tool_allowlist",
            "tool_blocklist",
            "cache_context",
            "generate_identity_files",
        ]
    )
)
AGENT = Shape(
    "an agent", (_NAME, _ID, _DESCRIPTION, _AGENT_MODEL, _FALLBACK, _HISTORY, _AGENT_CAPABILITIES, *_REST)
)


def parse(text: str | bytes, path: str = "agent.toml") -> Manifest:
    """The agent that a manifest describes.  Raises InvalidFile."""
    reading = read(text, path)
    manifest = None if reading.root is None else read_agent(reading.root, reading.report)
    if manifest is None or has_errors(reading.report.problems):
        raise InvalidFile(reading.report.problems)
    return manifest


def read_agent(value: Value, report: Report, name: str | None = None) -> Manifest | None:
    """The agent that a map describes, called `name` unless it says so itself."""
    try:
        fields = AGENT.read(value, "the agent", report)
    except Wrong:
        return None
    own = fields[_ID]
    if own is not None and not is_uuid(own):
        report.add(UNKNOWN_VALUE, f"the id {quoted(own)} is not a UUID", fields.at(_ID))
    capabilities = fields[_AGENT_CAPABILITIES]
    return Manifest(
        name=fields[_NAME] if fields.given(_NAME) or name is None else name,
        id=own,
        description=fields[_DESCRIPTION],
        model=_model(fields[_AGENT_MODEL]),
        fallback=tuple(map(_model, fields[_FALLBACK])),
        history=fields[_HISTORY],
        tools=() if capabilities is None else capabilities[_TOOLS],
        rest={key.name: plain(entry.value) for key in _REST if (entry := fields.map.entries.get(key.name))},
    )


def _model(fields: Fields | None) -> Model:
    if fields is None:
        return Model()
    return Model(
        provider=_chosen(fields[_PROVIDER]),
        name=_chosen(fields[_MODEL] or fields[_MODEL_NAME]),
        system_prompt=fields[_SYSTEM],
        max_tokens=fields[_MAX_TOKENS],
        temperature=fields[_TEMPERATURE],
        base_url=fields[_BASE_URL],
        api_key_env=fields[_KEY_ENV],
    )


def _chosen(name: str) -> str:
    """OpenFang writes "default" for what is left to the place."""
    return "" if name == "default" else name
