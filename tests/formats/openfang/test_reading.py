"""Whatever a workflow does, it is what the guide says, read as plainly as can be."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from quintet.api import load
from quintet.testing import rehearse
from tests.formats.openfang.anything import steps
from tests.formats.openfang.reading import Ending, Reader

ENTRY: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries(
        {"reply": st.sampled_from(["<{{prompt}}>", "Ann 2", "{{v}} {{w}}", ""])},
        optional={"delay": st.floats(0, 3)},
    ),
    st.fixed_dictionaries({"error": st.sampled_from(["no", "gone"])}, optional={"delay": st.floats(0, 3)}),
)
ENTRIES = st.lists(ENTRY, min_size=1, max_size=4)


@settings(max_examples=300)
@given(steps(), st.fixed_dictionaries(dict.fromkeys(("ann", "bob", "cy"), ENTRIES)))
def test_a_run_comes_to_what_a_reader_of_the_guide_expects(
    some: list[dict[str, Any]], agents: dict[str, list[dict[str, Any]]]
) -> None:
    run = rehearse(load(json.dumps({"steps": some})), "in", inputs={"w": "{{v}}"}, script={"agents": agents})
    native: Any = run.native
    results = [(one["step_name"], one["output"]) for one in native["step_results"]]
    expected = Reader(agents, "in", {"w": "{{v}}"}).ending(some)
    assert Ending(native["output"], native["error"], results) == expected
