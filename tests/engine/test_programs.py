"""Programs and their versions: what a release can replay, and what it says where it cannot."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.engine.context import Context
from quintet.engine.programs import Program, Unsupported, Version
from quintet.engine.values import Json

VERSIONS = st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda pair: (min(pair), max(pair)))


async def _body(ctx: Context, arguments: Json) -> Json:
    return arguments


@given(VERSIONS, st.integers(-1, 12))
def test_a_version_is_replayed_from_the_oldest_to_the_current(span: tuple[int, int], recorded: int) -> None:
    oldest, current = span
    version = Version("turn", current, oldest)
    if oldest <= recorded <= current:
        version.check(recorded)
    else:
        with pytest.raises(Unsupported, match="'turn'"):
            version.check(recorded)


def test_a_version_that_is_too_old_is_refused_naming_the_last_release_that_runs_it() -> None:
    """Point 7: a version no longer supported is refused, naming the last release that runs it."""
    with pytest.raises(Unsupported, match=r"the last one that does is 0\.4\.2"):
        Version("turn", 5, 3, {2: "0.4.2"}).check(2)
    with pytest.raises(Unsupported, match="newer than this release"):
        Version("turn", 5).check(6)


@given(st.dictionaries(st.text(), VERSIONS, max_size=4))
def test_a_program_replays_what_it_records_itself(parts: dict[str, tuple[int, int]]) -> None:
    versions = tuple(Version(part, current, oldest) for part, (oldest, current) in parts.items())
    program = Program("p", _body, versions)
    program.check("p", program.recorded)


def test_a_run_of_another_program_is_refused() -> None:
    with pytest.raises(Unsupported, match=r"'one'.*'other'"):
        Program("other", _body).check("one", {})


def test_a_part_that_this_release_does_not_have_is_refused() -> None:
    with pytest.raises(Unsupported, match="'turn'"):
        Program("p", _body).check("p", {"turn": 1})


def test_a_part_that_came_after_the_recording_is_no_hindrance() -> None:
    Program("p", _body, (Version("turn", 4, 2),)).check("p", {})
