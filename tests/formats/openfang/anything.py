"""Workflows of whatever steps, for tests of what holds for all of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

AGENTS = st.sampled_from(["ann", "bob", "cy"])
PROMPTS = st.sampled_from(["{{input}}", "about {{v}} and {{input}}", "{{w}}"])


def steps() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Steps of every mode and error mode."""
    step = st.fixed_dictionaries(
        {
            "name": st.sampled_from(["one", "two"]),
            "agent_name": AGENTS,
            "prompt": PROMPTS,
            "mode": st.sampled_from(["sequential", "fan_out", "fan_out", "conditional", "loop", "collect"]),
            "condition": st.sampled_from(["", "ann", "nobody says this"]),
            "until": st.sampled_from(["2", "never"]),
            "max_iterations": st.integers(0, 3),
            "timeout_secs": st.sampled_from([1, 120]),
            "error_mode": st.sampled_from(["fail", "skip", "retry"]),
            "max_retries": st.integers(0, 2),
        },
        optional={"output_var": st.sampled_from(["v", "w"])},
    )
    return st.lists(step, min_size=1, max_size=5).map(_with_groups)


def _with_groups(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A collect step needs a group before it."""
    modes = [step["mode"] for step in steps]
    if "collect" in modes and "fan_out" not in modes[: modes.index("collect")]:
        return [{**steps[0], "mode": "fan_out"}, *steps]
    return steps
