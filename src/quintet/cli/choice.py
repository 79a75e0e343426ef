"""Choice: each model that somebody may want to use here, and what it still takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from quintet.agents.models import installation, llama, offline, weights
from quintet.agents.models.providers import FAVOURITES, PROVIDERS, key_of, to_install
from quintet.agents.models.surroundings import serving
from quintet.cli.checklist import Entry
from quintet.display.rows import shown


def choices(environment: Mapping[str, str]) -> Sequence[Entry]:
    """All of them; those that can be asked come first."""
    found = [of_offline(), *of_servers(), *(of_provider(name, environment) for name in FAVOURITES)]
    return sorted(found, key=lambda choice: choice.state != "ready")


def of_offline() -> Entry:
    """The model in this process."""
    name = f"offline:{weights.NAME}"
    try:
        complete = installation.is_complete()
    except (weights.Wrong, OSError) as error:
        return Entry(name, "wrong", shown(str(error)), f"{offline.INSTALL} --force")
    if complete:
        return Entry(name, "ready", "in this process; needs no key and no network")
    missing = "its runtime" if not llama.is_installed() else "its weights"
    if weights.find() is None and not llama.is_installed():
        return Entry(name, "missing", "not installed; needs no key", offline.INSTALL)
    return Entry(
        name,
        "incomplete",
        f"{missing} is not installed".replace("weights is", "weights are"),
        offline.INSTALL,
    )


def of_servers() -> Iterator[Entry]:
    """What is served on this machine."""
    for server, models in serving():
        place = f"{server.title} at {server.address}"
        if not models:
            yield Entry(server.provider, "incomplete", f"{place} answers and has no model")
        for model in models:
            yield Entry(f"{server.provider}:{shown(model)}", "ready", place)


def of_provider(name: str, environment: Mapping[str, str]) -> Entry:
    """A model of a provider, by its key."""
    model, key = f"{name}:{PROVIDERS[name].small}", key_of(name, environment)
    if key is None:
        return Entry(model, "missing", f"no key: set {' or '.join(PROVIDERS[name].keys)}")
    if command := to_install(name):
        return Entry(model, "incomplete", f"{key} is set; needs a library", command)
    return Entry(model, "ready", f"{key} is set")


def installed(package: str) -> str | None:
    """The version of a package, as far as it is there; imports nothing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None
