"""The start is fast because nothing is imported that a verb does not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.files import FINE, written

PROVIDERS = {"anthropic", "httpx2", "mcp", "openai", "pydantic", "pydantic_ai"}
HEAVY = PROVIDERS | {
    "anyio",
    "apsw",
    "asyncio",
    "fastapi",
    "jsonschema_rs",
    "rich",
    "sqlite3",
    "typer",
    "uvicorn",
}
OURS = {"agents", "api", "display", "project", "runs", "server", "store", "tools", "triggers"}
LIST = """
import sys
from quintet.cli.app import call
call(sys.argv[1:])
print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["check", "flow.json"],
        ["graph", "flow.json"],
        ["graph", "flow.json", "--format", "svg"],
        ["schema", "openfang"],
        ["new", "openfang"],
        ["help", "unknown-key"],
    ],
    ids=" ".join,
)
def test_looking_at_files_imports_no_store_server_or_provider(arguments: list[str], tmp_path: Path) -> None:
    written(tmp_path, "flow.json", FINE)
    done = subprocess.run(
        [sys.executable, "-c", LIST, *arguments], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    modules = done.stderr.splitlines()[-1].split()
    assert HEAVY.isdisjoint(module.partition(".")[0] for module in modules)
    ours = {module.split(".")[1] for module in modules if module.startswith("quintet.")}
    assert ours.isdisjoint(OURS)
    if arguments == ["--help"]:
        assert ours == {"cli"}
