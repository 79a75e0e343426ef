"""Refusal: the call, a file or the surroundings are not as they have to be, so nothing is done."""

from __future__ import annotations


class Refusal(Exception):
    """What is wrong, and what to do about it.  The program ends with 2, and nothing ran."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
