"""The app: finds the verb, calls it, and makes an exit code of whatever comes of it.

A verb gives its exit code, or None for 0.  Whatever is wrong with the call, a file or the screen ends here
in a line or two on standard error and never in a traceback:

    0 done · 1 the run failed · 2 the call, a file or an input is wrong · 3 the run waits for a person
    70 a bug in Quintet · 130 interrupted · 141 nobody reads on
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

import click

from quintet import __version__
from quintet.cli.refusal import Refusal
from quintet.cli.screen import never_fail_to_show, result, say, say_error, say_problems
from quintet.cli.verbs import BY_NAME, VERBS, Topic, Verb

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

NAME = "quintet"
COMPLETE = "_QUINTET_COMPLETE"
"""Set by the completion of a shell when it asks what fits."""

WRONG, BUG, INTERRUPTED, UNREAD = 2, 70, 130, 141


def main() -> NoReturn:
    """The command `quintet`."""
    sys.exit(call(sys.argv[1:]))


def call(arguments: Sequence[str]) -> int:
    """The exit code of a call."""
    never_fail_to_show()
    try:
        code = _called(arguments)
        if sys.stdout is not None:  # it may have been closed before we began
            sys.stdout.flush()
        return code
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except (KeyboardInterrupt, EOFError, click.Abort):
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _stop_writing()
        return UNREAD
    except Refusal as refusal:
        say_error(refusal.message, refusal.hint)
    except click.ClickException as wrong:
        _say_wrong_call(wrong)
    except OSError as error:
        say_error(f"{error.filename or 'the screen'}: {(error.strerror or str(error)).lower()}")
        _stop_writing()
    except Exception as error:
        return _say_invalid(error) or _say_bug(error)
    return WRONG


def _called(arguments: Sequence[str]) -> int:
    if os.environ.get(COMPLETE):
        from click.shell_completion import shell_complete

        return shell_complete(app, {}, NAME, COMPLETE, os.environ[COMPLETE])
    with app.make_context(NAME, list(arguments)) as context:
        code: object = app.invoke(context)
        return code if isinstance(code, int) else 0


def _say_wrong_call(wrong: click.ClickException) -> None:
    """In the words of click, but as our other errors look."""
    context = wrong.ctx if isinstance(wrong, click.UsageError) else None
    message = wrong.format_message()
    if isinstance(wrong, click.exceptions.NoArgsIsHelpError):
        say(message)
    else:
        lowered = message[:1].lower() + message[1:].removesuffix(".")
        several = (
            "a text of several words stands in quotes; " if "unexpected extra argument" in message else ""
        )
        say_error(lowered, f"{several}{context.command_path} --help" if context else "")


def _say_invalid(error: Exception) -> int | None:
    """A file that is wrong: all that is wrong with it."""
    from quintet.formats.invalid import InvalidFile

    if not isinstance(error, InvalidFile):
        return None
    for path in dict.fromkeys(problem.place.path for problem in error.problems):
        say_problems([problem for problem in error.problems if problem.place.path == path], path)
    return WRONG


def _say_bug(error: Exception) -> int:
    if os.environ.get("QUINTET_TRACEBACK"):
        raise error
    hint = "QUINTET_TRACEBACK=1 shows where, for a report of it"
    say_error(f"this is a bug in Quintet: {type(error).__name__}: {error}", hint)
    return BUG


def _stop_writing() -> None:
    """What is still to be written would fail again when Python ends."""
    with suppress(OSError, ValueError, AttributeError):  # there may be no file behind it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class App(click.Group):
    """The verbs of the table, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [verb.name for verb in VERBS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        verb = BY_NAME.get(cmd_name)
        return None if verb is None else loaded(verb)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in BY_NAME and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(_unknown(name), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        topics = dict.fromkeys(verb.topic for verb in VERBS)
        widest = max(len(verb.name) for verb in VERBS)
        for topic in sorted(topics, key=_topics.index):
            with formatter.section(topic):
                rows = [(verb.name.ljust(widest), verb.about) for verb in VERBS if verb.topic == topic]
                formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        verbs = [CompletionItem(v.name, help=v.about) for v in VERBS if v.name.startswith(incomplete)]
        return [*verbs, *click.Command.shell_complete(self, ctx, incomplete)]


_topics: tuple[Topic, ...] = ("Files", "Runs", "Questions", "Store", "Daemon", "Set-up", "Help")


def loaded(verb: Verb) -> click.Command:
    """The command of a verb."""
    from importlib import import_module

    module, attribute = verb.place
    command: object = getattr(import_module(module), attribute)
    if not isinstance(command, click.Command):
        raise TypeError(f"{module}.{attribute} is no click command")
    return command


def _unknown(name: str) -> str:
    from quintet.problems.wording import did_you_mean, quoted

    hint = did_you_mean(name, BY_NAME)
    if not hint and os.path.lexists(name):
        hint = f"to look at this file: quintet check {name}"
    return f"there is no verb {quoted(name)}" + (f"; {hint}" if hint else "")


def _show_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        result(f"{NAME} {__version__}")
        ctx.exit()


def _show_completion(ctx: click.Context, param: click.Parameter, shell: str | None) -> None:
    if shell is None or ctx.resilient_parsing:
        return
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    assert complete is not None, "click has each of the choices"
    result(complete(app, {}, NAME, COMPLETE).source())
    ctx.exit()


app = App(
    name=NAME,
    help="Runs agent workflows that are written as text, and forgets nothing of what is done.",
    epilog="`quintet VERB --help` tells all about a verb.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Print the version.",
        ),
        click.Option(
            ["--show-completion"],
            type=click.Choice(["bash", "zsh", "fish"]),
            is_eager=True,
            expose_value=False,
            callback=_show_completion,
            help='Print what completes in a shell: eval "$(quintet --show-completion bash)".',
        ),
    ],
)
