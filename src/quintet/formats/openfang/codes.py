"""The codes of OpenFang workflows."""

from __future__ import annotations

from quintet.problems.codes import Code

MISSING_AGENT = Code(
    "missing-agent",
    "error",
    "a step without an agent",
    "Every step names who does it, by `agent_name` or by `agent_id`. Only a `collect` step needs neither, "
    "since it calls no agent.",
    wrong='{"name": "hello", "steps": [{"name": "greet", "prompt": "Greet {{input}}"}]}',
    right='{"name": "hello", "steps": [{"name": "greet", "prompt": "Greet {{input}}", '
    '"agent_name": "writer"}]}',
)
TWO_AGENTS = Code(
    "two-agents",
    "error",
    "a step with two agents",
    "`agent_name` and `agent_id` are mutually exclusive: two keys could name two agents. Keep one.",
    wrong='{"name": "hello", "steps": [{"agent_name": "writer", '
    '"agent_id": "0b5c1f4e-1f0e-4d3a-9b51-2f1c8f6f3a11"}]}',
    right='{"name": "hello", "steps": [{"agent_name": "writer"}]}',
)
COLLECT_WITHOUT_GROUP = Code(
    "collect-without-group",
    "error",
    "a `collect` step with nothing to collect",
    "`collect` joins the outputs of the nearest group of `fan_out` steps before it, also where other steps "
    "stand between. Here there is no such group.",
    wrong='{"name": "ideas", "steps": [{"agent_name": "writer"}, {"name": "gather", "mode": "collect"}]}',
    right='{"name": "ideas", "steps": [{"agent_name": "writer", "mode": "fan_out"}, '
    '{"name": "gather", "mode": "collect"}]}',
)
NO_EFFECT = Code(
    "no-effect",
    "warning",
    "a key that changes nothing here",
    "The key belongs to another `mode` or `error_mode`, so what it says is never looked at: `condition` is "
    "for `conditional`, `until` and `max_iterations` for `loop`, `max_retries` for `retry`. A `fan_out` step "
    "always fails the run when it fails, whatever its `error_mode`; a `collect` step calls nobody, so it can "
    "neither fail nor take too long.",
    wrong='{"name": "refine", "steps": [{"agent_name": "writer", "until": "DONE"}]}',
    right='{"name": "refine", "steps": [{"agent_name": "writer", "mode": "loop", "until": "DONE"}]}',
)
UNSET_VARIABLE = Code(
    "unset-variable",
    "warning",
    "a placeholder that nothing can have set",
    "`{{name}}` stands for the variable `name`: an earlier step's `output_var`, or an input given with "
    "`-i name=…`. One that is not set stays in the prompt as it stands. There is no space within the braces, "
    "and the steps of a fan-out group do not see each other's variables.",
    wrong='{"name": "short", "steps": [{"agent_name": "writer", "output_var": "summary"}, '
    '{"agent_name": "editor", "prompt": "Shorten: {{sumary}}"}]}',
    right='{"name": "short", "steps": [{"agent_name": "writer", "output_var": "summary"}, '
    '{"agent_name": "editor", "prompt": "Shorten: {{summary}}"}]}',
)
UNUSABLE_VARIABLE = Code(
    "unusable-variable",
    "warning",
    "a variable that no prompt can refer to",
    "`{{input}}` always means the output of the step before, so a variable of that name is out of reach; so "
    "is one without a name, or with braces in it.",
    wrong='{"name": "hello", "steps": [{"agent_name": "writer", "output_var": "input"}]}',
    right='{"name": "hello", "steps": [{"agent_name": "writer", "output_var": "draft"}]}',
)
EMPTY_CONDITION = Code(
    "empty-condition",
    "warning",
    "a condition that always holds",
    "A `conditional` step runs where the output before it contains its `condition`, and every text contains "
    "the empty one.",
    wrong='{"name": "check", "steps": [{"agent_name": "writer", "mode": "conditional"}]}',
    right='{"name": "check", "steps": [{"agent_name": "writer", "mode": "conditional", '
    '"condition": "ERROR"}]}',
)
EMPTY_UNTIL = Code(
    "empty-until",
    "warning",
    "a loop that ends after its first round",
    "A `loop` ends when an output contains its `until`, and every output contains the empty text.",
    wrong='{"name": "refine", "steps": [{"agent_name": "writer", "mode": "loop"}]}',
    right='{"name": "refine", "steps": [{"agent_name": "writer", "mode": "loop", "until": "DONE"}]}',
)
NEVER_RUNS = Code(
    "never-runs",
    "warning",
    "a limit of zero",
    "A loop of at most 0 rounds runs nothing, and an agent that has 0 seconds is too late unless it answers "
    "at once, as only a stand-in does.",
    wrong='{"name": "refine", "steps": [{"agent_name": "writer", "timeout_secs": 0}]}',
    right='{"name": "refine", "steps": [{"agent_name": "writer", "timeout_secs": 60}]}',
)
NO_STEPS = Code(
    "no-steps",
    "warning",
    "a workflow without steps",
    "It can be run, and gives back its input.",
    wrong='{"name": "nothing", "steps": []}',
    right='{"name": "hello", "steps": [{"agent_name": "writer"}]}',
)
UNKNOWN_AGENT = Code(
    "unknown-agent",
    "warning",
    "an agent that does not exist here",
    "The folder of agents, or the script, that was given has no such agent. A run fails when it comes to "
    "this step.",
)
NOT_A_UUID = Code(
    "not-a-uuid",
    "warning",
    "an id that is not a UUID",
    "OpenFang's ids are UUIDs. An agent is never found by another id; use `agent_name` for its name. A "
    "workflow with another id is not loaded by OpenFang itself.",
    wrong='{"name": "hello", "steps": [{"agent_id": "writer"}]}',
    right='{"name": "hello", "steps": [{"agent_name": "writer"}]}',
)
NOT_A_TIME = Code(
    "not-a-time",
    "warning",
    "a time that is not in the form of RFC 3339",
    "OpenFang itself does not load a stored workflow whose `created_at` it cannot read.",
    wrong='{"id": "a1b2c3d4-e5f6-7890-abcd-ef1234567890", "name": "hello", "description": "", '
    '"created_at": "yesterday", "steps": [{"name": "greet", "agent": {"name": "writer"}, '
    '"prompt_template": "{{input}}", "mode": "sequential"}]}',
    right='{"id": "a1b2c3d4-e5f6-7890-abcd-ef1234567890", "name": "hello", "description": "", '
    '"created_at": "2026-01-15T10:30:00Z", "steps": [{"name": "greet", "agent": {"name": "writer"}, '
    '"prompt_template": "{{input}}", "mode": "sequential"}]}',
)

OPENFANG = (
    MISSING_AGENT,
    TWO_AGENTS,
    COLLECT_WITHOUT_GROUP,
    NO_EFFECT,
    UNSET_VARIABLE,
    UNUSABLE_VARIABLE,
    EMPTY_CONDITION,
    EMPTY_UNTIL,
    NEVER_RUNS,
    NO_STEPS,
    UNKNOWN_AGENT,
    NOT_A_UUID,
    NOT_A_TIME,
)
