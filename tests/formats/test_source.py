"""Any input at all becomes a value tree or problems with places, in bounded time and memory."""

import json
import math
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintet.engine.values import Json
from quintet.formats.limits import HIGHEST, LIMITS, LOWEST, Limits
from quintet.formats.source import Reading, read, read_file
from quintet.formats.tree import List, Map, Scalar, Value, plain
from quintet.problems.text import rendered

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(LOWEST, HIGHEST)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner), max_leaves=20)
SYNTAX = st.text(
    st.sampled_from("{}[]:,\"'\\/*-?&!|>%@`#<~. \n\t\r01eEtrufalsn\ufeff\u2028\u00e9\U0001f600\0")
)


def codes(reading: Reading) -> list[str]:
    return [problem.code.name for problem in reading.report.problems]


def value(text: str | bytes, path: str) -> Json:
    reading = read(text, path)
    assert codes(reading) == []
    assert reading.root is not None
    return plain(reading.root)


def walk(node: Value) -> list[Value]:
    match node:
        case List(items):
            return [node, *(inner for item in items for inner in walk(item))]
        case Map(entries):
            return [node, *(inner for entry in entries.values() for inner in walk(entry.value))]
        case Scalar():
            return [node]


# --- JSON ---------------------------------------------------------------------------------------------


@given(VALUES, st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_json_is_read_as_json_loads_reads_it(data: Json, ascii_only: bool, indent: int | str | None) -> None:
    text = json.dumps(data, ensure_ascii=ascii_only, indent=indent)
    assert value(text, "a.json") == json.loads(text)


@given(SYNTAX)
def test_what_json_loads_reads_is_read_and_nothing_else_but_comments_and_last_commas(text: str) -> None:
    reading = read(text, "a.json")
    try:
        expected = json.loads(text, parse_constant=pytest.fail)
    except (ValueError, RecursionError):
        return
    if not codes(reading):
        assert reading.root is not None
        assert plain(reading.root) == expected


def test_comments_and_a_comma_after_the_last_item_are_no_mistake_in_json() -> None:
    text = '// first\n{"a": [1, 2,], /* within\n "b": */ "c": {"d": "// text",},} // last'
    assert value(text, "a.json") == {"a": [1, 2], "c": {"d": "// text"}}


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("{'a': 1}", 1, 2, "double quotes"),
        ("{a: 1}", 1, 2, 'write "a"'),
        ('{"a": None}', 1, 7, "write null"),
        ('{"a": True}', 1, 7, "write true"),
        ('{"a": NaN}', 1, 7, "finite"),
        ('{"a": Infinity}', 1, 7, "finite"),
        ('{"a": 01}', 1, 7, "numbers"),
        ('{"a": 1\n "b": 2}', 2, 2, "comma"),
        ('{"a" 1}', 1, 6, "after the key 'a'"),
        ('{"a": 1} x', 1, 10, "complete"),
        ("\n [1, 2", 2, 2, "']' is missing"),
        ('{"a": {"b": 1}', 1, 1, "'}' is missing"),
        ('["abc', 1, 2, "never closed"),
        (r'["\q"]', 1, 3, "no escape"),
        (r'["\u12g4"]', 1, 3, "hexadecimal"),
        ("[1] /* open", 1, 5, "never closed"),
        ("[,]", 1, 2, "expected a value"),
        ("// only a comment", 1, 18, "the file ends"),
    ],
)
def test_a_mistake_in_json_is_told_at_its_place_with_what_to_do(
    text: str, line: int, column: int, words: str
) -> None:
    reading = read(text, "a.json")
    [problem] = reading.report.problems
    assert reading.root is None
    assert problem.code.name == "json-syntax"
    assert (problem.place.line, problem.place.column) == (line, column)
    assert words in f"{problem.message} {problem.hint}"


def test_all_duplicate_keys_are_told_at_once_and_name_the_line_of_the_first() -> None:
    for path, text in {
        "a.json": '{"a": 1,\n "a": 2,\n "b": {"c": 1, "c": 2}}',
        "a.yaml": "a: 1\na: 2\nb:\n  c: 1\n  c: 2\n",
    }.items():
        problems = read(text, path).report.problems
        assert [problem.code.name for problem in problems] == ["duplicate-key", "duplicate-key"]
        assert "'a' is already there, in line 1" in problems[0].message


