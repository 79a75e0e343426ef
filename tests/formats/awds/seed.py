"""The examples of the specification, as they stand."""

from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / "specification").glob("*.yaml"))
}
