"""The benchmark: the engine beside the physical floor and beside its peers, in one run.

Machines differ and are noisy, so nothing here is a figure by itself.  Whoever is compared takes turns in
rounds, and what counts is the ratio within a round.  `run` lists the rows; each is a module of `rows`, which
says what it measures, and judges it by the reach that was set for it.
"""
