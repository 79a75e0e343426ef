"""What the text says of documents and runs, where no other test quotes it."""

from __future__ import annotations

import json
from typing import Any

from quintet.formats.registry import load
from tests.formats.hyperagent.building import flow, go, leave, loaded, native, problems, prompts, run, step

STEPS: list[Any] = [
    step("worker", "worker", "{{state.pendingInstructions}}"),
    step("verifier", "verifier", "{{steps.worker.raw}}", exits=[leave("approved")]),
]
REFERENCE = """{
  "id": "verifier-worker.v1",
  "sessions": { "roles": [{ "role": "worker" }, { "role": "verifier" }] },
  PARSERS
  "roles": {
    "worker": { "systemPrompt": "...", "parser": "worker" },
    "verifier": { "systemPrompt": "...", "parser": "verifier" }
  },
  "user": {
    "instructions": "",
    "context": ""
  },
  "state": {
    "initial": {
      "pendingInstructions": "{{user.instructions}}",
      "latestCritique": ""
    }
  },
  "flow": {
    "bootstrap": { "key": "bootstrap", "role": "verifier", "prompt": ["..."] },
    "round": {
      "start": "worker",
      "steps": [
        STEPS /* worker + verifier definitions */
      ],
      "maxRounds": 10,
      "defaultOutcome": {
        "outcome": "max-rounds",
        "reason": "Verifier never approved within {{maxRounds}} rounds"
      }
    }
  }
}"""


def reference() -> str:
    """The example of the text, with the definitions that it leaves out."""
    parsers = json.dumps({name: {"type": "unknown"} for name in ("worker", "verifier")})
    steps = ", ".join(map(json.dumps, STEPS))
    return REFERENCE.replace("PARSERS", f'"parsers": {parsers},').replace("STEPS", steps)


def test_the_reference_example_loads_and_runs() -> None:
    """ "By adhering to this structure, you can describe new agent collaborations purely through JSON" """
    assert problems(reference()) == ()
    found = run(
        json.loads(reference().replace("/* worker + verifier definitions */", "")),
        "do it",
        worker=["1"],
        verifier=["2"],
    )
    assert prompts(found) == {"bootstrap": "...", "round 1/worker": "do it", "round 1/verifier": "1"}


def test_what_the_reference_example_leaves_out_is_told() -> None:
    """ "`parser` references one of the parser definitions declared under `parsers`." """
    bare = REFERENCE.replace("PARSERS", "").replace("STEPS", "")
    assert {one.code.name for one in problems(bare)} >= {"unknown-parser", "empty-value"}


def test_every_field_of_the_text_is_known() -> None:
    """ "Every workflow document must satisfy `workflowDefinitionSchema`" """
    full: dict[str, Any] = {
        "$schema": "./s.json",
        "description": "d",
        "model": "a/b",
        "user": {},
    }
    assert problems(flow(step(), state={}, start="s", **full)) == ()


def test_comparators_are_combined() -> None:
    """ "Logical combinators: `{ any: [ ...conditions ] }` or `{ all: [ ...conditions ] }`." """
    both = {
        "all": [{"field": "parsed.n", "equals": 1}, {"any": [{"field": "raw", "includes": "x"}, "always"]}]
    }
    assert native(run(flow(step(exits=[leave("yes", both)])), a=[{"n": 1}]))["outcome"] == "yes"


def test_a_raw_payload_and_a_parsed_one_are_read() -> None:
    """ "`{{parsed.instructions}}` refers to the parsed payload of the current step." """
    found = run(
        flow(step(exits=[leave(reason="{{parsed.instructions}}|{{raw}}")])), a=['{"instructions": "i"}']
    )
    assert native(found)["reason"] == 'i|{"instructions": "i"}'


def test_the_default_outcome_is_for_runs_that_nothing_else_ends() -> None:
    """ "fallback outcome when the round never triggers an exit." """
    never = [leave("x", {"field": "parsed.n", "exists": True})]
    found = run(
        flow(step(exits=never), default={"outcome": "max-rounds", "reason": "after {{maxRounds}}"}), a=["{}"]
    )
    assert (native(found)["outcome"], native(found)["reason"]) == ("max-rounds", "after 1")


def test_json_schema_like_types_are_checked_at_runtime() -> None:
    """ "Defaults declared in the schema are applied automatically." """
    document = flow(step(prompt="{{user.n}}"), user={"n": {"type": "number", "default": 3}})
    assert loaded(document).arguments(None, {}) == {"user": {"n": 3}}


def test_a_transition_leads_on_in_the_same_round() -> None:
    """ "Transitions determine whether a step loops, advances, or finishes the run." """
    again = [go("s", {"field": "parsed.n", "equals": 1})]
    found = run(flow(step(transitions=again)), a=[{"n": 1}, {"n": 2}])
    assert list(prompts(found)) == ["round 1/s", "round 1/s #2"]


def test_a_document_may_be_yaml_as_well() -> None:
    """Reading: whatever says the same as JSON does."""
    from yaml import safe_dump

    checked = load(safe_dump(flow(step())), "flow.yaml")
    assert checked.ok
