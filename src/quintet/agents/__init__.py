"""Agents: the turn that every format awaits, and who answers when a turn asks a model or calls a tool."""
