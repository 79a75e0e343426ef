"""Pinned: the texts that a run is made from, kept in its first event.

Whoever works on the run later works from these and from nothing else, whatever has become of the files.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from quintet.engine.values import Json, fingerprint


@dataclass(frozen=True, slots=True)
class Text:
    """A file as it was."""

    path: str
    text: str

    @property
    def hash(self) -> str:
        """Tells whether a text is still the same."""
        return fingerprint(self.text)

    def to_json(self) -> dict[str, Json]:
        return {"path": self.path, "hash": self.hash, "text": self.text}

    @classmethod
    def from_json(cls, data: Any) -> Text:
        return cls(data["path"], data["text"])


@dataclass(frozen=True, slots=True)
class Pinned:
    """What a run is made from."""

    workflow: str
    """Its name."""
    format: str
    definition: Text
    lenient: bool = False
    """Whether unknown keys are passed over."""
    script: Text | None = None
    fake: Text | None = None
    """The cassette that answers in place of models and tools."""
    record: str | None = None
    """The file that the run is recorded in when it ends or waits for a person."""
    agents: Sequence[Text] = ()
    """The manifests of agents."""
    settings: Json = None
    """What the project's settings say of models, and the file they are in; nothing that is secret."""
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    """Models that the call has named, by agent."""
    found: Json = None
    """The model that was found on the machine, and why that one."""
    budget: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What the run may cost, as the call has said."""
    earlier: Mapping[str, int] = field(default_factory=dict[str, int])
    """How often names of the script were called in vain by the run that this one goes on from."""

    def to_json(self) -> dict[str, Json]:
        return {
            "workflow": self.workflow,
            "format": self.format,
            "definition": self.definition.to_json(),
            "lenient": self.lenient,
            "script": None if self.script is None else self.script.to_json(),
            "fake": None if self.fake is None else self.fake.to_json(),
            "record": self.record,
            "agents": [text.to_json() for text in self.agents],
            "settings": self.settings,
            "models": self.models,
            "found": self.found,
            "budget": self.budget,
            "earlier": self.earlier,
        }

    @classmethod
    def from_json(cls, data: Any) -> Pinned | None:
        """What a run of Quintet's own workflows says; None of a run that was started by other means."""
        if "definition" not in data:
            return None
        return cls(
            data["workflow"],
            data["format"],
            Text.from_json(data["definition"]),
            lenient=data["lenient"],
            script=None if data["script"] is None else Text.from_json(data["script"]),
            fake=None if data.get("fake") is None else Text.from_json(data["fake"]),
            record=data.get("record"),
            agents=tuple(map(Text.from_json, data["agents"])),
            settings=data["settings"],
            models=data["models"],
            found=data["found"],
            budget=data["budget"],
            earlier=data["earlier"],
        )

    def overridden(self, overrides: Overrides) -> Pinned:
        """The same, but for what is given now."""
        return replace(
            self,
            definition=overrides.definition or self.definition,
            script=overrides.script or (None if overrides.fake else self.script),
            fake=overrides.fake or (None if overrides.script else self.fake),
            record=overrides.record or self.record,
            agents=self.agents if overrides.agents is None else overrides.agents,
            models={**self.models, **overrides.models},
            budget={**self.budget, **overrides.budget},
            settings=self.settings if overrides.settings is None else overrides.settings,
        )

    @property
    def is_offline(self) -> bool:
        """Whether a script or a cassette answers, so that nobody else is ever asked."""
        return self.script is not None or self.fake is not None

    @property
    def texts(self) -> Sequence[Text]:
        """All files that it was made from."""
        answering = (text for text in (self.script, self.fake) if text is not None)
        return (self.definition, *answering, *self.agents)


@dataclass(frozen=True, slots=True)
class Overrides:
    """What a run goes on with instead of what it began with."""

    definition: Text | None = None
    script: Text | None = None
    agents: Sequence[Text] | None = None
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    budget: Mapping[str, Json] = field(default_factory=dict[str, Json])
    fake: Text | None = None
    record: str | None = None
    settings: Json = None

    def to_json(self) -> Json:
        """What the log says of it; null where nothing is overridden."""
        given: dict[str, Json] = {}
        if self.definition is not None:
            given["definition"] = self.definition.to_json()
        if self.script is not None:
            given["script"] = self.script.to_json()
        if self.fake is not None:
            given["fake"] = self.fake.to_json()
        if self.record is not None:
            given["record"] = self.record
        if self.agents is not None:
            given["agents"] = [text.to_json() for text in self.agents]
        if self.models:
            given["models"] = self.models
        if self.budget:
            given["budget"] = self.budget
        if self.settings is not None:
            given["settings"] = self.settings
        return given or None


NOTHING = Overrides()
"""Everything as it was."""
