"""Native: a run as the specification tells of it: each step with its status and its outputs."""

from __future__ import annotations

from typing import Any

from quintet.engine.values import Json
from quintet.formats.awds.program import DONE, FAILED, ITEM, ITEMS, SKIPPED
from quintet.record import Fact, Run

_STATUSES = {DONE: "success", FAILED: "failed", SKIPPED: "skipped"}
_SHOWN = ("index", "status", "item", "input", "result", "error")


def native(run: Run) -> Json:
    """`{steps: {<id>: {status, outputs}}}` of all steps that have ended.

    The outputs of a step that failed or was skipped are null, but for those of a `for_each` step that failed:
    they have null in the place of the items that failed.
    """
    items: dict[str, list[Fact]] = {}
    for fact in run.facts:
        if fact.kind in (ITEMS, ITEM):
            items.setdefault(_data(fact)["name"], []).append(fact)
    ended = [fact for fact in run.facts if fact.kind in _STATUSES]
    return {"steps": {_data(fact)["name"]: _step(fact, items) for fact in ended}}


def _step(fact: Fact, items: dict[str, list[Fact]]) -> Json:
    data, status = _data(fact), _STATUSES[fact.kind]
    told: dict[str, Json] = {"status": status, "outputs": data.get("outputs")}
    told |= {key: data[key] for key in ("why", "error", "tags") if key in data}
    if told.get("why") == "condition":
        told["why"] = "its condition does not hold"
    if data["name"] not in items:
        return told
    ended = sorted(
        (_data(one) for one in items[data["name"]] if one.kind == ITEM), key=lambda one: one["index"]
    )
    told["outputs"] = {"status": status, "result": [one.get("result") for one in ended]}
    told["items"] = [{key: one[key] for key in _SHOWN if key in one} for one in ended]
    return told


def _data(fact: Fact) -> Any:
    return fact.data
