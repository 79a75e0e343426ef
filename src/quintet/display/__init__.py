"""Display: what people see of runs on a terminal.

Everything here is a function from records to rows, and a row is text whose parts have roles: whoever prints
it gives the roles their colours.  Only `live` and `plain` write: they show a run while it works.

    outline   a run as a tree of items, with what is still to come
    tree      the outline as rows, while the run works and when it is over
    frozen    the same with times as bars: what happened
    ending    the last lines: what it cost and the command that goes on
    events    the log, a line an event
    table     lists of runs and of open questions
"""
