"""The shelf as an effect is given it: what is put there outlives the run, so it holds no secrets either."""

from __future__ import annotations

from collections.abc import Sequence

from quintet.engine.redaction import Redactor
from quintet.engine.values import Json
from quintet.store.port import Shelf


class CleanShelf:
    """Puts values on a shelf without secrets; the names under which they are found stay as they are."""

    def __init__(self, shelf: Shelf, redactor: Redactor) -> None:
        self._shelf = shelf
        self._redactor = redactor

    def get(self, namespace: str, key: str) -> Json:
        return self._shelf.get(namespace, key)

    def put(self, namespace: str, key: str, value: Json, *, expires: float | None = None) -> None:
        self._shelf.put(namespace, key, self._redactor.value(value), expires=expires)

    def put_new(self, namespace: str, key: str, value: Json, *, expires: float | None = None) -> bool:
        return self._shelf.put_new(namespace, key, self._redactor.value(value), expires=expires)

    def delete(self, namespace: str, key: str) -> bool:
        return self._shelf.delete(namespace, key)

    def keys(self, namespace: str) -> Sequence[str]:
        return self._shelf.keys(namespace)
