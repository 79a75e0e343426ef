"""Drawing: the picture of a workflow, for a terminal, a page or a document.

    Graph ── reduction ──> Outline ── text ──> rows of a terminal
      │                           └── svg  ──> a picture
      └── mermaid ──> a text that others draw

An outline is the graph as people see it: one thing after another, forks that come together again, loops and
frames.  Both layouts are drawn from it, so a workflow has the same shape wherever it is shown.
"""
