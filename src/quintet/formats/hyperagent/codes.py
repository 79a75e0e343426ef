"""The codes of Hyperagent workflows."""

from __future__ import annotations

from quintet.problems.codes import Code

_FILE = """{
  "id": "hello.v1",
  "sessions": {"roles": [{"role": "writer"}]},
  "parsers": {"note": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
  "roles": {"writer": {"systemPrompt": "You write.", "parser": "note"}},
  "flow": {
    "round": {
      "steps": [
        {"key": "write", "role": "writer", "prompt": ["{{user.instructions}}"]}
      ],
      "maxRounds": 1,
      "defaultOutcome": {"outcome": "done", "reason": "written"}
    }
  }
}"""


def _with(old: str, new: str) -> str:
    assert old in _FILE
    return _FILE.replace(old, new)


def _exit(transition: str) -> str:
    return _with(
        '{{user.instructions}}"]',
        f'{{{{user.instructions}}}}"], "exits": [\n          {transition}\n        ]',
    )


EMPTY_VALUE = Code(
    "empty-value",
    "error",
    "a text, a list or a map with nothing in it",
    "Names and prompts say something; there is at least one role, one session, one step, and one section in "
    "a prompt.",
    wrong=_with('["{{user.instructions}}"]', "[]"),
    right=_FILE,
)
DUPLICATE_STEP = Code(
    "duplicate-step-key",
    "error",
    "two steps of one key",
    "`next`, `nextStep` and `{{steps.KEY…}}` name a step by its key, so each key stands for one step.",
    wrong=_with(
        '"]}\n      ]', '"]},\n        {"key": "write", "role": "writer", "prompt": ["Shorten it."]}\n      ]'
    ),
    right=_with(
        '"]}\n      ]', '"]},\n        {"key": "cut", "role": "writer", "prompt": ["Shorten it."]}\n      ]'
    ),
)
UNKNOWN_STEP = Code(
    "unknown-step-key",
    "error",
    "a reference to a step that there is none of",
    "`start`, `next` and `nextStep` name a step of the round by its `key`.",
    wrong=_with('"steps": [', '"start": "wriet",\n      "steps": ['),
    right=_with('"steps": [', '"start": "write",\n      "steps": ['),
)
UNKNOWN_ROLE = Code(
    "unknown-role",
    "error",
    "a reference to a role that there is none of",
    "The `role` of a step and of a session is a key of `roles`.",
    wrong=_with('"role": "writer", "prompt"', '"role": "wirter", "prompt"'),
    right=_FILE,
)
NO_SESSION = Code(
    "no-session",
    "error",
    "a role that takes a turn and has no session",
    "Every role that takes a turn has an entry in `sessions.roles`: its conversation goes on from turn to "
    "turn.",
    wrong=_with(
        '"parser": "note"}}',
        '"parser": "note"},\n    "critic": {"systemPrompt": "You judge.", "parser": "note"}}',
    ).replace('"role": "writer", "prompt"', '"role": "critic", "prompt"'),
    right=_FILE,
)
UNKNOWN_PARSER = Code(
    "unknown-parser",
    "error",
    "a reference to a parser that there is none of",
    "The `parser` of a role is a key of `parsers`.",
    wrong=_with('"parser": "note"', '"parser": "notes"'),
    right=_FILE,
)
NO_TARGET = Code(
    "no-target",
    "error",
    "a transition that leads nowhere",
    "A transition either ends the run, with an `outcome`, or goes on with a step, with `nextStep`.",
    wrong=_exit('{"condition": "always"}'),
    right=_exit('{"condition": "always", "outcome": "done", "reason": "written"}'),
)
NO_REASON = Code(
    "no-reason",
    "error",
    "an outcome without a reason",
    "If `outcome` is set, `reason` becomes mandatory: people want to know why a run has ended.",
    wrong=_exit('{"condition": "always", "outcome": "done"}'),
    right=_exit('{"condition": "always", "outcome": "done", "reason": "{{parsed.text}}"}'),
)
NO_COMPARATOR = Code(
    "no-comparator",
    "error",
    "a comparison that compares nothing",
    "Beside `field` stands at least one of `equals`, `notEquals`, `includes`, `in`, `notIn`, `matches` and "
    "`exists`.",
    wrong=_exit('{"condition": {"field": "parsed.text"}, "outcome": "done", "reason": "written"}'),
    right=_exit(
        '{"condition": {"field": "parsed.text", "exists": true}, "outcome": "done", "reason": "written"}'
    ),
)
PATTERN_UNSUPPORTED = Code(
    "unsupported-pattern",
    "error",
    "a regular expression that cannot be matched in bounded time",
    "What looks ahead or behind, refers back to a group, or counts beyond a thousand takes an engine that "
    "goes back and tries again, and a few characters can keep such an engine busy for years. Say it with "
    "several comparators, or with several conditions in `all` and `any`.",
    wrong=_exit(
        '{"condition": {"field": "parsed.text", "matches": "^(?!draft)"}, "outcome": "done", "reason": "ok"}'
    ),
    right=_exit(
        '{"condition": {"field": "parsed.text", "matches": "^final"}, "outcome": "done", "reason": "final"}'
    ),
)
STEP_KIND = Code(
    "unsupported-step",
    "error",
    "a kind of step that cannot be run yet",
    "Steps of type `agent` are run. Those of type `cli`, which run a program on this machine, `workflow`, "
    "which run another workflow, and `transform` come with a later release; nothing of such a workflow is "
    "run until then.",
    wrong=_with('"key": "write", ', '"key": "write", "type": "cli", '),
    right=_FILE,
)
PATTERN_INVALID = Code(
    "invalid-pattern",
    "warning",
    "a text that is no regular expression",
    "A pattern that is none matches nothing, so the condition never holds.",
    wrong=_exit(
        '{"condition": {"field": "parsed.text", "matches": "(done"}, "outcome": "done", "reason": "ok"}'
    ),
    right=_exit(
        '{"condition": {"field": "parsed.text", "matches": "\\\\(done"}, "outcome": "done", "reason": "ok"}'
    ),
)
READS_NOTHING = Code(
    "reads-nothing",
    "warning",
    "a template or a condition that reads what can never be there",
    "What a path leads to is known before anything runs: the inputs that `user` declares, the keys that are "
    "set in the state, the steps of the round, and what the parser of a role lets through. A path that leads "
    "nowhere renders to nothing. `parsed` and `raw` are those of the step that has just ended, so a prompt "
    "does not see them: there it is `{{steps.KEY.parsed…}}`, or the state.",
    wrong=_exit('{"condition": "always", "outcome": "done", "reason": "{{parsed.txt}}"}'),
    right=_exit('{"condition": "always", "outcome": "done", "reason": "{{parsed.text}}"}'),
)
IGNORED_KEY = Code(
    "ignored-key",
    "warning",
    "a key that is never looked at",
    "The bootstrap is followed by the first round, whatever its `next`, `transitions` and `exits` say; "
    "beside `any` or `all` a condition has no other key; of a transition with an `outcome`, `nextStep` is "
    "not looked at.",
    wrong=_exit('{"condition": "always", "outcome": "done", "reason": "ok", "nextStep": "write"}'),
    right=_exit('{"condition": "always", "outcome": "done", "reason": "ok"}'),
)
REPEATED_SESSION = Code(
    "repeated-session",
    "warning",
    "a second session of one role",
    "A role has one session, which all its turns share; the first entry says what it is called.",
    wrong=_with('[{"role": "writer"}]', '[{"role": "writer"}, {"role": "writer"}]'),
    right=_FILE,
)
UNUSED = Code(
    "unused",
    "warning",
    "a role or a parser that nothing refers to",
    "A role that takes no turn, or a parser that no role has, is often a name misspelt elsewhere.",
    wrong=_with('"parsers": {', '"parsers": {"draft": {"type": "unknown"}, '),
    right=_FILE,
)
NEVER_REACHED = Code(
    "never-reached",
    "warning",
    "a step that nothing leads to",
    "A round begins with `start`, or else the first step, and goes on with `nextStep`, `next`, or the step "
    "behind. No way leads to this one.",
    wrong=_with(
        '"]}\n      ]',
        '"], "next": "end"},\n        {"key": "cut", "role": "writer", "prompt": ["Shorten it."]},\n'
        '        {"key": "end", "role": "writer", "prompt": ["Sign it."]}\n      ]',
    ),
    right=_with(
        '"]}\n      ]',
        '"]},\n        {"key": "cut", "role": "writer", "prompt": ["Shorten it."]},\n'
        '        {"key": "end", "role": "writer", "prompt": ["Sign it."]}\n      ]',
    ),
)
NO_VERSION = Code(
    "no-version",
    "warning",
    "an id without a version",
    "Pick a stable id and a version suffix, such as `review.v1`: runs are told apart by it when the workflow "
    "changes.",
    wrong=_with('"hello.v1"', '"hello"'),
    right=_FILE,
)
ROLE_TOOLS = Code(
    "role-tools",
    "warning",
    "tools that a role does not have yet",
    "`tools` says what a role may do in its workspace. These tools come with a later release; until then a "
    "role has none of them.",
    wrong=_with('"parser": "note"}', '"parser": "note", "tools": {"read": true}}'),
    right=_with('"parser": "note"}', '"parser": "note", "tools": {"read": false}}'),
)

HYPERAGENT = (
    EMPTY_VALUE,
    DUPLICATE_STEP,
    UNKNOWN_STEP,
    UNKNOWN_ROLE,
    NO_SESSION,
    UNKNOWN_PARSER,
    NO_TARGET,
    NO_REASON,
    NO_COMPARATOR,
    PATTERN_UNSUPPORTED,
    STEP_KIND,
    PATTERN_INVALID,
    READS_NOTHING,
    IGNORED_KEY,
    REPEATED_SESSION,
    UNUSED,
    NEVER_REACHED,
    NO_VERSION,
    ROLE_TOOLS,
)
