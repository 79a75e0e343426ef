"""The expressions of AWDS: `${{ steps.evaluate.outputs.result.urgency === "high" }}`.

The format names three things that an expression can refer to, and shows one operator; the rest is here what
it is in JavaScript, as far as it goes.  A text becomes tokens, tokens a typed tree, and the tree a function
of a scope.  Nothing in between can loop, recurse without a bound, or make more text than there is room for:
an expression of any shape gives a value or an error that says where.
"""
