"""Inputs: what a run is given, as the workflow's `user` map wants it.

"Keys that include a `default` are optional at runtime; keys without a `default` are required."
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quintet.engine.values import Json
from quintet.formats.hyperagent.document import Document
from quintet.formats.hyperagent.parser import inputs_parsed
from quintet.problems.wording import did_you_mean, quoted
from quintet.workflow import WrongInput

PROMPT: Final = "instructions"
"""The input that the prompt of a call stands for."""


def user(document: Document, prompt: str | None, inputs: Mapping[str, Json]) -> Json:
    """What templates see as `user`.  Raises WrongInput."""
    if prompt is not None and PROMPT in inputs:
        raise WrongInput(f"{quoted(PROMPT)} is the prompt: give it as PROMPT or as an input, not as both")
    given = inputs if prompt is None else {PROMPT: prompt, **inputs}
    if document.user is None:
        return given
    if prompt is not None and PROMPT not in document.user:
        known = ", ".join(document.user) or "none"
        raise WrongInput(
            f"{document.id} has no place for a prompt: no input {quoted(PROMPT)}; it takes {known}"
        )
    for name in inputs:
        if name not in document.user:
            hint = did_you_mean(name, document.user) or f"it takes {', '.join(document.user) or 'none'}"
            raise WrongInput(f"{document.id} has no input {quoted(name)}; {hint}")
    found, problems = inputs_parsed(document.user, given)
    if problems:
        raise WrongInput(f"Invalid user inputs for workflow {document.id}: {'; '.join(problems)}")
    return found
