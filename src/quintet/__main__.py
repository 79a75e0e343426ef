"""The command `quintet`, and `python -m quintet`."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Calls the app; whoever interrupts while it is still imported sees no traceback either."""
    try:
        from quintet.cli.app import main as called
    except KeyboardInterrupt:
        sys.exit(130)  # as the app would
    called()


if __name__ == "__main__":
    main()
