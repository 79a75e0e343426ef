"""The text of a cassette: YAML that a person can read, compare and edit; `cassette_file` reads it.

It looks like a script: what agents say by their names, and what tools give.  Beside each answer stands what
was asked.  A request that goes on with an earlier conversation names the one that it comes after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from quintet.agents.cassette import Answered, Asked, Called, Cassette, Outcome, Recording, Served, without_ids
from quintet.agents.messages import Message
from quintet.engine.failures import Failure
from quintet.engine.values import Json, encode, fingerprint
from quintet.formats.yaml_writing import written

VERSION: Final = 1
HEAD: Final = """\
# What the models and tools of a run said, each answer by what was asked.
# Played instead of them with `--fake`; compared with what comes of a run by `quintet test`.
"""


def text_of(cassette: Cassette) -> str:
    """A cassette, written down."""
    writer = _Writer()
    agents = writer.agents(cassette.models)
    told: dict[str, Json] = {
        "cassette": VERSION,
        "workflow": cassette.workflow,
        "format": cassette.format,
        "arguments": cassette.arguments,
        "outcome": None if cassette.outcome is None else _outcome(cassette.outcome),
        "agents": agents,
        "tools": _grouped([(one.request.tool, _tool(one)) for one in cassette.tools]),
        "services": _grouped([(one.request.name, _service(one)) for one in cassette.services]),
        "answers": [_answer(one) for one in cassette.answers],
        "wishes": writer.wishes,
    }
    return HEAD + written({key: value for key, value in told.items() if value not in (None, {}, [])})


class _Writer:
    """Writes requests to models: what several have in common is written once."""

    def __init__(self) -> None:
        self.wishes: dict[str, Json] = {}
        self._wished: dict[str, str] = {}
        self._ends: dict[str, int] = {}
        """Where conversations have ended so far: after which recording."""
        self._followed: set[int] = set()

    def agents(self, recordings: Sequence[Recording[Asked]]) -> dict[str, Json]:
        entries: list[tuple[str, dict[str, Json]]] = []
        for number, recording in enumerate(recordings, 1):
            entries.append((recording.request.agent, self._entry(recording, number)))
        for number in range(1, len(entries) + 1):
            if number not in self._followed:
                del entries[number - 1][1]["id"]
        return _grouped(entries)

    def _entry(self, recording: Recording[Asked], number: int) -> dict[str, Json]:
        asked, entry = recording.request, dict[str, Json](at=recording.at, id=number)
        after, new = self._after(asked)
        if after is not None:
            entry["after"] = after
            self._followed.add(after)
        entry["asked"] = [_message(message) for message in new]
        if wish := self._wish(asked):
            entry["wish"] = wish
        if recording.value is not None:
            said = cast("Mapping[str, Any]", recording.value)
            self._ends[_hashes([*asked.words, answer_of(said)])[-1]] = number
            entry |= _said(said, with_value=asked.schema is None)
        return entry | _rest(recording)

    def _after(self, asked: Asked) -> tuple[int | None, Sequence[Message]]:
        """The recording that a request comes after, and what is new in it."""
        hashes = _hashes(asked.words)
        for count in range(len(hashes) - 1, 0, -1):
            if hashes[count - 1] in self._ends:
                return self._ends[hashes[count - 1]], asked.words[count:]
        return None, asked.words

    def _wish(self, asked: Asked) -> str:
        """The name of the schema and the tools that go with a request."""
        if asked.schema is None and not asked.tools:
            return ""
        wish: dict[str, Json] = {} if asked.schema is None else {"schema": asked.schema}
        if asked.tools:
            wish["tools"] = asked.tools
        text = encode(wish)
        if text not in self._wished:
            self._wished[text] = f"wish{len(self._wished) + 1}"
            self.wishes[self._wished[text]] = wish
        return self._wished[text]


def answer_of(said: Mapping[str, Any]) -> Message:
    """What a model has said, as a message of the conversation."""
    message: dict[str, Json] = {"role": "assistant", "text": said["text"]}
    return {**message, "calls": said["calls"]} if said["calls"] else message


def _hashes(words: Sequence[Message]) -> list[str]:
    """The hash of a conversation after each of its messages."""
    hashes = [""]
    for message in words:
        hashes.append(fingerprint(hashes[-1], encode(without_ids(message))))
    return hashes[1:]


def _message(message: Message) -> dict[str, Json]:
    role = cast(str, message["role"])
    if role == "tool":
        gave = {key: message[key] for key in ("result", "error") if key in message}
        return {"tool": message["tool"], **gave}
    shown: dict[str, Json] = {role: message["text"]}
    return {**shown, "tools": _calls(message["calls"])} if "calls" in message else shown


def _said(said: Mapping[str, Any], *, with_value: bool) -> dict[str, Json]:
    entry: dict[str, Json] = {"reply": said["text"]} if said["text"] or not said["calls"] else {}
    if said["calls"]:
        entry["tools"] = _calls(said["calls"])
    if with_value and "value" in said:
        entry["value"] = said["value"]
    entry |= {key: said[key] for key in ("model", "answered") if key in said}
    if any(said["usage"].values()):
        entry["tokens"] = said["usage"]
    return entry | ({"cost_usd": said["cost_usd"]} if "cost_usd" in said else {})


def _calls(calls: Any) -> list[Json]:
    return [{"name": call["tool"], "arguments": call["arguments"]} for call in calls]


def _tool(recording: Recording[Called]) -> dict[str, Json]:
    asked = recording.request
    by: dict[str, Json] = {} if asked.agent is None else {"agent": asked.agent}
    return {"at": recording.at, **by, "arguments": asked.arguments, **_gave(recording)}


def _service(recording: Recording[Served]) -> dict[str, Json]:
    return {"at": recording.at, "data": recording.request.data, **_gave(recording)}


def _gave(recording: Recording[Any]) -> dict[str, Json]:
    gave: dict[str, Json] = {}
    if recording.answered and recording.failure is None:
        gave["result"] = recording.value
    return gave | _rest(recording)


def _rest(recording: Recording[Any]) -> dict[str, Json]:
    """How it failed, and how long it took."""
    rest: dict[str, Json] = {}
    if recording.failure is not None:
        rest["error"] = _failure(recording.failure)
    if not recording.answered:
        rest["unanswered"] = True
    if recording.took:
        rest["took"] = recording.took
    return rest


def _failure(failure: Failure) -> dict[str, Json]:
    return failure.to_json()


def _outcome(outcome: Outcome) -> dict[str, Json]:
    told: dict[str, Json] = {"status": outcome.status}
    if outcome.output is not None:
        told["output"] = outcome.output
    return told if outcome.error is None else {**told, "error": outcome.error}


def _answer(answered: Answered) -> dict[str, Json]:
    return {"at": answered.at, "answer": answered.answer}


def _grouped(entries: Sequence[tuple[str, dict[str, Json]]]) -> dict[str, Json]:
    groups: dict[str, list[Json]] = {}
    for name, entry in entries:
        groups.setdefault(name, []).append(entry)
    return dict(groups)
