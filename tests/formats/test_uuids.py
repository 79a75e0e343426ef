"""A UUID is the same however it is written."""

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quintet.formats.uuids import canonical, is_uuid


@given(st.uuids())
def test_all_ways_to_write_a_uuid_are_one(known: uuid.UUID) -> None:
    for text in (str(known), str(known).upper(), known.hex):
        assert is_uuid(text)
        assert canonical(text) == str(known)


@pytest.mark.parametrize("text", ["", "writer", "0b5c1f4e-1f0e-4d3a-9b512f1c8f6f3a11", "{" + "0" * 32 + "}"])
def test_another_text_stays_as_it_is(text: str) -> None:
    assert not is_uuid(text)
    assert canonical(text) == text
