"""The command line: one module a verb, each imported only when its verb is called.

`verbs` is the table of what there is, `app` finds a verb in it and makes an exit code of whatever comes of
it, `screen` is how all of them speak to people, and `sources` how they read workflow files.
"""
