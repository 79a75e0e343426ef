"""The codes that all formats share: what can be wrong with reading a file, and with its shape."""

from __future__ import annotations

from quintet.problems.codes import Code

# --- the file -----------------------------------------------------------------------------------------

CANNOT_READ = Code(
    "cannot-read",
    "error",
    "the file cannot be read",
    "There is no such file, it is a folder, or you may not read it. Check the path, and where the command "
    "was started: relative paths begin there.",
)
TOO_LARGE = Code(
    "too-large",
    "error",
    "the file is too large for a workflow",
    "A definition may have 8 MiB. Data that a workflow works on belongs in its input or in files that its "
    "agents read, not in the definition.",
)
NOT_UTF_8 = Code(
    "not-utf-8",
    "error",
    "the file is not UTF-8 text",
    "Definitions are UTF-8, with or without a byte order mark. Save the file as UTF-8 in your editor; the "
    "position is that of the first byte that does not fit.",
)
EMPTY_FILE = Code(
    "empty-file",
    "error",
    "the file says nothing",
    "It is empty, or there are only comments in it. `quintet new FORMAT` prints a small valid file.",
    wrong="# only a comment\n",
    language="yaml",
)
CONTROL_CHARACTER = Code(
    "control-character",
    "error",
    "a character that cannot stand in a text file",
    "Control characters and halves of surrogate pairs cannot be stored or shown, and hint at a file that was "
    "damaged or is no text. In JSON a line break within a text is written `\\n`, a tab `\\t`.",
    wrong='{"name": "two\nlines", "steps": []}',
    right='{"name": "two\\nlines", "steps": [{"agent_name": "writer"}]}',
)
TOO_DEEP = Code(
    "too-deep",
    "error",
    "lists and maps are nested too deep",
    "A definition may be nested 100 levels deep. No workflow needs more, and deeper ones have been used to "
    "crash programs.",
)
TOO_MANY_VALUES = Code(
    "too-many-values",
    "error",
    "the file holds too many values",
    "A definition may hold 200,000 values. In YAML an alias counts as often as all that it stands for: a few "
    "lines of aliases of aliases could otherwise stand for more than fits into memory.",
)
TOO_MANY_PROBLEMS = Code(
    "too-many-problems",
    "error",
    "there are more problems than are shown",
    "Mend those that are shown and check again. Often they have one cause: a file of another format, or one "
    "key misspelt by a program that wrote it.",
)

# --- JSON and YAML ------------------------------------------------------------------------------------

JSON_SYNTAX = Code(
    "json-syntax",
    "error",
    "the file is not JSON",
    "JSON is read as it is defined, and besides that with comments (`//` and `/* */`) and with a comma after "
    "the last item. Keys and texts stand in double quotes.",
    wrong="{'name': 'hello', 'steps': []}",
    right='{"name": "hello", "steps": [{"agent_name": "writer"}]}  // comments are fine',
)
YAML_SYNTAX = Code(
    "yaml-syntax",
    "error",
    "the file is not YAML",
    "Often a text needs quotes: one that begins with `{`, `[`, `@`, `*`, `&`, `!` or a quote, or that holds "
    "a colon followed by a space. Lines are indented with spaces, never with tabs.",
    wrong="name: code: review\nsteps: []\n",
    right='name: "code: review"\nsteps: [{agent_name: writer}]\n',
    language="yaml",
)
TOML_SYNTAX = Code(
    "toml-syntax",
    "error",
    "the file is not TOML",
    "Agents and settings are written in TOML. Texts stand in quotes, a table begins with a line `[name]`, "
    "and no key may stand twice in a table.",
)
DUPLICATE_KEY = Code(
    "duplicate-key",
    "error",
    "a key stands twice in one map",
    "Other readers silently take one of the two, and not all the same one. Remove or rename one.",
    wrong='{"name": "first", "name": "second", "steps": []}',
    right='{"name": "second", "steps": [{"agent_name": "writer"}]}',
)
NUMBER_RANGE = Code(
    "number-range",
    "error",
    "a number that not every reader could hold",
    "Whole numbers may have 64 bits, others must be finite: JSON has neither `NaN` nor `Infinity`. Write it "
    "as a text, in quotes, if it is not for counting.",
    wrong="name: huge\nsteps: [{agent_name: writer, timeout_secs: .inf}]\n",
    right="name: huge\nsteps: [{agent_name: writer, timeout_secs: 3600}]\n",
    language="yaml",
)
SEVERAL_DOCUMENTS = Code(
    "several-documents",
    "error",
    "more than one YAML document in a file",
    "A line `---` begins another document. A file defines one workflow; put the others into other files.",
    wrong="name: one\nsteps: []\n---\nname: two\nsteps: []\n",
    right="name: one\nsteps: [{agent_name: writer}]\n",
    language="yaml",
)
YAML_TAG = Code(
    "yaml-tag",
    "error",
    "a YAML tag that asks for something else than data",
    "Definitions are data: texts, numbers, `true`, `false`, `null`, lists and maps. Tags that name other "
    "types, such as `!!python/object`, are refused and never acted on.",
    wrong="name: !!python/name:os.system\nsteps: []\n",
    right="name: system\nsteps: [{agent_name: writer}]\n",
    language="yaml",
)
YAML_ALIAS = Code(
    "yaml-alias",
    "error",
    "a YAML alias without an anchor",
    "`*name` stands for the value marked `&name` earlier in the file; it cannot stand for a value that it is "
    "itself a part of. A text that begins with `*` needs quotes.",
    wrong="name: *title\nsteps: []\n",
    right='name: "*title"\nsteps: [{agent_name: writer}]\n',
    language="yaml",
)
YAML_KEY = Code(
    "yaml-key",
    "error",
    "a key that is not a text",
    "Keys are texts; lists and maps cannot be keys. Where a text begins with `{{`, YAML reads a map within a "
    "map: put the text in quotes.",
    wrong="name: hello\nsteps: [{agent_name: writer, prompt: {{input}}}]\n",
    right='name: hello\nsteps: [{agent_name: writer, prompt: "{{input}}"}]\n',
    language="yaml",
)
YAML_MERGE = Code(
    "yaml-merge",
    "error",
    "`<<` merges something that is not a map",
    "`<<: *name` takes over the keys of a map, or of each map in a list, that the map itself does not have. "
    "If you mean a key of this name, put it in quotes.",
    wrong="name: hello\n<<: text\nsteps: []\n",
    right="name: hello\nsteps:\n  - &first {agent_name: writer, timeout_secs: 60}\n"
    "  - {<<: *first, agent_name: critic}\n",
    language="yaml",
)

