"""The pictures of the first page show what a terminal shows today, are small, and fetch nothing."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from scripts import pictures

NAMES = ["run", "show"]


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_current(name: str) -> None:
    assert pictures.is_current(name), "draw it anew: python -m scripts.draw"


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_small_and_has_a_light_and_a_dark_side(name: str) -> None:
    text = pictures.place(name).read_text(encoding="utf-8")
    assert len(text) < 10_000
    assert "prefers-color-scheme: dark" in text
    assert {element.tag.partition("}")[2] for element in ElementTree.fromstring(text).iter()} == {
        *("svg", "title", "style", "rect", "circle", "text")
    }
    assert text.count("http") == 1, "the name of what SVG is"


def test_no_line_is_wider_than_its_picture() -> None:
    for name in NAMES:
        root = ElementTree.fromstring(pictures.place(name).read_text(encoding="utf-8"))
        ends = [
            float(one.get("x", 0)) + float(one.get("textLength", 0)) for one in root.iter() if one.get("x")
        ]
        assert max(ends) < float(root.get("width", 0))


def test_how_far_an_agent_has_come_is_no_change() -> None:
    before = pictures.place("run").read_text(encoding="utf-8")
    said = next(found[2] for found in pictures.TEXT.finditer(before) if found[2].startswith("2."))
    assert pictures.shape(before.replace(said, "something else")) == pictures.shape(before)
    assert pictures.shape(before.replace("gather", "collect")) != pictures.shape(before)
