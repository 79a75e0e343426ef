"""Trace: the spans of one run, told from its log, event by event.

A span ends with the event that ends it, and is told then, by whichever process the run is in: what was cut is
no span until it has been done.  What a run has taken over from an earlier one it has not done itself, and has
no spans.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from quintet.agents import turn
from quintet.agents.models.choice import Candidate
from quintet.agents.turn import Agent
from quintet.engine.events import TOUCH_CANCELLED, Event
from quintet.engine.paths import Labels, Path, without_attempts
from quintet.engine.values import decode, encode
from quintet.tracing import words
from quintet.tracing.span import CANCELLED, Operation, Span

Move: TypeAlias = Literal["begun", "ended", "dropped"]
Told: TypeAlias = tuple[Move, Span]
"""What became of a span."""
Planned: TypeAlias = Callable[[Agent], Candidate | None]
"""Which model is to be asked for an agent; None where a script answers."""

SCRIPT: Final = "script"
"""What answers for a model in a test, as a provider and as a model."""
_ENDS: Final = {"run.completed": "completed", "run.failed": "failed", "run.cancelled": CANCELLED}
_TURN_ENDS: Final = (turn.COMPLETED, turn.FAILED, turn.CANCELLED)
_MARKS: Final = ("run.paused", "run.resumed")


class Trace:
    """What a log tells so far."""

    def __init__(self, run_id: str, planned: Planned) -> None:
        self.run_id = run_id
        self._planned = planned
        self._run: Span | None = None
        self._open: dict[Path, Span] = {}
        """What is under way in it."""
        self._labels = Labels()
        self._attempts: dict[Path, int] = {}
        self._struck: dict[int, tuple[Path, Mapping[str, Any]]] = {}
        """Time limits that have struck, by the number of the event."""
        self._wanted: dict[Path, list[Mapping[str, Any]]] = {}
        """Calls of tools that a turn's model has asked for and that are not begun."""

    @property
    def open(self) -> Iterable[Span]:
        """What is under way, in the order in which it began; the run is the first."""
        return [span for span in (self._run, *self._open.values()) if span is not None]

    def hear(self, event: Event) -> Iterator[Told]:
        """The log goes on."""
        match event.kind:
            case "run.created":
                yield "begun", self._begin_run(event)
            case "model.requested":
                yield "begun", self._begin_chat(event, decode(event.data))
            case "tool.called":
                yield "begun", self._begin_tool(event, decode(event.data))
            case turn.STARTED:
                yield "begun", self._begin_turn(event, decode(event.data))
            case "deadline.struck":
                data: Any = decode(event.data)
                self._struck[event.seq] = event.path, data["failure"]
            case kind if kind in _MARKS:
                self._mark(event)
            case kind if kind in _ENDS:
                yield from self._end_run(event, decode(event.data))
            case _ if event.path in self._open:
                yield from self._hear_end(event, self._open[event.path])
            case _:
                pass

    def _hear_end(self, event: Event, span: Span) -> Iterator[Told]:
        if event.kind in ("model.answered", "tool.finished"):
            yield from self._outcome(event, span, decode(event.data))
        elif event.kind == TOUCH_CANCELLED:
            yield from self._cut(event, span)
        elif event.kind in _TURN_ENDS:
            yield from self._end_turn(event, span)

    # What begins

    def _begin(
        self, operation: Operation, subject: str, event: Event, path: Path, label: Path | None = None
    ) -> Span:
        span = self._open[path] = Span(operation, subject, path, self._around(path), event.time)
        span.attributes |= {"gen_ai.operation.name": operation, "gen_ai.conversation.id": self.run_id}
        if label is not None:
            seen = without_attempts(label)
            self._attempts[seen] = self._attempts.get(seen, 0) + 1
            span.attributes |= {"quintet.path": self._labels[seen], "quintet.attempt": self._attempts[seen]}
        return span

    def _around(self, path: Path) -> Span | None:
        """The closest that is open around a path."""
        for size in reversed(range(len(path))):
            if path[:size] in self._open:
                return self._open[path[:size]]
        return self._run

    def _begin_run(self, event: Event) -> Span:
        data: Any = decode(event.data)
        pinned = data["pinned"]
        name = pinned.get("workflow", data["program"])
        span = self._run = Span("invoke_workflow", name, (), None, event.time)
        span.attributes |= {
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.conversation.id": self.run_id,
            "gen_ai.workflow.name": name,
            "quintet.run.id": self.run_id,
            "quintet.run.origin": data["origin"],
            "quintet.format": pinned.get("format", ""),
        }
        return span

    def _begin_turn(self, event: Event, data: Any) -> Span:
        span = self._begin("invoke_agent", data["agent"], event, event.path, event.path)
        if data["agent"]:
            span.attributes["gen_ai.agent.name"] = data["agent"]
        return span

    def _begin_chat(self, event: Event, data: Any) -> Span:
        agent = Agent.from_json(data["agent"])
        candidate = self._planned(agent)
        subject = SCRIPT if candidate is None else candidate.model.name
        span = self._begin("chat", subject, event, event.path)
        if candidate is None:
            span.attributes |= {"gen_ai.provider.name": SCRIPT, "gen_ai.request.model": SCRIPT}
        else:
            span.attributes |= words.asked_model(candidate.model) | words.asked_how(candidate.parameters)
        if agent.shown:
            span.attributes["gen_ai.agent.name"] = agent.shown
        if "schema" in data:
            span.attributes["gen_ai.output.type"] = "json"
        span.content["gen_ai.input.messages"] = words.messages(data["messages"])
        return span

    def _begin_tool(self, event: Event, data: Any) -> Span:
        span = self._begin("execute_tool", data["tool"], event, event.path, event.path[:-1])
        span.attributes |= {"gen_ai.tool.name": data["tool"], "gen_ai.tool.type": "function"}
        if data["agent"]:
            span.attributes["gen_ai.agent.name"] = data["agent"]
        span.content["gen_ai.tool.call.arguments"] = encode(data["arguments"])
        if span.parent is not None and (call := self._call(span.parent, data)) is not None:
            span.attributes["gen_ai.tool.call.id"] = call
        return span

    def _call(self, parent: Span, data: Any) -> str | None:
        """The id under which the model has asked for it; the same call twice is begun in that order."""
        wanted = self._wanted.get(parent.path, [])
        for call in wanted:
            if (call["tool"], call["arguments"]) == (data["tool"], data["arguments"]):
                wanted.remove(call)
                return call["id"]
        return None

    # What ends

    def _outcome(self, event: Event, span: Span, data: Any) -> Iterator[Told]:
        if span.operation == "chat":
            self._answered(span, data)
        elif "value" in data:
            span.content["gen_ai.tool.call.result"] = encode(data["value"])
        span.is_taken = "taken" in data
        yield from self._end(event, span, data.get("failure"))

    def _answered(self, span: Span, data: Any) -> None:
        failure = data.get("failure")
        reply = data["value"] if failure is None else failure.get("detail")
        if not words.is_reply(reply):
            return
        finish = words.finish_reason(reply) if failure is None else words.stop_reason(failure["kind"])
        if finish is not None:
            span.attributes["gen_ai.response.finish_reasons"] = [finish]
        if (model := words.model_of(reply)) is not None:
            span.subject = model.name
            answered = reply.get("answered", model.name)
            span.attributes |= words.asked_model(model) | {"gen_ai.response.model": answered}
        span.usage = words.usage(reply)
        if failure is None:
            span.content["gen_ai.output.messages"] = words.messages([reply["message"]], finish)
            self._hear_agent(span, reply)

    def _hear_agent(self, span: Span, answer: Mapping[str, Any]) -> None:
        """Who has answered, and which tools it wants."""
        for known in (span, span.parent):
            if known is None or known.operation == "invoke_workflow":
                continue
            for key in ("name", "id"):
                if key in answer["agent"]:
                    known.attributes[f"gen_ai.agent.{key}"] = answer["agent"][key]
        if span.parent is not None:
            self._wanted[span.parent.path] = list(answer["message"].get("calls", ()))

    def _end_turn(self, event: Event, span: Span) -> Iterator[Told]:
        self._wanted.pop(span.path, None)
        if event.kind == turn.CANCELLED:
            yield from self._cut(event, span)
            return
        failure: Any = decode(event.data) if event.kind == turn.FAILED else None
        if failure is not None and failure["kind"] == turn.NOT_FOUND:
            yield "dropped", self._open.pop(span.path)  # nobody was there to take it
            return
        yield from self._end(event, span, failure)

    def _cut(self, event: Event, span: Span) -> Iterator[Told]:
        """It was stopped: time ran out, or nobody wanted it any more."""
        scope, failure = self._struck.get(event.cause, ((), None))
        if failure is not None and event.path[: len(scope)] != scope:
            failure = None
        if failure is None:
            span.attributes["quintet.status"] = CANCELLED
        yield from self._end(event, span, failure)

    def _end_run(self, event: Event, data: Any) -> Iterator[Told]:
        assert self._run is not None
        for span in reversed(list(self._open.values())):
            yield from self._cut(event, span)
        self._run.attributes["quintet.status"] = _ENDS[event.kind]
        yield from self._end(event, self._run, data["failure"] if event.kind == "run.failed" else None)

    def _end(self, event: Event, span: Span, failure: Mapping[str, Any] | None) -> Iterator[Told]:
        span.end = event.time
        if failure is not None:
            span.error, span.message = failure["kind"], failure["message"]
            span.attributes["error.type"] = failure["kind"]
        if span.parent is not None:
            del self._open[span.path]
            span.parent.hold(span)
        yield ("dropped" if span.is_nothing else "ended"), span

    def _mark(self, event: Event) -> None:
        """The run waits, or goes on: what was cut is begun anew now."""
        assert self._run is not None
        self._run.marks.append((event.kind, event.time))
        for span in self._open.values():
            if event.kind == "run.resumed" and span.is_touch:
                span.start = event.time
