"""Quintet: one durable engine for five text formats of agent workflows.

A workflow is a program, and a run is its log: whatever a program learns from the world is recorded before
the program sees it, so that a run can be resumed, forked, shown or moved by reading its log again.
"""

__version__ = "0.1.0"
