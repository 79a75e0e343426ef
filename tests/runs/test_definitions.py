"""A text is read once, and means the same to whoever works on a run that is pinned to it."""

from __future__ import annotations

import pytest

import quintet
from quintet.formats.invalid import InvalidFile
from quintet.runs.definitions import workflow_of
from quintet.runs.pinned import Text

TEXT = '{"name": "read once", "steps": [{"name": "a", "agent_name": "writer", "prompt": "Write."}]}'
SCRIPT = {"agents": {"writer": [{"reply": "done"}]}}


def test_what_was_loaded_is_not_read_again_to_run_it() -> None:
    loaded = quintet.load(TEXT)
    pinned = loaded.pinned(script=SCRIPT)
    assert workflow_of(pinned.definition, pinned.format, pinned.lenient) is loaded.definition


def test_a_text_that_nobody_has_loaded_is_read() -> None:
    text = Text("flow.json", TEXT.replace("read once", "read here"))
    assert workflow_of(text, "openfang", False).name == "read here"
    assert workflow_of(text, "openfang", False) is workflow_of(text, "openfang", False)


def test_a_text_that_defines_nothing_is_refused_each_time() -> None:
    for _ in range(2):
        with pytest.raises(InvalidFile):
            workflow_of(Text("flow.json", '{"steps": [{}]}'), "openfang", False)
