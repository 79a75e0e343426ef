"""Sources: workflow files as verbs take them, a path or `-` for standard input, with the options of reading.

@click.command()
@source_options("--format")
def command(source: Source, ...) -> int:
    checked = source.read("review.json")
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeAlias

import click

from quintet.cli.refusal import Refusal
from quintet.cli.screen import say, say_problems
from quintet.formats.limits import LIMITS
from quintet.formats.registry import Surroundings, UnknownFormat, formats, load, load_file
from quintet.problems.wording import counted, visible
from quintet.workflow import Checked, Workflow

STDIN, STDIN_NAME = "-", "<stdin>"
_NOTHING_KNOWN = Surroundings()

Verb: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Source:
    """How files are to be read."""

    format: str | None = None
    strict: bool = False
    lenient: bool = False

    def read(self, path: str, surroundings: Surroundings = _NOTHING_KNOWN) -> Checked:
        """What a file says, and all that is wrong with it."""
        try:
            if path != STDIN:
                return load_file(
                    path,
                    format=self.format,
                    surroundings=surroundings,
                    strict=self.strict,
                    lenient=self.lenient,
                )
            return load(
                _standard_input(),
                STDIN_NAME,
                format=self.format,
                surroundings=surroundings,
                strict=self.strict,
                lenient=self.lenient,
            )
        except UnknownFormat as unknown:
            raise Refusal(str(unknown)) from None

    def workflow(self, path: str, surroundings: Surroundings = _NOTHING_KNOWN) -> Workflow:
        """The workflow of a file.  Where it has errors they are shown, and the program ends with 2."""
        checked = self.read(path, surroundings)
        if checked.workflow is None:
            say_problems(checked.problems, name_of(path))
            raise click.exceptions.Exit(2)
        if checked.problems:
            shown = visible(name_of(path))
            say(f"{counted(len(checked.problems), 'warning')} in {shown}: quintet check {shown}")
        return checked.workflow


def name_of(path: str) -> str:
    """What a file is called in messages."""
    return STDIN_NAME if path == STDIN else path


def source_options(format_option: str) -> Callable[[Verb], Verb]:
    """Gives a verb the options of reading, as a Source; only `graph` calls the format's option otherwise."""

    def decorate(verb: Verb) -> Verb:
        @wraps(verb)
        def with_source(*, format_name: str | None, strict: bool, lenient: bool, **others: Any) -> Any:
            if strict and lenient:
                raise click.UsageError("--strict and --lenient exclude each other")
            return verb(source=Source(format_name, strict, lenient), **others)

        decorated: Verb = with_source
        for option in reversed(_options(format_option)):
            decorated = option(decorated)
        return decorated

    return decorate


def _options(format_option: str) -> list[Callable[[Verb], Verb]]:
    return [
        click.option(
            format_option,
            "format_name",
            metavar="NAME",
            shell_complete=complete_formats,
            help="The format of the file, instead of telling it by the content.",
        ),
        click.option("--strict", is_flag=True, help="Warnings are errors."),
        click.option("--lenient", is_flag=True, help="Unknown keys are warnings."),
    ]


def complete_formats(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in formats() if name.startswith(incomplete)]


def _standard_input() -> bytes:
    """No more of it than a definition may have, and one byte."""
    if sys.stdin is None:  # it may have been closed before we began
        raise Refusal("there is no standard input")
    return sys.stdin.buffer.read(LIMITS.size + 1)
