"""The public API: load a workflow, run it, watch it.

    workflow = quintet.load("review.json")
    run = await workflow.run("def f(): pass", script="script.yaml")
    print(run.status, run.output)

What is not needed is not imported: loading and checking touch no store and no host.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, Unpack

from quintet.formats import registry
from quintet.formats.invalid import InvalidFile
from quintet.formats.source import UNNAMED
from quintet.problems.problem import Problem
from quintet.problems.wording import quoted
from quintet.runs.pinned import Pinned, Text
from quintet.workflow import Graph, WrongInput, program_of, with_max_rounds
from quintet.workflow import Workflow as Definition

if TYPE_CHECKING:
    from quintet.engine.local.equipment import Asker
    from quintet.engine.programs import Program
    from quintet.engine.values import Json
    from quintet.record import Run
    from quintet.runs.live import LiveRun
    from quintet.runs.workshop import Workshop

ScriptLike: TypeAlias = "str | PathLike[str] | Mapping[str, Any]"
"""A script: the path of its file, or what such a file says."""
FileLike: TypeAlias = "str | PathLike[str]"


class Options(TypedDict, total=False):
    """How a workflow is run."""

    inputs: Mapping[str, Json]
    """Named inputs."""
    script: ScriptLike | None
    """Stand-ins that answer in place of models and tools."""
    fake: FileLike | None
    """A cassette that answers in place of models and tools."""
    record: FileLike | None
    """The file that the run is recorded in, as a cassette, when it ends or waits for a person."""
    agents: FileLike | None
    """The folder in which agents are defined."""
    config: FileLike | None
    """The project's settings; otherwise `quintet.toml`, found upward from the workflow's file."""
    model: str | Mapping[str, str] | None
    """The model that answers, as `provider:name`, or a name of the project's; or one for each agent."""
    max_usd: float | None
    """What the run may cost before it asks a person."""
    max_tokens: int | None
    """How many tokens it may take before it asks a person."""
    max_rounds: int | None
    """Hyperagent: how many rounds at most, whatever the workflow says."""
    continues: str | None
    """A run whose sessions this one goes on with."""
    store: str | Workshop | None
    """Where the run is kept: `sqlite:///PATH`, `:memory:`, or a workshop; by default in the user's folder."""
    run_id: str | None
    """The id of the run; one that exists is refused."""
    durability: Literal["full", "normal"]
    """What a finished step survives: a power cut, or a killed process only."""
    tracing: bool | None
    """Whether OpenTelemetry is told of the run: through the providers that the application has set up, else
    where the project or the environment says; otherwise those alone decide."""
    ask: Asker | None
    """Asks the person who is here whatever the run asks."""


def load(
    path_or_text: str | PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word that users know
    strict: bool = False,
    lenient: bool = False,
    inputs: Collection[str] = (),
    agents: Collection[str] | None = None,
) -> Workflow:
    """The workflow in a file, or in a text (which begins with a brace or has several lines).

    Args:
        path_or_text: Where it is, or what it says.
        format: The name of its format, where its content does not tell.
        strict: Whether warnings are errors.
        lenient: Whether unknown keys are only warned of.
        inputs: The names of inputs that will be given, so that nobody is warned of them.
        agents: The agents that will be there; one that is missing is warned of.

    Raises InvalidFile with all that is wrong.
    """
    text = _text(path_or_text)
    surroundings = registry.Surroundings(inputs, agents)
    checked = registry.load(
        text.text, text.path, format=format, surroundings=surroundings, strict=strict, lenient=lenient
    )
    if checked.workflow is None:
        raise InvalidFile(checked.problems)
    return Workflow(checked.workflow, text, checked.problems, lenient=lenient)


