"""Mutations: a text that was fine, with a few things done to it that hands and programs do to texts."""

from __future__ import annotations

from random import Random

PIECES = (
    *"{}[]\":,#-&*!|>?%@=.\\'\t\n\r \0",
    *("null", "true", "~", "0", "-1", "1e999", "9" * 30, ".nan", "nan", "inf", "0x1F", "1:30", "12:30:00"),
    *('""', "''", '"""', "'''", "[]", "{}", "[[a]]", "[a.b]", "{{", "}}", "{{input}}", "<<: *x", "&x ", "*x"),
    *("\ufeff", "\u2028", "\x85", "\u202e", "\x1b[2J", "\\ud800", "\\u0000", "é", "漢", "🎉", "a\u0301"),
    *("name", "name: x\n", '"name": 1, ', "agents", "steps", "mode", "fan_out", "collect", "loop", "!!str "),
    *("---\n", "...\n", "%YAML 1.1\n", "//", "/*", "  ", "x" * 300, "[" * 150, "{a: " * 150, "a." * 150),
)


def mutated(text: str, random: Random) -> bytes:
    """The text after one to four changes."""
    for _ in range(random.randint(1, 4)):
        text = _changed(text, random)
    data = text.encode("utf-8", "surrogatepass")
    if random.random() < 0.1:
        at = random.randint(0, len(data))
        data = data[:at] + bytes([random.randint(128, 255)]) + data[at:]
    return data


def _changed(text: str, random: Random) -> str:
    start = random.randint(0, len(text))
    end = min(len(text), start + random.choice((0, 1, 1, 3, 10, 100)))
    match random.randint(0, 4):
        case 0:  # something is left out
            return text[:start] + text[end:]
        case 1:  # stands there twice
            return text[:end] + text[start:]
        case 2:  # is replaced
            return text[:start] + random.choice(PIECES) + text[end:]
        case 3:  # comes between
            return text[:start] + random.choice(PIECES) + text[start:]
        case _:  # a line is moved
            lines = text.split("\n")
            line = lines.pop(random.randrange(len(lines)))
            lines.insert(random.randint(0, len(lines)), line)
            return "\n".join(lines)