@pytest.mark.parametrize(
    "text", ['["\\ud800"]', '["\\udc00\\ud800"]', '{"\\ud83d": 1}', '["\ud800"]', "a: \udfff"]
)
@pytest.mark.parametrize("path", ["a.json", "a.yaml"])
def test_half_a_surrogate_pair_is_refused(text: str, path: str) -> None:
    assert set(codes(read(text, path))) <= {"control-character", "yaml-syntax", "json-syntax"}
    assert codes(read(text, path)) != []


def test_a_surrogate_pair_written_as_two_escapes_is_one_character() -> None:
    assert value(r'["\ud83d\ude00"]', "a.json") == ["😀"]


@pytest.mark.parametrize("number", ["1e999", "-1e999", str(2**64), str(-(2**63) - 1), "9" * 10_000])
@pytest.mark.parametrize("path", ["a.json", "a.yaml"])
def test_numbers_that_other_readers_could_not_hold_are_refused(number: str, path: str) -> None:
    assert codes(read(f"[{number}]", path)) == ["number-range"]


@pytest.mark.parametrize("number", [".inf", "-.INF", "+.Inf", ".nan", ".NaN", "0x" + "f" * 17])
def test_yaml_numbers_that_are_not_finite_are_refused(number: str) -> None:
    assert codes(read(f"a: {number}", "a.yaml")) == ["number-range"]


def test_the_largest_numbers_are_read_exactly() -> None:
    assert value(f"[{HIGHEST}, {LOWEST}]", "a.json") == [HIGHEST, LOWEST]
    assert math.isclose(float(str(value("[1.5e300]", "a.json")).strip("[]")), 1.5e300)


# --- the file -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["a.json", "a.yaml", "a", "<text>"])
def test_a_byte_order_mark_is_no_part_of_the_text(path: str) -> None:
    reading = read(b'\xef\xbb\xbf{"a": 1}', path)
    assert reading.root is not None
    assert plain(reading.root) == {"a": 1}
    assert reading.root.start == 0


def test_bytes_that_are_not_utf_8_are_told_with_line_and_column_in_characters() -> None:
    reading = read('{"ä": 1,\n "ö": "'.encode() + b'\xff"}', "a.json")
    [problem] = reading.report.problems
    assert str(problem) == "a.json:2:8: error[not-utf-8]: the byte 0xff is not UTF-8"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_another_encoding_is_recognised_by_its_mark(encoding: str) -> None:
    [problem] = read('{"a": 1}'.encode(encoding), "a.json").report.problems
    assert problem.code.name == "not-utf-8"
    assert encoding.upper() in problem.message


@pytest.mark.parametrize("text", ["", " \n\t", "\ufeff", "# a comment\n"])
def test_a_file_that_says_nothing_is_a_problem(text: str) -> None:
    assert codes(read(text, "a.yaml")) == ["empty-file"]


def test_a_nul_is_told_at_its_place() -> None:
    for path in ("a.json", "a.yaml", "a"):
        [problem] = read('{"a":\n "\0"}', path).report.problems
        assert str(problem.place) == f"{path}:2:3"
        assert problem.code.name == "control-character"


def test_json_without_an_extension_is_read_as_json_and_flow_yaml_as_yaml() -> None:
    assert value('{"a": 1} // c', "a") == {"a": 1}
    assert value("{a: yes}", "a") == {"a": "yes"}
    assert value("a: 1", "a") == {"a": 1}
    assert codes(read('{"a": 1', "a")) == ["json-syntax"]


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path, Path("a\0b")):
        reading = read_file(path)
        assert codes(reading) == ["cannot-read"]
        assert reading.root is None
        assert rendered(reading.report.problems[0])


def test_a_file_is_read_by_its_path(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1", encoding="utf-8")
    reading = read_file(tmp_path / "a.yaml")
    assert reading.root is not None
    assert plain(reading.root) == {"a": 1}


# --- positions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["a.json", "a.yaml"])
@given(data=VALUES)
def test_every_scalar_stands_where_its_tree_says(path: str, data: Json) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=1)
    if path == "a.yaml" and any(not (" " <= char <= "~") for char in text.replace("\n", "")):
        return  # what JSON may hold and YAML may not
    reading = read(text, path)
    if reading.root is None:
        return
    for node in walk(reading.root):
        piece = text[node.start : node.end]
        if isinstance(node, Scalar):
            assert json.loads(piece) == node.value
        else:
            assert piece[0] + piece[-1] in {"[]", "{}"}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("path", ["a.json", "a.yaml"])
