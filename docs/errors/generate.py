"""Writes the pages of this folder from the table of codes: `python docs/errors/generate.py`."""

from pathlib import Path

from quintet.formats.registry import codes
from quintet.problems.codes import pages

HERE = Path(__file__).parent


def main() -> None:
    current = pages(codes().values())
    for name, text in current.items():
        (HERE / name).write_text(text, encoding="utf-8")
    for path in HERE.glob("*.md"):
        if path.name not in current:
            path.unlink()


if __name__ == "__main__":
    main()
