"""The local host: runs on this machine, over a store, in asyncio.

`LocalHost` starts runs and takes them up; each is driven by a `Worker`, whose loop is the same as that of
any host (see `engine.execution`).  What it performs is what it was equipped with: `Performers`.
"""

from quintet.engine.local.crew import Run
from quintet.engine.local.equipment import Equipment, Performers, Unanswered
from quintet.engine.local.host import LocalHost

__all__ = ["Equipment", "LocalHost", "Performers", "Run", "Unanswered"]
