"""Turns: which agents' turns and tool calls a log tells of, each one entry however often it was tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from quintet.agents import turn
from quintet.engine.events import OUTCOMES, TOUCH_CANCELLED, Event
from quintet.engine.paths import Labels, Path, without_attempts, write
from quintet.engine.values import Json, decode
from quintet.record import Step, StepStatus, Trouble, Usage


@dataclass(frozen=True, slots=True)
class Moment:
    """When something happened; what was taken over from an earlier run happened there."""

    now: float
    then: float | None = None


@dataclass(slots=True)
class Entry:
    """A turn or a tool call, as far as the log has come."""

    label: str
    first: Path
    """Where its first attempt stands: what a fork begins at."""
    kind: Literal["agent", "tool"]
    agent: str | None
    began: Moment
    agent_id: str | None = None
    tool: str | None = None
    model: str | None = None
    attempts: int = 1
    status: StepStatus = "running"
    error: Trouble | None = None
    prompt: str | None = None
    arguments: Json = None
    said: Json = None
    """What its model said last."""
    output: Json = None
    ended: Moment | None = None
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def step(self) -> Step:
        began, ended = self.began.now, self.ended.now if self.ended else None
        if self.ended and self.ended.then is not None and self.began.then is not None:
            began, ended = self.began.then, self.ended.then
        return Step(
            path=self.label,
            where=write(without_attempts(self.first)),
            kind=self.kind,
            agent=self.agent,
            agent_id=self.agent_id,
            tool=self.tool,
            model=self.model,
            status=self.status,
            error=self.error,
            prompt=self.prompt,
            arguments=self.arguments,
            output=self.output,
            attempts=self.attempts,
            began=began,
            ended=ended,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
        )


def visible(path: Path) -> Path:
    """A path up to the last scope that people read."""
    end = len(path)
    while end and path[end - 1].silent:
        end -= 1
    return path[:end]


@dataclass(slots=True)
class Turns:
    """All entries of a run, event by event."""

    origin: float = 0.0
    """When the run began, or the one that it was taken over from."""
    usage: Usage = field(default_factory=Usage)
    ended: dict[Path, Entry] = field(default_factory=dict[Path, Entry])
    """In the order in which they ended."""
    open: dict[Path, Entry] = field(default_factory=dict[Path, Entry])
    """In the order in which they began."""
    nobodys: dict[Path, Entry] = field(default_factory=dict[Path, Entry])
    """Of agents that do not exist: they have not taken place, but a fork can begin there."""
    _labels: Labels = field(default_factory=Labels)
    _taken: dict[int, float] = field(default_factory=dict[int, float])
    _struck: dict[int, tuple[Path, Mapping[str, Any]]] = field(
        default_factory=dict[int, "tuple[Path, Mapping[str, Any]]"]
    )

    def __iter__(self) -> Iterator[Entry]:
        yield from self.ended.values()
        yield from self.open.values()
        yield from self.nobodys.values()

    def hear(self, event: Event) -> None:
        """The log goes on."""
        match event.kind:
            case turn.STARTED:
                self._begin_turn(event, decode(event.data))
            case turn.COMPLETED | turn.FAILED | turn.CANCELLED:
                self._end_turn(event)
            case turn.TOOL_REFUSED:
                self._refused_tool(event, decode(event.data))
            case "model.requested":
                self._requested(event, decode(event.data))
            case "tool.called":
                self._begin_tool(event, decode(event.data))
            case "model.answered" | "tool.finished" | "deadline.struck":
                self._outcome(event, decode(event.data))
            case kind if kind == TOUCH_CANCELLED and self._key(event.path[:-1]) in self.open:
                entry = self.open[self._key(event.path[:-1])]
                if entry.kind == "tool":
                    self._end(event.path[:-1], self._moment(event), *self._cut(event))
            case kind if kind in OUTCOMES.values():
                self._remember(event, decode(event.data))
            case _:
                pass

    def close(self, event: Event) -> None:
        """The run has ended: nothing is under way."""
        for path in list(self.open):
            self._end(path, self._moment(event), "cancelled", None)

    # Turns

    def _begin_turn(self, event: Event, data: Any) -> None:
        key = self._key(event.path)
        entry = self.ended.pop(key, None)
        self.nobodys.pop(key, None)
        if entry is None:
            label, first = self._labels[key], visible(event.path)
            entry = Entry(label, first, "agent", data["agent"], self._moment(event))
        else:
            entry.attempts += 1
            entry.status, entry.error, entry.said, entry.ended = "running", None, None, None
        self.open[key] = entry

    def _requested(self, event: Event, data: Any) -> None:
        entry = self.open.get(self._key(event.path[:-1]))
        if entry is not None and entry.prompt is None:
            entry.prompt = next((one["text"] for one in data["messages"] if one["role"] == "user"), None)

    def _end_turn(self, event: Event) -> None:
        key, moment = self._key(event.path), self._moment(event)
        if key not in self.open:
            return
        if event.kind == turn.COMPLETED:
            self.open[key].output = self.open[key].said
            self._end(key, moment, "completed", None)
        elif event.kind == turn.CANCELLED:
            self._end(key, moment, *self._cut(event))
        else:
            failure: Any = decode(event.data)
            self._end(key, moment, "failed", _trouble(failure))
            if failure["kind"] == turn.NOT_FOUND:
                self.nobodys[key] = self.ended.pop(key)

    def _answered(self, event: Event, data: Any) -> None:
        """A model has answered, or has stopped before it was done, which is paid for as well."""
        value = data["value"] if "failure" not in data else data["failure"].get("detail")
        if not isinstance(value, Mapping) or "usage" not in value:
            return
        said = cast("Mapping[str, Any]", value)
        self.usage = self.usage.with_request(said)
        entry = self.open.get(self._key(event.path[:-1]))
        if entry is None:
            return
        entry.input_tokens += said["usage"]["input"]
        entry.output_tokens += said["usage"]["output"]
        entry.model = said.get("model", entry.model)
        if "message" in said:
            entry.agent, entry.agent_id = said["agent"].get("name"), said["agent"].get("id")
            entry.said = said["message"]["text"]

    # Tools

    def _refused_tool(self, event: Event, data: Any) -> None:
        """A call that was not made, because the agent may not call that tool."""
        self._tool(event.path, event, data)
        self._end(event.path, self._moment(event), "failed", _trouble(data["failure"]))

    def _begin_tool(self, event: Event, data: Any) -> None:
        self._tool(event.path[:-1], event, data)

    def _tool(self, scope: Path, event: Event, data: Any) -> None:
        key = self._key(scope)
        entry = self.ended.pop(key, None)
        if entry is None:
            entry = Entry(self._labels[key], visible(scope), "tool", data["agent"], self._moment(event))
            entry.tool, entry.arguments = data["tool"], data["arguments"]
        else:
            entry.attempts += 1
            entry.status, entry.error, entry.ended = "running", None, None
        self.open[key] = entry

    # Outcomes

    def _outcome(self, event: Event, data: Any) -> None:
        self._remember(event, data)
        if event.kind == "deadline.struck":
            self._struck[event.seq] = event.path, data["failure"]
        elif event.kind == "model.answered":
            self._answered(event, data)
        elif event.kind == "tool.finished" and self._key(event.path[:-1]) in self.open:
            moment = Moment(event.time, data["taken"]["time"] if "taken" in data else None)
            if "failure" in data:
                self._end(event.path[:-1], moment, "failed", _trouble(data["failure"]))
            else:
                self.open[self._key(event.path[:-1])].output = data["value"]
                self._end(event.path[:-1], moment, "completed", None)

    def _remember(self, event: Event, data: Any) -> None:
        if "taken" in data:
            self._taken[event.seq] = data["taken"]["time"]

    def _end(self, path: Path, moment: Moment, status: StepStatus, error: Trouble | None) -> None:
        key = self._key(path)
        entry = self.ended[key] = self.open.pop(key)
        entry.status, entry.error, entry.ended = status, error, moment

    def _cut(self, event: Event) -> tuple[StepStatus, Trouble | None]:
        """What became of something that was stopped: time ran out, or nobody wanted it any more."""
        struck = self._struck.get(event.cause)
        if struck is None or event.path[: len(struck[0])] != struck[0]:
            return "cancelled", None
        return "failed", _trouble(struck[1])

    def _moment(self, event: Event) -> Moment:
        if event.cause == 0:
            return Moment(event.time, self.origin)
        return Moment(event.time, self._taken.get(event.cause))

    def _key(self, path: Path) -> Path:
        return without_attempts(path)


def _trouble(failure: Mapping[str, Any]) -> Trouble:
    return Trouble(cast(str, failure["message"]), cast(str, failure["kind"]))
