"""Texts that nobody should ever be given, and odd ones that are fine; by name."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from itertools import pairwise
from typing import Literal, TypeAlias

Language: TypeAlias = Literal["json", "yaml", "toml"]

_MANY = 8_000_000
"""About as many bytes as a file may have."""
_NAMES = "abcdefghijklmnopqrstuvwxyz"
_ALIASES = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in pairwise(_NAMES)
)
_MERGES = "m0: &m0 {x: 1}\n" + "".join(f"m{n}: &m{n} {{<<: [*m{n - 1}, *m{n - 1}]}}\n" for n in range(1, 60))

ALWAYS: Mapping[str, bytes] = {
    "no UTF-8": b'{"name": "\xff"}',
    "UTF-16": '{"name": "x"}'.encode("utf-16"),
    "UTF-32": '{"name": "x"}'.encode("utf-32"),
    "binary": bytes(range(256)) * 64,
    "a program": b"\x7fELF\x02\x01\x01" + b"\0" * 64,
    "a NUL": b'{"name": "\0"}',
    "half a surrogate pair as it is": b'{"name": "\xed\xa0\x80"}',
    "control characters": b'{"name": "\x01\x1b[2J"}',
    "one comma": b",",
    "one number": b"1",
    "one text": b'"x"',
    "a list": b"[]",
    "nothing open": b"}",
    "never closed": b'{"name": "x",',
    "an unknown key": b'{"nmae": "x"}',
}
"""Bad in any language, for any purpose."""

IN_LANGUAGE: Mapping[Language, Mapping[str, bytes]] = {
    "json": {
        "half a surrogate pair": b'{"name": "\\ud800"}',
        "a duplicate key": b'{"name": "x", "name": "y"}',
        "a tab in a text": b'{"name": "a\tb"}',
        "no number": b'{"name": NaN}',
        "nothing after a byte order mark": codecs.BOM_UTF8,
        "nothing": b"",
        "only spaces": b" \r\n\t",
    },
    "yaml": {
        "half a surrogate pair": b'name: "\\ud800"',
        "a duplicate key": b"name: x\nname: y",
        "a tab that indents": b"steps:\n\t- name: x",
        "no number": b"name: .nan",
        "an alias of itself": b"a: &a [*a]",
        "an alias of nothing": b"a: *b",
        "a tag that builds": b"!!python/object/apply:os.system [exit]",
        "two documents": b"a: 1\n---\nb: 2",
        "a list as key": b"? [a, b]\n: 1",
        "nothing": b"# nothing at all",
    },
    "toml": {
        "half a surrogate pair": b'name = "\\ud800"',
        "a duplicate key": b'name = "x"\nname = "y"',
        "no number": b"name = nan",
        "a table twice": b"[a]\n[a]",
    },
}

HEAVY: Mapping[Language, Mapping[str, bytes]] = {
    "json": {
        "lists in lists": b"[" * 10_000 + b"]" * 10_000,
        "maps in maps": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        "lists that only begin": b"[" * _MANY,
        "a huge number": b'{"name": ' + b"9" * 1_000_000 + b"}",
        "a huge exponent": b'{"name": 1e' + b"9" * 1000 + b"}",
        "many keys": json.dumps({f"k{number}": number for number in range(90_000)}).encode(),
        "the same key": b"{" + b'"a":1,' * 100_000 + b'"a":1}',
        "backslashes": b'{"' + b"\\" * 2_000_000,
        "a comment": b"/*" * 1_000_000,
    },
    "yaml": {
        "lists in lists": b"- " * 1_000_000,
        "maps in maps": "".join(f"{' ' * depth}a:\n" for depth in range(2_000)).encode(),
        "flow in flow": b"[" * _MANY,
        "aliases of aliases": _ALIASES.encode(),
        "merges of merges": _MERGES.encode(),
        "a huge number": b"name: " + b"9" * 1_000_000,
        "a number to the base of 60": b"name: 1:" + b"59:" * 100_000 + b"59",
        "a huge key": b"k" * 1_000_000 + b": 1",
        "many anchors": b"- &a x\n" * 300_000,
        "documents": b"---\n" * 100_000,
    },
    "toml": {
        "lists in lists": b"a = " + b"[" * 10_000 + b"]" * 10_000,
        "maps in maps": b"a = " + b"{a = " * 10_000 + b"1" + b"}" * 10_000,
        "a long dotted key": b"a" + b".a" * 1_000_000 + b" = 1",
        "a long header": b"[a" + b".a" * 1_000_000 + b"]",
        "a huge number": b"a = " + b"9" * 1_000_000,
        "a huge number to the base of 16": b"a = 0x" + b"f" * 1_000_000,
        "many tables": b"[[t]]\n" * 200_000,
        "many items": b"a = [" + b"1," * 1_000_000 + b"]",
        "quotes": b'"""' + b'\\"""' * 1_000_000,
    },
}
"""What is small to send, and would take long to read or much to hold."""


def odd(text: str, language: Language) -> Mapping[str, bytes]:
    """The same text as odd editors write it, all of it fine."""
    ways = {
        "a byte order mark": codecs.BOM_UTF8 + text.encode(),
        "CRLF": text.replace("\n", "\r\n").encode(),
        "spaces after it": text.encode() + b"  \n\n \n",
    }
    if language != "toml":  # to which CR alone is no line end
        ways["CR"] = text.replace("\n", "\r").encode()
    if language == "json":
        ways["tabs"] = json.dumps(json.loads(text), indent="\t").encode()
    return ways
