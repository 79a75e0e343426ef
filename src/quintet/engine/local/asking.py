"""Asking: the person who is here now is asked whatever the run waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from quintet.engine.execution import Execution
from quintet.engine.failures import EngineError
from quintet.engine.local.equipment import Asker, Broken, Unanswered
from quintet.engine.questions import Asked, WrongAnswer
from quintet.engine.values import Json


class Askers:
    """One task for each question that is open, while there is somebody to be asked."""

    def __init__(
        self, asker: Asker | None, answered: Callable[[str, Json], None], wake: Callable[[], None]
    ) -> None:
        self._asker = asker
        self._answered = answered
        self._wake = wake
        self._tasks: dict[str, asyncio.Task[Json]] = {}
        self._unanswered: set[str] = set()
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
            if target not in self._tasks and target not in self._unanswered:
                self._begin(self._asker, each)

    def let_go(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()

    def _begin(self, asker: Asker, asked: Asked) -> None:
        async def answer() -> Json:
            return await asker(asked)

        task = self._tasks[asked.target] = asyncio.create_task(answer())
        task.add_done_callback(partial(self._ended, asked.target))

    def _ended(self, target: str, task: asyncio.Task[Json]) -> None:
        error = None if task.cancelled() else task.exception()
        if self._tasks.get(target) is not task:
            return  # it was answered elsewhere, or the run was let go
        del self._tasks[target]
        self._wake()
        if isinstance(error, Unanswered) or task.cancelled():
            self._unanswered.add(target)
        elif isinstance(error, EngineError):
            self._bug = error
        elif error is not None:
            self._bug = Broken.performing(f"<question {target}>", error)
        else:
            self._hand_on(target, task.result())

    def _hand_on(self, target: str, answer: Json) -> None:
        try:
            self._answered(target, answer)
        except WrongAnswer as wrong:  # who asks has to see to it that the answer fits
            self._bug = wrong
