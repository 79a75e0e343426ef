"""Finding: the model that answers where nobody has named one.

First a provider whose key is in the environment, then a server on this machine, then the offline model.
"""

from __future__ import annotations

import os

from quintet.agents.models import llama, weights
from quintet.agents.models.choice import OFFLINE, Choice
from quintet.agents.models.names import ModelName
from quintet.agents.models.providers import missing
from quintet.agents.models.remote import Connection, check
from quintet.agents.models.surroundings import keys_present, local_servers


def found() -> Choice | None:
    """A model that can be asked from here, and what led to it."""
    for one in keys_present(os.environ):
        if missing(one.provider, None, None) is None:
            return Choice(str(one), one.because)
    for one in local_servers():
        return Choice(str(one), one.because)
    if offline_lacks() is None:
        return Choice(str(ModelName(OFFLINE, weights.NAME)), "what is installed here")
    return None


def lacking(connection: Connection) -> str | None:
    """What is missing before a model can be asked, in words, as far as it can be told without asking."""
    return offline_lacks() if connection.model.provider == OFFLINE else check(connection)


def offline_lacks() -> str | None:
    """What is missing before the offline model can answer."""
    if weights.find() is None or not llama.is_installed():
        return "the offline model is not installed: quintet model install"
    return None
