"""The worker: one run, driven from where its log ends until it ends, waits for a person, or is let go.

The loop is `Worker.work`.  Performers run beside it as tasks and tell it only what became of them; it alone
appends, and it does nothing else while it appends, so the log has one order and the program sees that one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from functools import partial
from typing import TypeAlias, assert_never

from quintet.engine.events import Event, Kind
from quintet.engine.execution import Execution
from quintet.engine.failures import EngineError, Failed
from quintet.engine.local.asking import Askers, acceptable
from quintet.engine.local.equipment import Broken, Equipment
from quintet.engine.local.shelf import CleanShelf
from quintet.engine.orders import Arm, Disarm, Halt, Order, Perform
from quintet.engine.performing import Call, unheard
from quintet.engine.questions import Asked, WrongAnswer
from quintet.engine.reports import Report
from quintet.engine.touches import Touch
from quintet.engine.values import Json
from quintet.store.port import AlreadyDecided, Batch, Lease, Request, Shelf, Store

LINGER = 0.05
"""Seconds for which starts and notes may wait for an outcome to be appended with."""
LONGEST_NAP = 30.0
"""How often a timer looks at the clock on the wall, which may be set while we sleep."""
LAST_WAIT = 1.0
"""Seconds for which a performer is waited for that was told to stop, when its run is let go."""
HERE = "the terminal"
"""Who is said to have answered where the person who is here was faster than others."""

Permit: TypeAlias = Callable[[Kind], AbstractAsyncContextManager[object]]
"""What a performer has to enter first: how many may work at once is for the host to say."""


class Worker:
    """Works on one run, as its holder."""

    def __init__(
        self,
        store: Store,
        lease: Lease,
        execution: Execution,
        equipment: Equipment,
        *,
        clock: Callable[[], float],
        permit: Permit,
    ) -> None:
        self._store = store
        self._lease = lease
        self._execution = execution
        self._performers = equipment.performers
        self.redactor = equipment.rules.redactor
        """What answers to its questions are cleaned with."""
        self._clock = clock
        self._permit = permit
        self._loop = asyncio.get_running_loop()
        self._woken = asyncio.Event()
        self._tasks: dict[Touch, asyncio.Task[Json]] = {}
        self._timers: dict[Touch, asyncio.TimerHandle] = {}
        """Sleeps and time limits."""
        self._shelf_effects: OrderedDict[Touch, None] = OrderedDict()
        self._askers = Askers(equipment.performers.ask, self._hand_in_answer, self._wake)
        self._requests: list[Request] = []
        self._handed_in: set[int] = set()
        self._linger: asyncio.TimerHandle | None = None
        self._has_lingered = False
        self._grace: float | None = None
        """Seconds that performers are given to end by themselves, once the run is being suspended."""
        self._bug: EngineError | None = None
        self._is_over = False

    # What the host calls

    async def work(self) -> Report:
        """Drive the run.  Raises EngineError where it cannot go on; its log is intact then."""
        execution = self._execution
        try:
            self._tick()
            execution.start()
            while self._grace is None:
                await self._stop_for_bugs()
                self._obey_orders()
                self._askers.ask(execution)
                if self._requests:
                    await self._meet_requests()
                elif self._has_to_append:
                    await self._append()
                elif self._shelf_effects:
                    await self._perform_on_shelf(self._shelf_effects.popitem(last=False)[0])
                elif execution.standing == "over":
                    return await self._conclude()
                elif execution.standing == "waiting" and not self._askers.are_asking:
                    return await self._pause()
                else:
                    await self._sleep()
            await self._meet_requests()
            return await self._suspend(self._grace)
        finally:
            self._let_go()

    def hand_in(self, request: Request) -> None:
        """Somebody asks something of this run."""
        if request.id not in self._handed_in:
            self._handed_in.add(request.id)
            self._requests.append(request)
            self._wake()

    def suspend(self, grace: float) -> None:
        """Stop without the program noticing: what does not end in time is performed again some day."""
        self._grace = grace
        self._wake()

    # The steps of the loop

    async def _stop_for_bugs(self) -> None:
        """What is known so far is kept first."""
        if self._bug is not None:
            await self._append_undelivered()
            raise self._bug

    def _obey_orders(self) -> None:
        while orders := self._execution.take_orders():
            for order in orders:
                self._obey(order)

    async def _meet_requests(self) -> None:
        """Turn what was handed in into events, or put it aside."""
        requests, self._requests = self._requests, []
        for request in requests:
            if not self._meet(request):
                await self._store.refuse(request.id)

    def _meet(self, request: Request) -> bool:
        self._tick()
        if request.verb == "cancel":
            self._execution.cancel(request.id)
            return True
        try:
            return self._execution.answer(request.target, request.data, request.id)
        except WrongAnswer:
            return False

    @property
    def _has_to_append(self) -> bool:
        urgency = self._execution.urgency
        return urgency == "now" or (urgency == "soon" and self._has_lingered)

    async def _append(self, *, deliver: bool = True) -> Sequence[Event]:
        """Keep what waits, then let the program learn of it."""
        self._has_lingered = False
        addition = self._execution.flush()
        kept: Sequence[Event] = ()
        try:
            if addition.events:
                kept = await self._store.append(self._lease, Batch(addition.events, addition.requests))
        except BaseException:
            self._execution.put_back()
            raise
        self._tick()
        self._execution.commit(deliver=deliver)
        self._show(kept)
        return kept

    async def _perform_on_shelf(self, touch: Touch) -> None:
        """Perform an effect in the transaction that records what it gave."""
        execution = self._execution
        self._tick()
        execution.begin(touch)
        addition = execution.flush()
        batch = Batch(addition.events, addition.requests, self._settlement(touch))
        try:
            kept = await self._store.append(self._lease, batch)
        except Failed as failed:
            execution.put_back()
            execution.settle(touch, failure=failed.failure)
        except BaseException:
            execution.put_back()
            raise
        else:
            self._tick()
            execution.commit_effect(touch, kept[-1])
            self._show(kept)

    def _settlement(self, touch: Touch) -> Callable[[Shelf], Event]:
        """An effect and the record of what it gave, for the thread that writes."""
        call, record = self._call(touch), self._execution.effect(touch)
        effect = self._performers.shelf[call.name]

        def settle(shelf: Shelf) -> Event:
            try:
                return record(effect(CleanShelf(shelf, self.redactor), call))
            except (Failed, EngineError):
                raise
            except Exception as error:
                raise Broken.performing(repr(touch), error) from error

        return settle

    async def _conclude(self) -> Report:
        self._tick()
        self._execution.conclude()
        kept = await self._append()
        return Report.ended(self._lease.run_id, kept[-1])

    async def _pause(self) -> Report:
        self._tick()
        self._execution.pause()
        await self._append()
        return Report(self._lease.run_id, "paused", asked=self._execution.asked)

    async def _sleep(self) -> None:
        """Until something happens; what is worth seeing is not kept back for long."""
        if self._execution.urgency == "soon" and self._linger is None:
            self._linger = self._loop.call_later(LINGER, self._linger_ends)
        await self._woken.wait()
        self._woken.clear()

    async def _suspend(self, grace: float) -> Report:
        """Keep what still comes of performers, but let the program learn of it in its next life.

        One that does not stop when it is told to is left to itself.
        """
        await self._keep_what_comes(grace)
        for task in self._tasks.values():
            task.cancel()
        await self._keep_what_comes(LAST_WAIT)
        await self._stop_for_bugs()
        await self._append_undelivered()
        if self._execution.standing == "over":
            return await self._conclude()
        return Report(self._lease.run_id, "interrupted")

    async def _keep_what_comes(self, seconds: float) -> None:
        end = self._loop.time() + seconds
        while self._tasks and (patience := end - self._loop.time()) > 0:
            await asyncio.wait(self._tasks.values(), timeout=patience, return_when="FIRST_COMPLETED")
            await asyncio.sleep(0)  # those that have ended say so first
            await self._append_undelivered()

    async def _append_undelivered(self) -> None:
        """But for the end of a cancelled run, which is kept in one piece or left to its next life."""
        if self._execution.urgency != "never":
            await self._append(deliver=False)

    def _let_go(self) -> None:
        """Nothing of this run is performed any longer."""
        self._is_over = True
        for running in (*self._tasks.values(), *self._timers.values()):
            running.cancel()
        if self._linger is not None:
            self._linger.cancel()
        self._askers.let_go()
        self._execution.close()

    # Orders

    def _obey(self, order: Order) -> None:
        match order:
            case Perform(touch):
                self._perform(touch)
            case Halt(touch):
                self._halt(touch)
            case Arm(alarm, seconds):
                self._timers[alarm] = self._loop.call_later(seconds, self._strike, alarm)
            case Disarm(alarm):
                if handle := self._timers.pop(alarm, None):
                    handle.cancel()
            case _:
                assert_never(order)

    def _perform(self, touch: Touch) -> None:
        if touch.kind == "timer":
            self._execution.begin(touch)
            self._look_at_the_clock(touch)
        elif touch.kind == "effect" and self._call(touch).name in self._performers.shelf:
            self._shelf_effects[touch] = None
        else:
            task = self._tasks[touch] = self._loop.create_task(self._performance(touch))
            task.add_done_callback(partial(self._performed, touch))

    def _halt(self, touch: Touch) -> None:
        if task := self._tasks.get(touch):
            task.cancel()
        elif handle := self._timers.pop(touch, None):
            handle.cancel()
            self._execution.halted(touch)
        elif touch in self._shelf_effects:
            del self._shelf_effects[touch]
            self._execution.halted(touch)

    # What performers tell

    async def _performance(self, touch: Touch) -> Json:
        async with self._permit(touch.kind):
            if self._grace is not None:  # it has queued until now, and nothing is begun any more
                raise asyncio.CancelledError
            self._tick()
            self._execution.begin(touch)
            call = self._call(touch)
            return await self._performers.performer(touch, call)(call)

    def _performed(self, touch: Touch, task: asyncio.Task[Json]) -> None:
        """A performer has ended."""
        del self._tasks[touch]
        error = None if task.cancelled() else task.exception()
        if self._is_over:
            return
        try:
            self._hear(touch, task, error)
        except Exception as unheard:  # what it gave cannot be recorded
            self._found_bug(touch, unheard)
        self._wake()

    def _hear(self, touch: Touch, task: asyncio.Task[Json], error: BaseException | None) -> None:
        """Whatever a performer gave is worth recording, even if it was told to stop."""
        self._tick()
        match error:
            case Failed(failure=failure):
                self._execution.settle(touch, failure=failure)
            case None if not task.cancelled():
                self._execution.settle(touch, task.result())
            case None:
                self._execution.halted(touch)
                if touch.open and self._grace is None:
                    self._found_bug(touch, asyncio.CancelledError("it cancelled itself"))
            case _:
                self._found_bug(touch, error)

    def _found_bug(self, touch: Touch, error: BaseException) -> None:
        self._bug = error if isinstance(error, EngineError) else Broken.performing(repr(touch), error)

    def _look_at_the_clock(self, timer: Touch) -> None:
        """A sleep is over, or goes on."""
        left = self._execution.due(timer) - self._clock()
        if left > 0:
            nap = min(left, LONGEST_NAP)
            self._timers[timer] = self._loop.call_later(nap, self._look_at_the_clock, timer)
            return
        self._timers.pop(timer, None)
        self._tick()
        self._execution.settle(timer)
        self._wake()

    def _strike(self, alarm: Touch) -> None:
        del self._timers[alarm]
        self._tick()
        self._execution.strike(alarm)
        self._wake()

    async def _hand_in_answer(self, asked: Asked, answer: Json) -> None:
        """The person who is here has answered; somebody else may have been faster."""
        clean = acceptable(answer, asked.question, self.redactor)
        request = Request(self._lease.run_id, "answer", asked.target, clean, HERE)
        try:
            self.hand_in(await self._store.request(request))
        except AlreadyDecided as told:
            self.hand_in(told.first)

    def _linger_ends(self) -> None:
        self._linger = None
        self._has_lingered = True
        self._wake()

    def _wake(self) -> None:
        self._woken.set()

    def _tick(self) -> None:
        self._execution.tick(self._clock(), self._loop.time())

    def _call(self, touch: Touch) -> Call:
        run_id, key = self._lease.run_id, self._execution.idempotency_key(touch)
        audience, resting = self._performers.audience, partial(self._rest, touch)
        say = unheard if audience is None else partial(audience.said, run_id, touch.path)
        return Call.of(run_id, touch, key, say, resting)

    @contextmanager
    def _rest(self, touch: Touch) -> Generator[None]:
        """A performer waits for its turn."""
        self._tick()
        self._execution.rest(touch)
        self._wake()
        try:
            yield
        finally:
            if not self._is_over:
                self._tick()
                self._execution.begin(touch)
                self._wake()

    def _show(self, events: Sequence[Event]) -> None:
        if self._performers.audience is not None and events:
            self._performers.audience.kept(self._lease.run_id, events)
