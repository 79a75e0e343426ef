"""The four examples of the Workflow Engine Guide, as they stand, and a workflow as OpenFang stores it."""

from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / "guide").glob("*.json"))}
STORED = (HERE / "stored.json").read_text(encoding="utf-8")
