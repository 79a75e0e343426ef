"""Runs: what a log tells of a run, and what runs are made from."""
