"""The examples of the specification run as they stand, but for the misspelt id in one of them."""

from __future__ import annotations

from typing import Any

from quintet.api import load
from quintet.record import Run
from quintet.testing import rehearse
from tests.formats.awds.rehearsing import native, prompts, statuses
from tests.formats.awds.seed import EXAMPLES


def example(name: str, agents: Any, **inputs: Any) -> Run:
    text = EXAMPLES[name].replace("get_customer_date", "get_customer_data")
    script = {"agents": {agent: [{"reply": one} for one in said] for agent, said in agents.items()}}
    return rehearse(load(text, format="awds"), script=script, inputs=inputs)


def test_a_ticket_is_enriched_with_the_customer_that_was_fetched() -> None:
    """ "Enrich the ticket with customer data" """
    done = example(
        "sequential",
        {"fetch_customer": [{"found": True, "customer": {"name": "Ann"}}], "enrich_ticket": ["T"]},
        ticket_text="fire",
    )
    assert prompts(done) == {
        "fetch_customer": '{\n  "ticket_text": "fire"\n}',
        "enrich_ticket": '{\n  "ticket": {\n    "name": "Ann"\n  }\n}',
    }


def test_customer_and_company_both_reach_the_third_step() -> None:
    """ "Enrich the ticket with customer and company data" """
    done = example(
        "parallel",
        {
            "get_customer_data": [{"customer": 1}],
            "get_company_data": [{"found": False}],
            "enrich_ticket": ["T"],
        },
    )
    assert done.status == "failed", "customer must be an object"
    done = example(
        "parallel",
        {
            "get_customer_data": [{"customer": {}}],
            "get_company_data": [{"found": False}],
            "enrich_ticket": ["T"],
        },
        ticket_text="x",
    )
    assert prompts(done)["enrich_ticket"] == '{\n  "customer": {},\n  "company": null\n}'


def test_only_an_urgent_ticket_is_escalated() -> None:
    """ "Copy the account manager if the ticket urgency is high" """
    for urgency, status in (("high", "success"), ("low", "skipped")):
        agents = {"evaluate": [{"urgency": urgency}], "escalate_ticket": [{"done": True}]}
        done = example("conditional", agents, ticket="T-1")
        assert (done.status, statuses(done)["escalate_ticket"]) == ("completed", status)


def test_each_record_is_processed() -> None:
    """ "Process single record" """
    records = {"records": [{"id": "r-1", "name": "a"}, {"id": "r-2", "name": "b"}]}
    done = example("iteration", {"get_records": [records], "process_record": ["one", "two"]})
    assert prompts(done)["process_record[1]"] == '{\n  "record": "r-2"\n}'
    assert native(done)["process_record"]["outputs"]["result"] == ["one", "two"]
    assert prompts(done)["get_records"] == "Please proceed."
