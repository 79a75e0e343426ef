"""Prompt templates: `{{input}}` and `{{variable}}`.

The guide replaces `{{input}}` first, then each variable in the order of a hash map, so that a variable whose
value names another variable comes out one way or the other.  Here the order is fixed: `{{input}}` first, then
one pass over the result that replaces each variable where it stands.  So a placeholder that came in with the
input is replaced once, as the guide's code does, and what a variable holds is never read as a template.

What nothing sets stays as it stands.  There is no space within the braces, no escape and no expression.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

INPUT = "{{input}}"
LONGEST = 16 * 1024 * 1024
"""Characters of an expanded prompt: a template that names a large input thousands of times has no end."""

_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")


class PromptTooLong(ValueError):
    """A template whose expansion is longer than any model reads."""


def expand(template: str, input_text: str, variables: Mapping[str, str]) -> str:
    """The prompt, in time in proportion to its length.  Raises PromptTooLong past LONGEST characters."""
    _bounded(len(template) + template.count(INPUT) * (len(input_text) - len(INPUT)))
    text = template.replace(INPUT, input_text)
    growth = sum(
        len(variables[name]) - len(name) - 4 for name in _PLACEHOLDER.findall(text) if name in variables
    )
    _bounded(len(text) + growth)
    return _PLACEHOLDER.sub(lambda found: variables.get(found[1], found[0]), text)


def placeholders(template: str) -> tuple[str, ...]:
    """The names between double braces, each once, in the order of the template."""
    return tuple(dict.fromkeys(_PLACEHOLDER.findall(template)))


def _bounded(length: int) -> None:
    if length > LONGEST:
        raise PromptTooLong(f"the prompt has {length:,} characters, more than {LONGEST:,}")
