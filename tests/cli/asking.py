"""A format whose workflows do nothing but ask people: each key is a question, with the types of its fields.

asks: {gate: {decision: boolean}, words: {}}
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib.metadata import EntryPoint
from typing import cast

from quintet.engine.combinators import gather
from quintet.engine.context import Context
from quintet.engine.programs import Program
from quintet.engine.questions import Field, FieldType, Question
from quintet.engine.scopes import Returned
from quintet.engine.values import Json
from quintet.formats.registry import Format, Surroundings
from quintet.formats.report import Report
from quintet.formats.tree import Map, plain
from quintet.workflow import Graph, Workflow

Questions = Mapping[str, Mapping[str, FieldType]]


async def _ask(ctx: Context, fields: Mapping[str, FieldType], key: str) -> Json:
    return await ctx.ask("asked", Question(f"What of {key}?", tuple(Field(*one) for one in fields.items())))


async def _body(ctx: Context, arguments: Json, questions: Questions) -> Json:
    bodies = [(key, partial(_ask, fields=fields, key=key)) for key, fields in questions.items()]
    given = await gather(ctx, bodies)
    return {key: one.value for key, one in zip(questions, given, strict=True) if isinstance(one, Returned)}


def _load(root: Map, report: Report, surroundings: Surroundings) -> Workflow:
    questions = cast("Mapping[str, Questions]", plain(root))["asks"]
    program = partial(Program, "asking", partial(_body, questions=questions))
    return Workflow("asker", "asking", 1, Graph((), ()), root, program=program)


def _schema() -> dict[str, Json]:
    return {}


FORMAT = Format("asking", "a key 'asks'", lambda root: 3 if "asks" in root.entries else 0, _load, _schema)


def entry_points(*, group: str) -> list[EntryPoint]:
    """In place of those of the installed packages."""
    ours = EntryPoint("openfang", "quintet.formats.openfang:FORMAT", group)
    return [ours, EntryPoint("asking", f"{__name__}:FORMAT", group)]
