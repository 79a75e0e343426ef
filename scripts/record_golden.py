"""Records golden logs under the name of the release that runs: `python -m scripts.record_golden`.

A golden log is a promise of the release that recorded it, so none is ever written over: a release records
its stories once, before it is published.
"""

from __future__ import annotations

import sys
from pathlib import Path

from quintet import __version__
from tests.golden.logs import HERE, Golden, record, text
from tests.golden.stories import STORIES


def write_all(folder: Path, release: str) -> list[Path]:
    """Record every story.  Raises FileExistsError, and writes nothing, if any of them is there already."""
    files = {folder / f"{release}-{name}.json": name for name in STORIES}
    there = [path.name for path in files if path.exists()]
    if there:
        raise FileExistsError(f"golden logs are never written over: {', '.join(there)}")
    for path, name in files.items():
        path.write_text(text(Golden(release, name, record(STORIES[name]))), encoding="utf-8")
    return list(files)


def main() -> int:
    try:
        written = write_all(HERE, __version__)
    except FileExistsError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write("".join(f"recorded {path.name}\n" for path in written))
    return 0


if __name__ == "__main__":
    sys.exit(main())
