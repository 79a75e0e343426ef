"""The formats: text becomes a Workflow, or all that is wrong with it.

Each format is a folder of its own and an entry point of the group `quintet.formats`; `registry` finds them
and tells by the content of a file which one it is.  What they share is here beside it: reading YAML and JSON
with a position for every value (`source`), and shapes (`shape`).
"""
