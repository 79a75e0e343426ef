"""Real processes are killed with SIGKILL, at every commit and at random; others go on.

> resumed, every outcome is there once and the result equals an undisturbed run's
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.faults.scene import Scene
from tests.faults.workload import Durability, When

PARTS = 4


def kill_at_append(place: Path, append: int, when: When, durability: Durability) -> bool:
    """One process dies at one append, another ends the run.  False where there are not so many appends."""
    place.mkdir()
    scene = Scene(place, durability)
    was_killed = not scene.end(scene.begin(append, when))
    scene.finish()
    return was_killed


def kill_at_random(place: Path, random: Random, durability: Durability) -> int:
    """Processes die after some milliseconds until one ends the run; gives how many died."""
    place.mkdir()
    scene = Scene(place, durability)
    while not scene.is_over and scene.kills < 50:
        child = scene.begin()
        time.sleep(random.uniform(0.0, 0.08))  # this waits for nothing: the moment is what is tried
        scene.kill(child)
        scene.end(child)
    scene.finish()
    return scene.kills


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_process_killed_at_any_commit_loses_nothing_that_was_kept(
    tmp_path: Path, when: When, part: int
) -> None:
    append = part + 1
    while kill_at_append(tmp_path / str(append), append, when, "full"):
        append += PARTS
    assert append > 20, "the run took hardly any appends"


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_one_life_an_append_ends_the_run_all_the_same(tmp_path: Path, durability: Durability) -> None:
    scene = Scene(tmp_path, durability)
    while not scene.is_over:
        scene.end(scene.begin(2, "after"))
        assert scene.kills < 200
    scene.finish()
    assert scene.kills > 10


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_processes_killed_at_random_lose_nothing_that_was_kept(
    tmp_path: Path, durability: Durability
) -> None:
    kills = 0
    for seed in range(60):
        kills += kill_at_random(tmp_path / str(seed), Random(seed), durability)
        if kills >= 20:
            return
    pytest.fail(f"only {kills} processes were hit")


@pytest.mark.long
def test_processes_killed_at_random_lose_nothing_for_hours(tmp_path: Path, seeds: Iterator[int]) -> None:
    for seed in seeds:
        kill_at_random(tmp_path / str(seed), Random(seed), "normal" if seed % 2 else "full")
