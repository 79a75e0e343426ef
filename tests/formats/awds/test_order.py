"""A step starts the moment its dependencies are done: told by the order of what happens, not by clocks."""

from __future__ import annotations

from typing import Any

from quintet.testing import MemoryHost, scripted
from tests.formats.awds.rehearsing import run, step


def happenings(host: MemoryHost) -> list[str]:
    """When turns began and ended: `+one` and `-one`."""
    signs = {"turn.started": "+", "turn.completed": "-"}
    return [
        signs[event.kind] + event.path[-1].name for event in host.logs["run"].events if event.kind in signs
    ]


def host(**delays: float) -> MemoryHost:
    agents: dict[str, Any] = {name: [{"reply": "x", "delay": delay}] for name, delay in delays.items()}
    return MemoryHost(scripted({"agents": agents}))


def test_in_an_n_each_step_starts_at_the_earliest_moment() -> None:
    """Two steps share one of their dependencies; neither waits for what only the other needs."""
    n = [step("a"), step("b"), step("c", "a"), step("d", "a", "b")]
    slow_b = host(a=1, b=5, c=2, d=1)
    run(*n, host=slow_b)
    assert happenings(slow_b) == ["+a", "+b", "-a", "+c", "-c", "-b", "+d", "-d"]
    slow_a = host(a=5, b=1, c=1, d=2)
    run(*n, host=slow_a)
    assert happenings(slow_a) == ["+a", "+b", "-b", "-a", "+c", "+d", "-c", "-d"]


def test_the_order_of_the_file_does_not_matter() -> None:
    one = host(a=1, b=1, c=1)
    run(step("c", "b"), step("b", "a"), step("a"), host=one)
    assert happenings(one) == ["+a", "-a", "+b", "-b", "+c", "-c"]


def test_no_more_agents_are_at_work_than_the_file_allows() -> None:
    """Reading: `x-parallel`; who waits for a place waits in the order of the file."""
    one = host(a=1, b=2.5, c=1, d=1)
    run(step("a"), step("b"), step("c"), step("d", "a"), host=one, **{"x-parallel": 2})
    assert happenings(one) == ["+a", "+b", "-a", "+c", "-c", "+d", "-b", "-d"]


def test_items_take_places_and_their_step_takes_none() -> None:
    one = MemoryHost(scripted({"agents": {"*": [{"reply": "x", "delay": 1}]}}))
    done = run(
        step("each", for_each="inputs.list"),
        step("after", "each"),
        host=one,
        inputs={"list": [1, 2, 3]},
        **{"x-parallel": 1},
    )
    assert done.status == "completed"
    assert happenings(one)[:4] == ["+each[0]", "-each[0]", "+each[1]", "-each[1]"]


def test_three_hundred_steps_in_ten_layers_run() -> None:
    layers = [[f"{layer}-{number}" for number in range(30)] for layer in range(10)]
    steps = [
        step(name, *(layers[layer - 1][:3] if layer else ()))
        for layer, names in enumerate(layers)
        for name in names
    ]
    assert len(run(*steps).steps) == 300