# --- which format -------------------------------------------------------------------------------------

UNKNOWN_FORMAT = Code(
    "unknown-format",
    "error",
    "none of the known formats",
    "Which format a file has is told by its keys. Where they are not enough, name it: `--format openfang`.",
    wrong='{"colour": "green"}',
    right='{"name": "hello", "steps": [{"agent_name": "writer"}]}',
)
AMBIGUOUS_FORMAT = Code(
    "ambiguous-format",
    "error",
    "the file could be of more than one format",
    "It has the keys of several formats. Name the one you mean: `--format openfang`.",
)

# --- the shape ----------------------------------------------------------------------------------------

UNKNOWN_KEY = Code(
    "unknown-key",
    "error",
    "a key that means nothing here",
    "What a file says is never skipped silently: a misspelt key would otherwise quietly leave its default in "
    "place. `--lenient` makes a warning of it.",
    wrong='{"name": "hello", "steps": [{"agent_name": "writer", "timeout": 60}]}',
    right='{"name": "hello", "steps": [{"agent_name": "writer", "timeout_secs": 60}]}',
)
MISSING_KEY = Code(
    "missing-key",
    "error",
    "a key that must be there is missing",
    "The key has no default. Add it to the map that the position points at.",
    wrong='{"name": "hello", "description": "nothing to do"}',
    right='{"name": "hello", "steps": [{"agent_name": "writer"}]}',
)
WRONG_TYPE = Code(
    "wrong-type",
    "error",
    "a value of the wrong kind",
    "A number in quotes is a text, and so is `yes`; `5.0` is not a whole number. Nothing is converted.",
    wrong='{"name": "hello", "steps": [{"agent_name": "writer", "timeout_secs": "60"}]}',
    right='{"name": "hello", "steps": [{"agent_name": "writer", "timeout_secs": 60}]}',
)
UNKNOWN_VALUE = Code(
    "unknown-value",
    "error",
    "a word that is not one of those that can stand here",
    "The message lists the words that are known. They are compared exactly, capitals included.",
    wrong='{"name": "hello", "steps": [{"agent_name": "writer", "mode": "parallel"}]}',
    right='{"name": "hello", "steps": [{"agent_name": "writer", "mode": "fan_out"}]}',
)
OUT_OF_RANGE = Code(
    "out-of-range",
    "error",
    "a number that is too small or too large",
    "The message tells the limits, which are those of the format.",
    wrong='{"name": "hello", "steps": [{"agent_name": "writer", "timeout_secs": -1}]}',
    right='{"name": "hello", "steps": [{"agent_name": "writer", "timeout_secs": 60}]}',
)

SHARED = (
    CANNOT_READ,
    TOO_LARGE,
    NOT_UTF_8,
    EMPTY_FILE,
    CONTROL_CHARACTER,
    TOO_DEEP,
    TOO_MANY_VALUES,
    TOO_MANY_PROBLEMS,
    JSON_SYNTAX,
    YAML_SYNTAX,
    TOML_SYNTAX,
    DUPLICATE_KEY,
    NUMBER_RANGE,
    SEVERAL_DOCUMENTS,
    YAML_TAG,
    YAML_ALIAS,
    YAML_KEY,
    YAML_MERGE,
    UNKNOWN_FORMAT,
    AMBIGUOUS_FORMAT,
    UNKNOWN_KEY,
    MISSING_KEY,
    WRONG_TYPE,
    UNKNOWN_VALUE,
    OUT_OF_RANGE,
)
