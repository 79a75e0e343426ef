"""Tests of stores are coroutines: each runs in an event loop of its own, in which its stores are closed."""

import asyncio
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

pytest.register_assert_rewrite("tests.store.conformance")


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    """The loop of one test; fixtures that hold stores close them here."""
    troubles: list[dict[str, Any]] = []  # what no caller was told
    with asyncio.Runner() as runner:
        runner.get_loop().set_exception_handler(lambda _, trouble: troubles.append(trouble))
        yield runner
    assert not troubles


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters}
    runner = pyfuncitem.funcargs.get("runner")
    if isinstance(runner, asyncio.Runner):
        runner.run(test(**arguments))
    else:
        asyncio.run(test(**arguments))
    return True
