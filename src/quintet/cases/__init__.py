"""Cases: workflows that are tested, each with what answers for its agents and what is to come of it."""