def test_lines_end_as_editors_end_them_and_columns_count_characters(newline: str, path: str) -> None:
    text = newline.join(['{"😀\u2028é": 1,', ' "b":', '  "c" }'])
    reading = read(text, path)
    assert isinstance(reading.root, Map)
    place = reading.report.text.place(reading.root.entries["b"].value)
    assert (place.line, place.column, place.end_line, place.end_column) == (3, 3, 3, 6)
    first = reading.report.text.place(next(iter(reading.root.entries.values())).value)
    assert (first.line, first.column) == (1, 9)


# --- bounds -------------------------------------------------------------------------------------------

PIECES = [
    "[", "{", '{"a":', "- ", "? ", "a: ", "[[]", "&a ", "*a ", "!a ", '"', "'", "|\n", "{{", "a\n",
    "- a\n", "\n", " ", "\t", "/", "//\n", "/*", "\\", '"\\u', "1", "-", "1,", ",", ":", "#", "%",
    "<<: ", "---\n", "\u2028", "é", "]", "}", "- - - -\n", "? a\n", "a:\n ", "k: &a\n", "- |\n",
    "- >\n", "''", '""', '"a":1,', "{}", "[],", "\r", "\ufeff",
]  # fmt: skip
SMALL = Limits(size=256 * 1024, depth=100, values=5_000)


@pytest.mark.parametrize("path", ["a.json", "a.yaml", "a"])
@pytest.mark.parametrize("piece", PIECES)
def test_a_piece_repeated_to_the_limit_is_read_in_linear_time(piece: str, path: str) -> None:
    begun = time.process_time()
    for text in (
        piece * (SMALL.size // len(piece.encode())),
        "[" + piece * (SMALL.size // len(piece.encode()) - 1),
    ):
        reading = read(text, path, SMALL)
        assert reading.root is not None or reading.report.problems
        for problem in reading.report.problems:
            assert len(rendered(problem)) < 2_000
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("path", ["a.json", "a.yaml", "a"])
@pytest.mark.parametrize("opening", ["[", '{"a":', "- ", "? "])
def test_ten_thousand_levels_are_refused_and_a_hundred_are_read(opening: str, path: str) -> None:
    assert set(codes(read(opening * 10_000, path))) <= {"too-deep", "yaml-key", "json-syntax"}
    assert "too-deep" in codes(read("[" * 10_000, path))
    assert codes(read("[" * 100 + "]" * 100, path)) == []
    assert codes(read("[" * 101 + "]" * 101, path)) == ["too-deep"]


def test_a_hundred_megabytes_are_refused_without_being_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.json").open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    tracemalloc.start()
    assert codes(read_file(tmp_path / "huge.json")) == ["too-large"]
    assert tracemalloc.get_traced_memory()[1] < 3 * LIMITS.size
    tracemalloc.stop()
    assert codes(read("é" * (LIMITS.size // 2 + 1), "a.yaml")) == ["too-large"]


def test_aliases_count_as_what_they_stand_for() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    begun = time.process_time()
    assert codes(read("\n".join(lines), "a.yaml")) == ["too-many-values"]
    assert time.process_time() - begun < 1


def test_aliases_of_deep_values_cannot_go_deeper_than_the_limit() -> None:
    lines = ["a0: &a0 [[[[[[[[[[x]]]]]]]]]]"]
    lines += [f"a{n}: &a{n} [[[[[[[[[[*a{n - 1}]]]]]]]]]]" for n in range(1, 12)]
    assert codes(read("\n".join(lines), "a.yaml")) == ["too-deep"]


@pytest.mark.parametrize("path", ["a.json", "a.yaml"])
def test_more_values_than_the_limit_are_refused(path: str) -> None:
    assert codes(read("[" + "1," * LIMITS.values + "1]", path)) == ["too-many-values"]


def test_only_so_many_problems_are_kept_and_the_last_one_says_so() -> None:
    reading = read("{" + '"a": 1,' * 50_000 + "}", "a.json")
    problems = reading.report.problems
    assert len(problems) < 1_000
    assert problems[-1].code.name == "too-many-problems"


@settings(max_examples=300)
@given(SYNTAX | st.text() | st.binary(), st.sampled_from(["a.json", "a.yaml", "a"]))
def test_anything_becomes_a_tree_or_problems(data: str | bytes, path: str) -> None:
    reading = read(data, path)
    assert reading.root is not None or reading.report.problems
    for problem in reading.report.problems:
        place = problem.place
        assert (1, 1) <= (place.line, place.column) < (place.end_line, place.end_column)
        assert "\n" not in problem.message
        assert rendered(problem).isprintable() or "\n" in rendered(problem)
    if reading.root is not None:
        plain(reading.root)
