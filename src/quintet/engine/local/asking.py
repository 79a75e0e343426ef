"""Asking: the person who is here now is asked whatever the run waits for.

What that person says is handed in as anybody's answer is: in the store, where one of several wins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from quintet.engine.execution import Execution
from quintet.engine.failures import EngineError
from quintet.engine.local.equipment import Asker, Broken, Unanswered
from quintet.engine.outcomes import NO_JSON
from quintet.engine.questions import Asked, Question, WrongAnswer
from quintet.engine.redaction import Redactor
from quintet.engine.values import Json


def acceptable(answer: Json, question: Question, redactor: Redactor) -> Json:
    """An answer as it may be handed in: without secrets, and one that fits.  Raises WrongAnswer."""
    try:
        clean = redactor.value(answer)
    except NO_JSON as error:
        raise WrongAnswer(f"an answer must be JSON: {error}") from error
    question.check(clean)
    return clean


class Askers:
    """One task for each question that is open, while there is somebody to be asked."""

    def __init__(
        self, asker: Asker | None, hand_in: Callable[[Asked, Json], Awaitable[None]], wake: Callable[[], None]
    ) -> None:
        self._asker = asker
        self._hand_in = hand_in
        self._wake = wake
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._done: set[str] = set()
        """What was answered here, or will not be: nobody is asked twice."""
        self._bug: EngineError | None = None

    @property
    def are_asking(self) -> bool:
        return bool(self._tasks)

    def ask(self, execution: Execution) -> None:
        """Ask what is newly asked, and ask no more what was answered elsewhere."""
        if self._asker is None:
            return
        if self._bug is not None:
            raise self._bug
        asked = {each.target: each for each in execution.asked}
        for target in [*self._tasks]:
            if target not in asked:
                self._tasks.pop(target).cancel()
        for target, each in asked.items():
            if target not in self._tasks and target not in self._done:
                self._begin(self._asker, each)

    def let_go(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    def _begin(self, asker: Asker, asked: Asked) -> None:
        async def answer() -> None:
            await self._hand_in(asked, await asker(asked))

        task = self._tasks[asked.target] = asyncio.create_task(answer())
        task.add_done_callback(partial(self._ended, asked.target))

    def _ended(self, target: str, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if self._tasks.get(target) is not task:
            return  # it was answered elsewhere, or the run was let go
        del self._tasks[target]
        self._done.add(target)
        self._wake()
        if isinstance(error, EngineError):  # a wrong answer, too: who asks has to see to it that it fits
            self._bug = error
        elif error is not None and not isinstance(error, Unanswered):
            self._bug = Broken.performing(f"<question {target}>", error)
