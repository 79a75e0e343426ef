"""The machine is pure: no loop, no clock, no thread, no I/O below the local host.

import-linter guards our own packages and those of others; it cannot see the standard library, so this can.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import quintet

ENGINE = Path(quintet.__file__).parent / "engine"
PURE = sorted(path for path in ENGINE.rglob("*.py") if "local" not in path.relative_to(ENGINE).parts)
IMPURE = {"apsw", "asyncio", "socket", "sqlite3", "subprocess", "threading", "time"}
LOCAL_HOST = "quintet.engine.local"


def imported(tree: ast.AST) -> Iterator[str]:
    """Every name that an import anywhere in the tree may load."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield module
                yield from (f"{module}.{alias.name}" for alias in names)
            case _:
                pass


@pytest.mark.parametrize("path", PURE, ids=lambda path: str(path.relative_to(ENGINE)))
def test_no_module_of_the_engine_but_the_local_host_reaches_the_world(path: Path) -> None:
    names = set(imported(ast.parse(path.read_text(encoding="utf-8"))))
    assert not {name for name in names if name.partition(".")[0] in IMPURE}
    assert not {name for name in names if name.startswith(LOCAL_HOST)}, (
        "importing the machine must not load the local host"
    )
