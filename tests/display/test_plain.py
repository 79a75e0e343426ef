"""Where nobody sees a picture, a line is written for all that begins, ends, is skipped, asked or retried."""

from quintet.display.plain import Plain
from quintet.runs.chronicle import Chronicle
from tests.display.logs import log


def lines(seen: int = 10_000) -> list[str]:
    said: list[str] = []
    with Plain(Chronicle("run"), said.append) as plain:
        for event in log()[:seen]:
            plain.kept("run", [event])
            plain.kept("another", [event])
    return said


def test_the_story_is_told_line_by_line() -> None:
    assert lines() == [
        " 0:00  ● draft started (writer)",
        " 0:02  ✓ draft completed in 2.0 s · 400 → 30 tokens",
        " 0:02  ● ann started",
        " 0:02  ● bob started",
        " 0:04  ✓ ann completed in 2.0 s · 400 → 30 tokens",
        " 0:04  ✓ bob completed in 2.0 s · 400 → 30 tokens",
        " 0:04  ● check started (checker)",
        " 0:04  ✗ check failed in 0 ms: slow down",
        " 0:04  ↻ check is tried again in 2.0 s",
        " 0:06  ● check started (checker), 2nd attempt",
        " 0:08  ✓ check completed in 4.0 s · 400 → 30 tokens",
        " 0:08  ● publish started",
        " 0:08  ✓ publish completed in 0.5 s",
        " 0:08  – fix skipped: its condition does not hold",
        " 0:08  ⏸ gate/answer waits for a person: Send it? · quintet answer run decision=yes",
    ]


def test_it_goes_on_in_the_middle_without_telling_the_past() -> None:
    events, said = log(), list[str]()
    chronicle = Chronicle("run")
    chronicle.hear(events[:-1])
    Plain(chronicle, said.append).kept("run", events[-1:])
    assert len(said) <= 1


def test_nobody_who_listens_is_no_reason_to_stop() -> None:
    def gone(line: str) -> None:
        raise BrokenPipeError

    Plain(Chronicle("run"), gone).kept("run", log())


def test_there_is_neither_colour_nor_cursor_in_it() -> None:
    assert all(line.isprintable() for line in lines())
