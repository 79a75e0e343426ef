"""`quintet help`: what an error code means, or what a verb does."""

from __future__ import annotations

import sys

import click

from quintet.cli.app import app
from quintet.cli.refusal import Refusal
from quintet.cli.screen import columns, painter, result, result_json
from quintet.cli.verbs import BY_NAME
from quintet.formats.registry import codes
from quintet.problems.codes import Code
from quintet.problems.wording import did_you_mean, quoted

_WIDEST = 90
"""Longer lines are hard to read."""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in [*BY_NAME, *codes()] if name.startswith(incomplete)]


@click.command("help")
@click.argument("topic", metavar="[CODE|VERB]", required=False, shell_complete=_complete)
@click.option("--json", "as_json", is_flag=True, help="One JSON object on standard output; for codes.")
def command(topic: str | None, as_json: bool) -> None:
    """Explain an error code, such as unknown-key, or a verb."""
    code = None if topic is None else codes().get(topic)
    if code is not None:
        if as_json:
            result_json(_json(code))
        else:
            result(explanation(code))
    elif as_json:
        raise click.UsageError("--json is for error codes")
    else:
        result(_help(topic))


def explanation(code: Code) -> str:
    """The page of a code, for a screen."""
    paint = painter(sys.stdout)
    parts = [
        f"{paint(code.severity, f'{code.severity}[{code.name}]')}: {paint('heading', code.title)}",
        _wrapped(code.explanation),
    ]
    for heading, example in (("Wrong", code.wrong), ("Right", code.right)):
        if example is not None:
            parts.append(f"{paint('heading', heading)}\n" + _indented(example))
    return "\n\n".join(parts)


def _wrapped(markdown: str) -> str:
    """Paragraphs as wide as the screen.  The little markup there is reads well as it stands."""
    from textwrap import fill

    width = min(columns(sys.stdout), _WIDEST)
    return "\n\n".join(fill(paragraph, width) for paragraph in markdown.strip().split("\n\n"))


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.strip().split("\n"))


def _help(topic: str | None) -> str:
    """The same as `--help` gives."""
    root = click.Context(app, info_name=app.name)
    if topic is None:
        return app.get_help(root)
    verb = app.get_command(root, topic)
    if verb is None:
        hint = did_you_mean(topic, [*codes(), *BY_NAME]) or "docs/errors/README.md lists all codes"
        raise Refusal(f"there is no code or verb {quoted(topic)}", hint)
    return verb.get_help(click.Context(verb, parent=root, info_name=topic))


def _json(code: Code) -> dict[str, str | None]:
    return {
        "code": code.name,
        "severity": code.severity,
        "title": code.title,
        "explanation": code.explanation,
        "wrong": code.wrong,
        "right": code.right,
    }
