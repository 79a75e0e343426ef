"""Speakers: performers that have real models answer for the agents of a run.

They stand where stand-ins stand in a test: a request comes in as the turn makes it, and what goes out is what
the log will hold.  In between, the agent is looked up, the conversation is put together from the log, a model
is chosen and asked, its answer is checked and priced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, Protocol, TypeAlias, cast

from quintet.agents.answers import worth
from quintet.agents.conversations import Conversations, Read
from quintet.agents.manifest import SYSTEM_PROMPT, Manifest
from quintet.agents.messages import Message, calls, system, text
from quintet.agents.models.choice import Candidate, Choices
from quintet.agents.models.port import Ask, Said, Tokens, ToolOffer, Trouble
from quintet.agents.models.prices import cost
from quintet.agents.models.remote import Unusable
from quintet.agents.roster import Roster
from quintet.agents.turn import NOT_FOUND, Agent
from quintet.engine.events import Event
from quintet.engine.failures import Failed, Failure
from quintet.engine.performing import Call
from quintet.engine.values import Json, fingerprint

STOPPED: Final = {
    "length": ("truncated", "the answer was cut off: it may be no longer"),
    "content_filter": ("content_filter", "the provider's filter stopped the answer"),
    "refused": ("refused", "the model refused to answer"),
}
"""What it means that a model stopped before it was done: a kind of failure, and a sentence."""


_Vain: TypeAlias = "tuple[Candidate, Trouble | Unusable]"
"""A model that was asked in vain, or could not be asked."""


class Asked(Protocol):
    """Who asks a model: in its turn and with patience."""

    async def __call__(self, candidate: Candidate, ask: Ask, call: Call) -> Said:
        """Raises Trouble, Unusable."""
        ...


class Speakers:
    """The agents of one run, as real models have them."""

    def __init__(self, roster: Roster, choices: Choices, ask: Asked, read: Read) -> None:
        self._roster = roster
        self._choices = choices
        self._ask = ask
        self._conversations = Conversations(read)

    def hear(self, events: Sequence[Event]) -> None:
        """What was added to the log of the run."""
        self._conversations.hear(events)

    async def model(self, call: Call) -> Json:
        """Answer for an agent."""
        request = cast("Mapping[str, Any]", call.request)
        self._conversations.ask(call.path, request)
        agent = Agent.from_json(request["agent"])
        manifest = self._roster.find(agent)
        if not self._roster.has(agent):
            raise Failed(Failure(NOT_FOUND, f"there is no agent {agent.shown!r}", definite=True))
        history = agent.history or (manifest.history if manifest is not None else None)
        words = recent(await self._conversations.words(call.run_id, request["head"]), history)
        asking = _Asking(
            self._roster.known(agent),
            instructed(words, agent, manifest),
            [ToolOffer(**offer) for offer in request.get("tools", ())],
            request.get("schema"),
            call,
        )
        return await self._answer(asking, self._choices.plan(agent, manifest))

    async def _answer(self, asking: _Asking, plan: Sequence[Candidate]) -> Json:
        """Of the first who gives one.  Raises Unusable where none can even be asked."""
        vain: list[_Vain] = []
        for candidate in plan:
            try:
                said = await self._ask(candidate, asking.ask(candidate, is_first=not vain), asking.call)
            except (Trouble, Unusable) as error:
                vain.append((candidate, error))
            else:
                return asking.reply(candidate, said, [_in_vain(*one) for one in vain])
        troubles = [error for _, error in vain if isinstance(error, Trouble)]
        if not troubles:
            raise vain[0][1]
        raise Failed(_failure(troubles[-1], vain))


class _Asking:
    """One request, whichever model it goes to."""

    def __init__(
        self,
        who: Agent,
        messages: Sequence[Message],
        tools: Sequence[ToolOffer],
        schema: Mapping[str, Json] | None,
        call: Call,
    ) -> None:
        self.call = call
        self._who = who
        self._messages = messages
        self._tools = tools
        self._schema = schema

    def ask(self, candidate: Candidate, *, is_first: bool) -> Ask:
        """As a model is asked it; another model is another request."""
        key = self.call.idempotency_key
        key = key if is_first else fingerprint(key, str(candidate.model))
        return Ask(self._messages, self._tools, self._schema, candidate.parameters, key)

    def reply(self, candidate: Candidate, said: Said, vain: Sequence[Json] = ()) -> Json:
        """As the turn is told what the model said.  Raises Failed if that is no answer."""
        spent = {"agent": self._who.to_json(), **_spent(candidate, said)}
        if said.finish in STOPPED:
            kind, message = STOPPED[said.finish]
            _fail(kind, message, said, spent)
        wanted = calls(said.message)
        if not wanted and not text(said.message).strip():
            _fail("empty", "the model answered with nothing", said, spent)
        reply: dict[str, Json] = {"message": said.message, **spent}
        if vain:
            reply["instead_of"] = vain
        if self._schema is not None and not wanted:
            reply |= worth(text(said.message), self._schema)
        return reply


def recent(words: Sequence[Message], most: int | None) -> Sequence[Message]:
    """The last messages of a conversation; a result never without the call that it belongs to.

    Instructions count for nothing, and the last of them hold.
    """
    told = [message for message in words if message["role"] == "system"][-1:]
    rest = [message for message in words if message["role"] != "system"]
    if most is not None and len(rest) > most:
        rest = rest[-most:] if most else rest[-1:]
        while len(rest) > 1 and rest[0]["role"] != "user":
            rest = rest[1:]
    return [*told, *rest]


def instructed(words: Sequence[Message], agent: Agent, manifest: Manifest | None) -> Sequence[Message]:
    """A conversation that begins with what the agent is told before all else."""
    if words and words[0]["role"] == "system":
        return words
    if manifest is not None:
        return [system(manifest.model.system_prompt), *words]
    return [system(f"You are {agent.shown}. {SYSTEM_PROMPT}"), *words]


def _spent(candidate: Candidate, said: Said) -> dict[str, Json]:
    tokens = said.tokens
    model = str(candidate.model)
    spent: dict[str, Json] = {"usage": _usage(tokens), "model": model, "because": candidate.because}
    if tokens.estimated:
        spent["estimated"] = True
    if said.model and said.model != candidate.model.name:
        spent["answered"] = said.model
    price = cost(candidate.model, tokens)
    return spent if price is None else {**spent, "cost_usd": price}


def _usage(tokens: Tokens) -> dict[str, Json]:
    usage: dict[str, Json] = {"input": tokens.input, "output": tokens.output}
    if tokens.cache_read:
        usage["cache_read"] = tokens.cache_read
    if tokens.cache_write:
        usage["cache_write"] = tokens.cache_write
    return usage


def _fail(kind: str, message: str, said: Said, spent: Mapping[str, Json]) -> NoReturn:
    """It has answered, and it counts; but it is no answer."""
    detail: dict[str, Json] = {**spent, "text": text(said.message)}
    raise Failed(Failure(kind, f"{message} ({spent['model']})", detail=detail))


def _failure(trouble: Trouble, vain: Sequence[_Vain]) -> Failure:
    """The last trouble; where several were asked, with what came of the others."""
    *others, last = (_named(*one) for one in vain)
    words = f"{last}; before that {'; '.join(others)}" if others else last
    definite = all(isinstance(error, Unusable) or error.definite for _, error in vain)
    return Failure(trouble.kind, words, definite=definite)


def _named(candidate: Candidate, error: Exception) -> str:
    """What a model answered in vain, and which one."""
    model, words = str(candidate.model), str(error)
    return words if model in words else f"{model}: {words}"


def _in_vain(candidate: Candidate, error: Trouble | Unusable) -> Json:
    kind = error.kind if isinstance(error, Trouble) else error.code
    return {"model": str(candidate.model), "kind": kind, "message": str(error)}
