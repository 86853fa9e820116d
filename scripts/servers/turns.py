"""One request after the other: systems and annotators are not made for several at once.

A calculation runs in a thread of its own, so that the page is there meanwhile. It is stopped when
its client has left or its time is over: the thread gets an exception at its next step in Python. A
single step in a library cannot be stopped; until it ends, nobody else's turn comes.
"""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Awaitable, Callable
from threading import Thread
from typing import Generic, TypeVar

Answer = TypeVar("Answer")

MOST_WAITING = 8
SECONDS = 60.0
"""For a request, with the time that it waits for its turn."""

_LOOK = 0.01
_TOLD_AGAIN = 100
"""Looks after which a calculation that goes on is told again: a library may have swallowed it."""


class BusyError(Exception):
    """No answer now; the request may come again."""


class ClientLeftError(Exception):
    """Nobody waits for the answer any more."""


class _StoppedError(BaseException):
    """Raised within a calculation from outside; no `except Exception` takes it for a fault."""


class _Calculation(Generic[Answer]):
    """Some work in a thread; `result` belongs to the loop that started it."""

    def __init__(self, work: Callable[[], Answer]) -> None:
        self._work = work
        self._loop = asyncio.get_running_loop()
        self.result: asyncio.Future[Answer] = self._loop.create_future()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            answer = self._work()
        except _StoppedError:
            return
        except BaseException as error:
            self._loop.call_soon_threadsafe(self._failed, error)
        else:
            self._loop.call_soon_threadsafe(self._ended, answer)

    def _ended(self, answer: Answer) -> None:
        if not self.result.done():
            self.result.set_result(answer)

    def _failed(self, error: BaseException) -> None:
        if not self.result.done():
            self.result.set_exception(error)

    def stop(self) -> None:
        """Tell it to stop."""
        self.result.cancel()
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(self._thread.ident or 0), ctypes.py_object(_StoppedError)
        )

    async def stopped(self) -> None:
        """Wait until it has stopped."""
        looks = 0
        while self._thread.is_alive():
            await asyncio.sleep(_LOOK)
            looks += 1
            if looks % _TOLD_AGAIN == 0:
                self.stop()


class Turns:
    """Lets one in at a time, a few wait, and sends others away."""

    def __init__(self, seconds: float = SECONDS, most_waiting: int = MOST_WAITING) -> None:
        self.seconds = seconds
        self._most = most_waiting
        self._working = asyncio.Lock()
        self._ending: set[asyncio.Task[None]] = set()
        self.present = 0
        """How many are there: the one that works, and those that wait."""

    async def answer(
        self, work: Callable[[], Answer], left: Callable[[], Awaitable[object]]
    ) -> Answer:
        """What some work gives, when its turn has come; `left` waits until its client leaves.

        Raises `BusyError` if too many wait already or the time is over.
        """
        if self.present > self._most:
            raise BusyError("others are being answered; ask again in a moment")
        self.present += 1
        leaving = asyncio.ensure_future(left())
        mine = asyncio.ensure_future(self._turn(work))
        mine.add_done_callback(self._one_less)
        try:
            await asyncio.wait(
                (mine, leaving), timeout=self.seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if mine.done():
                return mine.result()
            if leaving.done():
                raise ClientLeftError
            raise BusyError(
                f"no answer within {self.seconds:g} seconds (--max-seconds); "
                "ask again in a moment, for less text or fewer systems"
            )
        finally:
            leaving.cancel()
            mine.cancel()

    async def _turn(self, work: Callable[[], Answer]) -> Answer:
        """Wait for one's turn and work; the next turn comes when the work has really ended."""
        await self._working.acquire()
        try:
            calculation = _Calculation(work)
            answer = await calculation.result
        except asyncio.CancelledError:
            calculation.stop()
            self.present += 1  # it works on for a moment
            ending = asyncio.ensure_future(self._stopped(calculation))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
            raise
        except BaseException:
            self._working.release()
            raise
        self._working.release()
        return answer

    async def _stopped(self, calculation: _Calculation[Answer]) -> None:
        try:
            await calculation.stopped()
        finally:
            self._working.release()
            self._one_less()

    def _one_less(self, _: object = None) -> None:
        self.present -= 1
