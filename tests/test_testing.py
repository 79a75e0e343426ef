"""What users test with is what its documentation says, and costs nothing to import."""

import doctest
import subprocess
import sys

from quintet import testing


def test_the_examples_of_the_documentation_are_true() -> None:
    results = doctest.testmod(testing)
    assert results.failed == 0
    assert results.attempted > 10


def test_the_examples_use_all_there_is() -> None:
    assert testing.__doc__
    assert [name for name in testing.__all__ if name not in testing.__doc__.partition(">>> async")[2]] == []


def test_it_loads_no_store_and_no_event_loop() -> None:
    code = "import sys, quintet.testing; print({'asyncio', 'apsw', 'quintet.store'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert loaded.stdout == "set()\n"
