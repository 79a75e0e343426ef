"""Reports: what is said of a run when the work on it ends."""

from __future__ import annotations

from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.questions import Question
from quintet.engine.reports import Report
from quintet.engine.values import Json
from tests.engine.desk import Desk

QUESTION = Question("well?")


async def ends_as_told(ctx: Context, arguments: Json) -> Json:
    if arguments == "ask":
        return await ctx.ask("ask", QUESTION)
    if arguments == "fail":
        raise Failed(Failure("refused", "no"))
    return arguments


def test_a_run_that_ended_is_reported_as_its_last_event_says() -> None:
    reports = {
        "fine": Report("run", "completed", "fine"),
        "fail": Report("run", "failed", failure=Failure("refused", "no")),
    }
    for arguments, report in reports.items():
        desk = Desk(ends_as_told, arguments=arguments)
        desk.end()
        assert Report.ended("run", desk.log[-1]) == report
    desk = Desk(ends_as_told, arguments="ask")
    desk.execution.cancel()
    desk.end()
    assert Report.ended("run", desk.log[-1]) == Report("run", "cancelled")
