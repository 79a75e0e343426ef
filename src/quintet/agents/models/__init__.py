"""Models: who answers when a turn asks, behind one narrow port; providers are imported late."""
