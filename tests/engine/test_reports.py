"""Reports: what is said of a run when the work on it ends."""

from __future__ import annotations

from quintet.engine.context import Context
from quintet.engine.failures import Failed, Failure
from quintet.engine.questions import Asked, Question
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


def test_a_completed_run_reports_its_output() -> None:
    desk = Desk(ends_as_told, arguments="fine")
    desk.end()
    assert Report.of("run", desk.execution) == Report("run", "completed", "fine")


def test_a_failed_run_reports_its_failure() -> None:
    desk = Desk(ends_as_told, arguments="fail")
    desk.end()
    assert Report.of("run", desk.execution) == Report("run", "failed", failure=Failure("refused", "no"))


def test_a_cancelled_run_reports_just_that() -> None:
    desk = Desk(ends_as_told, arguments="ask")
    desk.execution.cancel()
    desk.end()
    assert Report.of("run", desk.execution) == Report("run", "cancelled")


def test_a_paused_run_reports_what_it_asks() -> None:
    desk = Desk(ends_as_told, arguments="ask")
    desk.execution.pause()
    desk.keep()
    assert Report.of("run", desk.execution) == Report("run", "paused", asked=[Asked("ask", QUESTION)])


def test_whatever_is_still_running_was_interrupted() -> None:
    assert Report.of("run", Desk(ends_as_told, arguments="ask").execution) == Report("run", "interrupted")
