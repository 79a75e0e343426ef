"""Scripts as they are given: the path of a file, or what such a file says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from quintet.agents.script import Script
from quintet.agents.script_file import parse
from quintet.project import read_text
from quintet.runs.pinned import Text

ScriptLike: TypeAlias = "str | PathLike[str] | Mapping[str, Any]"
"""A script: the path of its file, or what such a file says."""


def script_text(script: ScriptLike) -> Text:
    """A script that is sure to be valid.  Raises InvalidFile."""
    if isinstance(script, Mapping):
        text = Text("<script>.json", json.dumps(script, ensure_ascii=False))
    else:
        text = Text(str(script), read_text(Path(script)))
    script_of(text)
    return text


def parsed(script: ScriptLike) -> Script:
    """What a script says.  Raises InvalidFile."""
    return script_of(script_text(script))


@lru_cache(maxsize=64)
def script_of(text: Text) -> Script:
    """What the text of a script says.  Raises InvalidFile."""
    return parse(text.text, text.path)
