"""Runs made up for these tests, and any run at all."""

import unicodedata
from dataclasses import replace
from itertools import pairwise

from hypothesis import strategies as st

from quintet.display.rows import Row, text
from quintet.engine.states import Shown
from quintet.record import Fact, Open, Run, Step, StepStatus, Trouble, Usage
from quintet.workflow import Edge, Graph, Node, NodeKind

BEGAN = 1_700_000_000.0
NOW = BEGAN + 60
ID = "3f2a9c1e77b04d0f8e3a6c5d2b1a0f9e"


def step(path: str, began: float = 0.0, ended: float | None = None, status: StepStatus = "running") -> Step:
    """An agent's turn; one that has ended is completed unless said otherwise."""
    if ended is not None and status == "running":
        status = "completed"
    end = None if ended is None else BEGAN + ended
    return Step(path, path, "agent", f"agent of {path}", status=status, began=BEGAN + began, ended=end)


def failed(path: str, message: str, began: float = 0.0, ended: float = 1.0) -> Step:
    return replace(step(path, began, ended, "failed"), error=Trouble(message, "provider"))


def tool(path: str, began: float = 0.0, ended: float | None = None) -> Step:
    return replace(step(path, began, ended), kind="tool", tool=path.rpartition("/")[2])


def fact(kind: str, where: str = "", time: float = 0.0, **data: object) -> Fact:
    return Fact(kind, where, data, BEGAN + time)  # pyright: ignore[reportArgumentType]


def run(
    *steps: Step, status: Shown = "running", ended: float | None = None, facts: tuple[Fact, ...] = ()
) -> Run:
    return Run(
        ID,
        "pipeline",
        "openfang",
        status,
        steps=[one for one in steps if one.ended is not None],
        under_way=[one for one in steps if one.ended is None],
        facts=facts,
        usage=Usage(1200, 340, 0.0041),
        began=BEGAN,
        ended=None if ended is None else BEGAN + ended,
    )


def chain(*names: str) -> Graph:
    """Steps one after the other; those whose name ends in `?` are conditions, passed over if they fail."""
    nodes = [Node(name, name.rstrip("?"), "condition" if name.endswith("?") else "agent") for name in names]
    edges = [
        Edge(one.id, other.id, label="yes" if one.kind == "condition" else "")
        for one, other in pairwise(nodes)
    ]
    return Graph(tuple(nodes), tuple(edges))


def texts(rows: list[Row]) -> list[str]:
    return [text(row) for row in rows]


def harmless(row: Row) -> bool:
    """Whether nothing in it moves the cursor or turns the direction of writing."""
    return not any(unicodedata.category(char) in {"Cc", "Cf"} and char != "\u200d" for char in text(row))


def line_of(name: str, rows: list[Row]) -> str:
    """The only line that has this name."""
    found = [line for line in texts(rows) if name in line.split()]
    assert len(found) == 1, f"{name} is in {len(found)} lines"
    return found[0]


# Any run at all

_said = st.text(st.characters(codec="utf-8"), max_size=80) | st.sampled_from(
    [
        "日本語" * 9,
        "\x1b[2J\x1b]0;title\x07",
        "a\r\nb\tc",
        "e\u0301" * 20,
        "👩‍👩‍👧" * 8,
        "\u202eright to left",
        "long" * 40,
    ]
)
_names = st.lists(_said.filter(bool), min_size=1, max_size=3)
_forms = st.sampled_from(["{}", "{} (iter 1)", "{} (iter 2)", "{}[0]", "{}[17]", "round 1", "round 2"])


@st.composite
def any_step(draw: st.DrawFn) -> Step:
    from quintet.engine.paths import Segment, display, write

    names = [draw(_forms).replace("{}", name) for name in draw(_names)]
    path = tuple(Segment(name, draw(st.integers(1, 2))) for name in names)
    began = draw(st.floats(0, 60))
    ended = draw(st.none() | st.floats(began, 5000))
    statuses = st.sampled_from(["completed", "failed", "cancelled"])
    status: StepStatus = "running" if ended is None else draw(statuses)  # pyright: ignore[reportAssignmentType]
    return replace(
        step(display(path), began, ended, status),
        where=write(path),
        kind=draw(st.sampled_from(["agent", "tool"])),
        agent=draw(st.none() | _said),
        attempts=draw(st.integers(1, 3)),
        error=Trouble(draw(_said), "provider") if status == "failed" else None,
        input_tokens=draw(st.integers(0, 10**9)),
        output_tokens=draw(st.integers(0, 10**9)),
    )


@st.composite
def any_run(draw: st.DrawFn) -> Run:
    steps = draw(st.lists(any_step(), max_size=12))
    statuses: st.SearchStrategy[Shown] = st.sampled_from(
        ["created", "running", "completed", "failed", "paused", "cancelled", "interrupted"]
    )
    status = draw(statuses)
    known = [one.where for one in steps] or ["x"]
    facts = st.builds(
        fact,
        st.sampled_from(["step.skipped", "step.retrying", "step.items", "state.changed"]),
        st.sampled_from(known),
        st.floats(0, 60),
        name=_said,
        why=_said,
        wait=st.floats(0, 100),
        attempt=st.integers(1, 3),
        of=st.none() | st.integers(1, 5),
        count=st.integers(0, 300),
    )
    fields = [{"name": "decision", "type": "choice", "choices": ["yes", "no"]}]
    questions = st.builds(
        Open, st.sampled_from([*known, "budget"]), _said, _said, st.sampled_from([(), fields])
    )
    errors = st.none() | st.builds(
        Trouble, _said, st.just("provider"), st.sampled_from([None, steps[0].path if steps else "x"])
    )
    return replace(
        run(*steps, status=status, ended=70.0 if status in {"completed", "failed", "cancelled"} else None),
        workflow=draw(_said),
        facts=draw(st.lists(facts, max_size=4)),
        questions=draw(st.lists(questions, max_size=2)),
        error=draw(errors),
        output=draw(st.none() | _said | st.just({"a": [1, 2]})),
        usage=Usage(draw(st.integers(0, 10**7)), 5, draw(st.floats(0, 1000))),
    )


_KINDS: tuple[NodeKind, ...] = ("agent", "collect", "condition", "approval", "tool", "workflow")


@st.composite
def any_graph(draw: st.DrawFn, of: Run) -> Graph:
    names = [one.path for one in (*of.steps, *of.under_way)] + draw(st.lists(_said, max_size=3))
    kinds: st.SearchStrategy[NodeKind] = st.sampled_from(_KINDS)
    ids = range(len(names))
    nodes = tuple(
        Node(str(n), name, draw(kinds), draw(st.none() | _said)) for n, name in zip(ids, names, strict=True)
    )
    kind = st.sampled_from(["next", "after", "back"])
    ends = st.sampled_from([node.id for node in nodes]) if nodes else st.nothing()
    edges = st.builds(Edge, ends, ends, kind, _said, st.none() | st.integers(1, 9))
    return Graph(nodes, tuple(draw(st.lists(edges, max_size=8))) if nodes else ())
