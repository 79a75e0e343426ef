"""YAML: our own rules for scalars, keys that are texts, aliases and merges, and nothing built from tags."""

import pytest

from quintet.engine.values import Json
from quintet.formats.source import read
from quintet.formats.tree import plain


def value(text: str) -> Json:
    reading = read(text, "a.yaml")
    assert reading.report.problems == ()
    assert reading.root is not None
    return plain(reading.root)


def problem(text: str) -> tuple[str, str, str]:
    [one] = read(text, "a.yaml").report.problems
    return one.code.name, str(one.place).removeprefix("a.yaml:"), f"{one.message}: {one.hint}"


@pytest.mark.parametrize(
    "text", ["on", "off", "yes", "No", "y", "n", "2026-01-15", "12:30:45", "1_000", "0b1", "NaN"]
)
def test_what_yaml_1_1_would_turn_into_something_else_stays_a_text(text: str) -> None:
    assert value(f"a: {text}") == {"a": text}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True), ("False", False), ("TRUE", True), ("null", None), ("~", None), ("", None),
        ("Null", None), ("12", 12), ("-7", -7), ("+7", 7), ("0o17", 15), ("0x1F", 31), ("017", 17),
        ("1.5", 1.5), (".5", 0.5), ("5.", 5.0), ("1e3", 1000.0), ("-1.5E-1", -0.15), ("1.0", 1.0),
        (".", "."), ("0x", "0x"), ("1.2.3", "1.2.3"),
    ],
)  # fmt: skip
def test_scalars_without_quotes_follow_the_core_schema_of_yaml_1_2(text: str, expected: Json) -> None:
    found = value(f"a: {text}")
    assert found == {"a": expected}
    assert isinstance(found, dict)
    assert type(found["a"]) is type(expected)


@pytest.mark.parametrize("quoted", ['"true"', "'12'", "|-\n  null", ">-\n  1.5", "!!str true", "! 12"])
def test_a_scalar_in_quotes_or_in_a_block_is_a_text(quoted: str) -> None:
    found = value(f"a: {quoted}")
    assert isinstance(found, dict)
    assert isinstance(found["a"], str)


def test_keys_are_always_texts() -> None:
    """cagent uses `true:`, `false:` and `on:` as names."""
    text = "true: 1\nfalse: 2\non: 3\nno: 4\n12: 5\nnull: 6\n1.5: 7\n"
    assert value(text) == {"true": 1, "false": 2, "on": 3, "no": 4, "12": 5, "null": 6, "1.5": 7}


def test_an_alias_stands_for_its_anchor_and_a_later_anchor_of_the_name_replaces_it() -> None:
    assert value("a: &x 1\nb: *x\nc: &x [2]\nd: *x") == {"a": 1, "b": 1, "c": [2], "d": [2]}
    assert value("a: &k name\n*k : 1") == {"a": "name", "name": 1}
    assert value("&k a: *k") == {"a": "a"}


def test_a_merge_takes_over_keys_that_the_map_does_not_have() -> None:
    text = "x: &x {a: 1, b: 1}\ny: &y {b: 2, c: 2}\nz:\n  b: 3\n  <<: [*y, *x]\n"
    found = value(text)
    assert isinstance(found, dict)
    assert found["z"] == {"a": 1, "b": 3, "c": 2}
    assert value("'<<': 1") == {"<<": 1}


@pytest.mark.parametrize(
    ("text", "code", "place", "words"),
    [
        ("a: 1\n\tb: 2", "yaml-syntax", "2:1", "spaces"),
        ("a:\n\t- b", "yaml-syntax", "2:1", "spaces"),
        ("a: b: c", "yaml-syntax", "1:5", "needs quotes"),
        ("a: @b", "yaml-syntax", "1:4", "'@' cannot begin a text"),
        ("a: [1, 2", "yaml-syntax", "1:4", "missing"),
        ('a: "x\nb: 1', "yaml-syntax", "1:4", "quote"),
        ('a: "\\q"', "yaml-syntax", "1:5", "single quotes"),
        ("a: 1\n b: 2", "yaml-syntax", "2:3", "': '"),
        ("a: 1\nb\nc: 2", "yaml-syntax", "3:1", "':'"),
        ("a: {{input}}", "yaml-key", "1:4", "quotes"),
        ("? [a]\n: b", "yaml-key", "1:3", "list"),
        ("&x [a]: 1", "yaml-key", "1:1", "list"),
        ("a: &x [1]\n*x : 1", "yaml-key", "2:1", "list"),
        ("a: *b", "yaml-alias", "1:4", "no anchor before it"),
        ("a: &b [*b]", "yaml-alias", "1:8", "part of"),
        ("a: 1\n---\nb: 1", "several-documents", "2:1", "second"),
        ("a: !!python/object/apply:os.system [ls]", "yaml-tag", "1:4", "python/object"),
        ("a: !mine 1", "yaml-tag", "1:4", "'!mine'"),
        ("!!python/name:os.system : 1", "yaml-tag", "1:1", "python/name"),
        ("a: !!int x", "yaml-tag", "1:4", "not what its tag says"),
        ("a: !!bool 1", "yaml-tag", "1:4", "not what its tag says"),
        ("a: !!set {b}", "yaml-tag", "1:4", "set"),
        ("a: !!binary aGk=", "yaml-tag", "1:4", "binary"),
        ("<<: 1", "yaml-merge", "1:1", "cannot merge the number 1"),
        ("a: \x07", "control-character", "1:4", "control"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told_at_its_place_with_what_to_do(
    text: str, code: str, place: str, words: str
) -> None:
    found = problem(text)
    assert found[0] == code
    assert found[1] == place
    assert words in found[2]


def test_the_places_of_maps_end_where_their_text_ends() -> None:
    reading = read("a:\n  b: 1\n\n\n# c\nd: 2\n", "a.yaml")
    assert reading.root is not None
    place = reading.report.text.place(reading.root)
    assert (place.line, place.column, place.end_line) == (1, 1, 6)


@pytest.mark.parametrize("char", "\x85\u2028\u2029")
@pytest.mark.parametrize("text", ["a: x{}y", 'a: "x{}y"', "a: |-\n  x{}y", "a: >-\n  x{}y\n"])
def test_only_what_editors_take_for_a_line_break_is_one(char: str, text: str) -> None:
    assert value(text.format(char)) == {"a": f"x{char}y"}
    assert value(f"a: 1 # x{char}b: 2") == {"a": 1}
