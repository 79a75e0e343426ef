"""How problems speak of what a file says: shortened, made visible, with what was probably meant."""

import time

import pytest

from quintet.problems.wording import counted, did_you_mean, nearest, one_of, quoted, visible


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("agentname", ["agent_id", "agent_name"], "agent_name"),
        ("agentName", ["agent_id", "agent_name"], "agent_name"),
        ("fan-out", ["fan_out", "loop"], "fan_out"),
        ("TIMEOUT_SECS", ["timeout_secs"], "timeout_secs"),
        ("colour", ["agent_name"], None),
        ("x" * 1_000, ["x"], None),
        ("", ["a"], None),
    ],
)
def test_the_nearest_name_is_suggested(name: str, known: list[str], meant: str | None) -> None:
    assert nearest(name, known) == meant
    assert did_you_mean(name, known) == ("" if meant is None else f"did you mean '{meant}'?")


def test_suggestions_take_bounded_time() -> None:
    begun = time.process_time()
    nearest("a" * 50, (f"{'a' * 50}{number}" for number in range(10**9)))
    assert time.process_time() - begun < 1


def test_names_are_cut_and_made_visible() -> None:
    assert quoted("a" * 1_000) == "'" + "a" * 59 + "…'"
    assert quoted("a\x1b\nb\u202e") == "'a��b�'"
    assert visible("👩\u200d💻 é") == "👩\u200d💻 é"


def test_lists_and_numbers_read_as_people_say_them() -> None:
    assert one_of(["a"]) == "a"
    assert one_of(["a", "b", "c"]) == "a, b or c"
    assert counted(1, "error") == "1 error"
    assert counted(12_000, "child", "children") == "12,000 children"
