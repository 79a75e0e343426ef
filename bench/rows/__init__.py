"""One module for each kind of measurement; `measure` gives its row of the results."""
