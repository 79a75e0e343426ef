"""`quintet schema` prints the JSON Schema of a format."""

import json

from quintet.formats.registry import named
from tests.cli.calling import called


def test_the_schema_is_that_of_the_format() -> None:
    assert json.loads(called("schema", "openfang").out) == named("openfang").schema()
    assert called("schema", "openfang", "--json").out == called("schema", "openfang").out


def test_an_unknown_format_is_refused_with_what_is_known() -> None:
    answer = called("schema", "zzz")
    assert (answer.code, answer.out) == (2, "")
    assert "known: awds, hyperagent, openfang" in answer.err
