"""What a store promises, as tests of any implementation of the port.

To prove one, subclass `Conformance` and give it a fixture `stores`, a `Stores`:

    class TestPostgres(Conformance):
        @pytest.fixture
        def stores(self, ...) -> Iterator[Stores]: ...

Each class is about one part of the port; a store that cannot be opened twice takes those that need but one.
"""

from tests.store.conformance.ends import Ends
from tests.store.conformance.keeping import Keeping
from tests.store.conformance.leases import Leases
from tests.store.conformance.lists import Lists
from tests.store.conformance.logs import Logs
from tests.store.conformance.payloads import Payloads
from tests.store.conformance.requests import Requests
from tests.store.conformance.settlements import Settlements
from tests.store.conformance.sharing import Sharing
from tests.store.conformance.stores import Stores


class Alone(Logs, Payloads, Settlements, Requests, Lists, Ends):
    """What can be seen through one object."""


class Conformance(Alone, Leases, Sharing, Keeping):
    """All of it."""


__all__ = ["Alone", "Conformance", "Stores"]