class Workflow:
    """A workflow that can be run."""

    def __init__(
        self, definition: Definition, text: Text, problems: Sequence[Problem] = (), *, lenient: bool = False
    ) -> None:
        """Use `load`."""
        self.definition = definition
        self.text = text
        self.problems = problems
        """Warnings."""
        self._lenient = lenient

    def __repr__(self) -> str:
        return f"<Workflow {self.name!r}: {self.format}, {self.definition.steps} steps>"

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def format(self) -> str:
        return self.definition.format

    @property
    def graph(self) -> Graph:
        return self.definition.graph

    @property
    def program(self) -> Program:
        """What running it means, for hosts of your own."""
        return program_of(self.definition)

    def arguments(
        self,
        prompt: str | None = None,
        inputs: Mapping[str, Json] | None = None,
        *,
        max_rounds: int | None = None,
    ) -> Json:
        """What a run begins with.  Raises WrongInput."""
        if not isinstance(prompt, str | None):  # pyright: ignore[reportUnnecessaryIsInstance]: users' calls may not be checked
            raise WrongInput(f"the prompt is a text, not {quoted(repr(prompt))}")
        arguments = self.definition.arguments(prompt, inputs or {})
        return with_max_rounds(self.definition, arguments, max_rounds)

    def pinned(
        self,
        *,
        script: ScriptLike | None = None,
        fake: FileLike | None = None,
        record: FileLike | None = None,
        agents: FileLike | None = None,
        config: FileLike | None = None,
        model: str | Mapping[str, str] | None = None,
        budget: Mapping[str, Json] | None = None,
    ) -> Pinned:
        """All texts that a run is made from, read now.  Raises InvalidFile."""
        if script is not None and fake is not None:
            raise ValueError("a script and a cassette cannot both answer")
        from quintet.runs.cassettes import cassette_text
        from quintet.runs.definitions import remember
        from quintet.runs.models import named, settings_json
        from quintet.runs.scripts import script_text
        from quintet.runs.setup import all_agents, settings_for

        near = None if self.text.path == UNNAMED else self.text.path
        settings, place = settings_for(config, near)
        remember(self.definition, self.text, self._lenient)
        return Pinned(
            self.name,
            self.format,
            self.text,
            lenient=self._lenient,
            script=None if script is None else script_text(script),
            fake=None if fake is None else cassette_text(fake),
            record=None if record is None else str(Path(record).absolute()),
            agents=all_agents(settings, place, agents),
            settings=settings_json(settings, place),
            models=named(model),
            budget=budget or {},
        )

    async def run(self, prompt: str | None = None, **options: Unpack[Options]) -> Run:
        """Run it until it ends or waits for a person, and tell what became of it.

        Raises WrongInput, InvalidFile, and EngineError where it cannot be run or cannot go on.
        """
        async with self.start(prompt, **options) as live:
            return await live

    @asynccontextmanager
    async def start(self, prompt: str | None = None, **options: Unpack[Options]) -> AsyncGenerator[LiveRun]:
        """Begin to run it, for who wants to watch; what still runs at the end of the block is suspended.

        async with workflow.start("tea", script="script.yaml") as live:
            async for event in live:
                print(event.kind, event.path)
            run = await live
        """
        from quintet.runs.workshop import Workshop, ready

        arguments = self.arguments(prompt, options.get("inputs"), max_rounds=options.get("max_rounds"))
        pinned = self.pinned(
            script=options.get("script"),
            fake=options.get("fake"),
            record=options.get("record"),
            agents=options.get("agents"),
            config=options.get("config"),
            model=options.get("model"),
            budget=_budget(options),
        )
        pinned = ready(pinned)
        store, run_id, ask = options.get("store"), options.get("run_id"), options.get("ask")
        begin = partial(
            Workshop.start,
            pinned=pinned,
            arguments=arguments,
            run_id=run_id,
            ask=ask,
            continues=options.get("continues"),
        )
        if isinstance(store, Workshop):
            yield await begin(store)
            return
        durability, tracing = options.get("durability", "full"), options.get("tracing")
        async with Workshop.open(store, durability=durability, tracing=tracing) as workshop:
            yield await begin(workshop)

    def run_sync(self, prompt: str | None = None, **options: Unpack[Options]) -> Run:
        """The same as `run`, for code without an event loop."""
        import asyncio

        if _has_event_loop():
            raise RuntimeError("an event loop runs here already: await run(…) instead of run_sync(…)")
        return asyncio.run(self.run(prompt, **options))


async def run(
    workflow: Workflow | str | PathLike[str], prompt: str | None = None, **options: Unpack[Options]
) -> Run:
    """Run a workflow, or the one in a file."""
    return await _loaded(workflow).run(prompt, **options)


def run_sync(
    workflow: Workflow | str | PathLike[str], prompt: str | None = None, **options: Unpack[Options]
) -> Run:
    """The same as `run`, for code without an event loop."""
    return _loaded(workflow).run_sync(prompt, **options)


def _budget(options: Options) -> dict[str, Json]:
    limits: dict[str, Json] = {name: options.get(name) for name in ("max_usd", "max_tokens")}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _has_event_loop() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _loaded(workflow: Workflow | str | PathLike[str]) -> Workflow:
    return workflow if isinstance(workflow, Workflow) else load(workflow)


def _text(source: str | PathLike[str]) -> Text:
    if isinstance(source, str) and (source.lstrip()[:1] in ("", "{", "[") or "\n" in source):
        return Text(UNNAMED, source)
    from quintet.project import read_text

    return Text(str(source), read_text(Path(source)))
