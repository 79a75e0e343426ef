"""Verbs: what can follow `quintet`, and in which module it is.

This table is all that `quintet --help` reads, so a verb costs nothing until it is called.  To add one, write
a module with a click command named `command` and give it a line here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Topic: TypeAlias = Literal["Files", "Runs", "Questions", "Store", "Daemon", "Set-up", "Help"]
"""The headings of `quintet --help`, in this order."""


class Verb(NamedTuple):
    name: str
    topic: Topic
    about: str
    """One line for `quintet --help`."""
    at: str = ""
    """`module:attribute` within quintet.cli, where that is not `<name>:command`."""

    @property
    def place(self) -> tuple[str, str]:
        """The module that has the command, and its name there."""
        module, _, attribute = (self.at or self.name).partition(":")
        return f"quintet.cli.{module}", attribute or "command"


VERBS = (
    Verb("run", "Runs", "run a workflow and show it live; PROMPT - reads the prompt from standard input"),
    Verb("exec", "Runs", "the same under the name that cagent users know", "run:as_exec"),
    Verb("runs", "Runs", "what has run; filters by status, format, workflow"),
    Verb("show", "Runs", "one run: its steps as a tree, timings, tokens, outcome, or its log"),
    Verb("resume", "Runs", "go on after a crash, an interruption or a pause"),
    Verb("retry", "Runs", "a failed run again: does anew what failed or changed, and nothing else"),
    Verb("fork", "Runs", "a new run that keeps what was done before one step, and goes on from there"),
    Verb("cancel", "Runs", "stop a run for good, wherever it works"),
    Verb("inbox", "Questions", "every question that a run waits on"),
    Verb("answer", "Questions", "answer the question a run waits on, then go on"),
    Verb("export", "Store", "all that is known of a run, as one JSON object"),
    Verb("prune", "Store", "forget runs that ended long ago"),
    Verb("backup", "Store", "a copy of the store while it is in use"),
    Verb("check", "Files", "every problem with its line and column, all at once; nothing is run"),
    Verb("graph", "Files", "the shape of a workflow, as text, Mermaid, SVG or JSON"),
    Verb("test", "Files", "run workflows against their scripts or cassettes and compare"),
    Verb("new", "Files", "a small valid file to start from"),
    Verb("schema", "Files", "the JSON Schema of a format, for editors"),
    Verb("model", "Set-up", "models that can be used here: list, try, and install one that needs no key"),
    Verb("doctor", "Set-up", "what is here, what is missing, and what is wrong with it"),
    Verb("help", "Help", "what a verb does, or what an error code means"),
)

BY_NAME = {verb.name: verb for verb in VERBS}
