"""Expecting: the outcomes that a script is content with, for formats whose runs end with one.

    quintet run review.json "the plan" --expect approved,done

A run that ends with any outcome has completed; this tells a script whether it has ended well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from quintet.cli.refusal import Refusal
from quintet.cli.screen import say
from quintet.problems.wording import one_of, visible

if TYPE_CHECKING:
    from quintet.cli.manner import Manner
    from quintet.record import Run
    from quintet.workflow import Workflow


def check_expected(manner: Manner, workflow: Workflow) -> None:
    """Raises Refusal where runs of a workflow end without an outcome."""
    if manner.expect and not workflow.has_rounds:
        raise Refusal(f"workflows of the format {workflow.format!r} have no outcome to expect")


def is_expected(manner: Manner, run: Run) -> bool:
    """Whether a completed run has ended as it was to; says so where it has not."""
    outcome = run.native.get("outcome") if isinstance(run.native, Mapping) else None
    if not manner.expect or outcome in manner.expect:
        return True
    wanted = visible(one_of([repr(name) for name in manner.expect]))
    found = "it has none" if outcome is None else f"it is {visible(repr(outcome))}"
    say(f"the outcome was to be {wanted}, and {found}")
    return False
