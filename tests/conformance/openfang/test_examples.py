"""What the guide says of its examples and shows in its picture comes true."""

from __future__ import annotations

from typing import Any

from quintet.api import load
from quintet.record import Run
from quintet.testing import rehearse
from tests.formats.openfang.rehearsing import prompts, run, step
from tests.formats.openfang.seed import EXAMPLES


def example(name: str, **agents: Any) -> Run:
    said = {
        agent.replace("_", "-"): [{"reply": one} if isinstance(one, str) else one for one in entries]
        for agent, entries in agents.items()
    }
    return rehearse(load(EXAMPLES[name]), "bees", script={"agents": said})


def test_code_is_analyzed_and_reviewed_and_a_summary_is_produced() -> None:
    """ "A sequential pipeline where code is analyzed, reviewed, and a summary is produced." """
    done = example(
        "code-review-pipeline", code_reviewer=["ANALYSIS"], security_auditor=["SECURITY"], writer=["SUMMARY"]
    )
    assert done.output == "SUMMARY"
    assert prompts(done)["summary"] == (
        "Write a concise code review summary.\n\nCode Analysis:\nANALYSIS\n\nSecurity Review:\nSECURITY"
    )


def article(text: str, check: Any = "CHECKED") -> Run:
    said = {"researcher": ["R"], "planner": ["O"], "writer": [text], "analyst": [check]}
    return example("research-and-write", **said)


def test_facts_are_checked_only_where_something_is_claimed() -> None:
    """ "The fact-check step only runs if the article contains the word "claim" (case-insensitive)." """
    assert article("They CLAIM it.").output == "CHECKED"
    assert article("They say it.").output == "They say it."


def test_a_fact_check_that_fails_leaves_the_article_as_it_is() -> None:
    """ "If the fact-check agent fails, the workflow continues with the article as-is." """
    assert article("They claim it.", {"error": "no sources"}).output == "They claim it."


def test_a_brainstorm_is_synthesized() -> None:
    """ "The `synthesize` step receives the combined output." """
    done = example("brainstorm", writer=["W"], architect=["T"], analyst=["B"], orchestrator=["TOP 5"])
    assert done.output == "TOP 5"
    assert (prompts(done)["synthesize"] or "").endswith(":\n\nW\n\n---\n\nT\n\n---\n\nB")


def test_a_draft_is_refined_until_it_is_approved_or_four_times() -> None:
    """ "The loop runs the reviewer up to 4 times." "Once the reviewer includes "APPROVED" in its response,
    the loop terminates early." """
    early = example("iterative-refinement", writer=["D"], code_reviewer=["better", "APPROVED: D2"])
    never = example("iterative-refinement", writer=["D"], code_reviewer=["better"])
    assert (early.output, len(early.steps)) == ("APPROVED: D2", 3)
    assert (never.output, len(never.steps)) == ("better", 5)


def test_data_flows_as_the_picture_shows() -> None:
    """ "(skipped if {{input}} does not contain "issue")" """

    def flow(found: str) -> dict[str, str | None]:
        return prompts(
            run(
                step("1", "A", output_var="var1"),
                step("2", "B", mode="fan_out"),
                step("3", "C", mode="fan_out"),
                step("4", mode="collect"),
                step("5", "D", mode="conditional", condition="issue", prompt="{{var1}}: {{input}}"),
                step("6", "E", mode="loop", max_iterations=3, until="DONE"),
                agents={"A": ["a"], "B": [found], "C": ["c"], "D": ["d"], "E": ["e", "done"]},
            )
        )

    joined = "an issue\n\n---\n\nc"
    assert flow("an issue") == {
        "1": "in", "2": "a", "3": "a", "5": f"a: {joined}", "6 (iter 1)": "d", "6 (iter 2)": "e"
    }  # fmt: skip
    assert flow("nothing")["6 (iter 1)"] == "nothing\n\n---\n\nc"
