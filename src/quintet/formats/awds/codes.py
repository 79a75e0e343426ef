"""The codes of AWDS workflows."""

from __future__ import annotations

from quintet.problems.codes import Code


def _flow(steps: str, version: str = 'version: "1.0"\n') -> str:
    return f"{version}workflow:\n  steps:\n{steps}"


def _step(name: str, *, agent: str = 'systemPrompt: S, input: "go", resultSchema: {}', more: str = "") -> str:
    return f"    - {{type: run, id: {name}, {more}agent: {{{agent}}}}}\n"


_FINE = _flow(_step("one"))

MISSING_VERSION = Code(
    "missing-version",
    "warning",
    "a workflow that does not say its version",
    'The format requires `version: "1.0"` at the top; its examples leave it out. Without it 1.0 is meant.',
    wrong=_flow(_step("one"), version=""),
    right=_FINE,
    language="yaml",
)
MISSING_INPUT = Code(
    "missing-input",
    "warning",
    "an agent without input",
    "The format requires `input`, the message that the agent receives; its own examples leave it out where "
    "the `systemPrompt` says all. Without it the message is `Please proceed.`, and nothing more.",
    wrong=_flow(_step("one", agent="systemPrompt: S, resultSchema: {}")),
    right=_FINE,
    language="yaml",
)
STRUCTURED_INPUT = Code(
    "structured-input",
    "warning",
    "an input that is not a text",
    "The format says that `input` is a text, and its own examples give a map. A map or a list reaches the "
    "agent as JSON, indented by two spaces, its keys in the order of the file.",
    wrong=_flow(_step("one", agent="systemPrompt: S, input: {ticket: 1}, resultSchema: {}")),
    right=_FINE,
    language="yaml",
)
MISSING_SCHEMA = Code(
    "missing-result-schema",
    "warning",
    "an agent without a schema of its result",
    "The format requires `resultSchema`; its own examples leave it out. Without it any answer will do: the "
    "result is the JSON that the agent answers with, or else its text.",
    wrong=_flow(_step("one", agent="systemPrompt: S, input: go")),
    right=_FINE,
    language="yaml",
)
ALL_FUNCTIONS = Code(
    "all-functions",
    "warning",
    "an empty list that allows every function",
    '"Empty array means all functions are allowed." Who reads the list will take it for none; leave '
    "`attachedFunctions` out if you mean all, and list those that the agent needs if you do not.",
    wrong=_flow(_step("one", agent="systemPrompt: S, input: go, resultSchema: {}, attachedFunctions: []")),
    right=_FINE,
    language="yaml",
)
AMBIGUOUS_FUNCTION = Code(
    "ambiguous-function",
    "error",
    "two functions that the agent cannot tell apart",
    "An agent sees the function `getCustomer` of the service `customer` as the tool `customer_getCustomer`. "
    "Here two functions come to the same name.",
    wrong=_flow(
        _step(
            "one",
            agent="systemPrompt: S, input: go, resultSchema: {}, attachedFunctions: "
            "[{service: a_b, function: c}, {service: a, function: b_c}]",
        )
    ),
    right=_flow(
        _step(
            "one",
            agent="systemPrompt: S, input: go, resultSchema: {}, attachedFunctions: "
            "[{service: ab, function: c}, {service: a, function: bc}]",
        )
    ),
    language="yaml",
)
UNUSABLE_ID = Code(
    "unusable-id",
    "error",
    "a step that nothing can name",
    "A step's id stands in results, in `depends_on` and in expressions: it must not be empty.",
    wrong=_flow(_step("''")),
    right=_FINE,
    language="yaml",
)
DUPLICATE_STEP = Code(
    "duplicate-step",
    "error",
    "two steps with one id",
    "`depends_on` and `steps.<id>` could mean either. Rename one.",
    wrong=_flow(_step("one") + _step("one")),
    right=_flow(_step("one") + _step("two")),
    language="yaml",
)
UNKNOWN_DEPENDENCY = Code(
    "unknown-dependency",
    "error",
    "a step depends on one that does not exist",
    "`depends_on` lists the ids of steps of this workflow, exactly as they are written there.",
    wrong=_flow(_step("fetch") + _step("use", more="depends_on: [fetsh], ")),
    right=_flow(_step("fetch") + _step("use", more="depends_on: [fetch], ")),
    language="yaml",
)
CYCLE = Code(
    "dependency-cycle",
    "error",
    "steps that wait for each other",
    "A step begins when all steps in its `depends_on` have completed. Steps in a circle, or a step that "
    "depends on itself, never would.",
    wrong=_flow(_step("one", more="depends_on: [two], ") + _step("two", more="depends_on: [one], ")),
    right=_flow(_step("one") + _step("two", more="depends_on: [one], ")),
    language="yaml",
)
NO_STEPS = Code(
    "empty-workflow",
    "warning",
    "a workflow without steps",
    "It can be run, and does nothing.",
    wrong='version: "1.0"\nworkflow: {steps: []}\n',
    right=_FINE,
    language="yaml",
)
EXPRESSION = Code(
    "expression",
    "error",
    "an expression that cannot be read",
    "Between `${{` and `}}` stands one expression: `steps.<id>.outputs`, `inputs.<name>` or `item`, with "
    "members, indexes, literals, `=== !== == != < <= > >= && || ! ?:` and `+`, and the functions contains, "
    "startsWith, endsWith, format, join, toJSON and fromJSON. `if` and `for_each` hold one expression and "
    "nothing else.",
    wrong=_flow(_step("one", more='if: "${{ inputs.urgent = true }}", ')),
    right=_flow(_step("one", more='if: "${{ inputs.urgent === true }}", ')),
    language="yaml",
)
UNKNOWN_STEP = Code(
    "unknown-step",
    "error",
    "an expression refers to a step that does not exist",
    "`steps.<id>` names a step of this workflow, exactly as its `id` is written.",
    wrong=_flow(
        _step("fetch")
        + _step(
            "use",
            more="depends_on: [fetch], ",
            agent='systemPrompt: S, input: "${{ steps.fetsh.outputs.result }}", resultSchema: {}',
        )
    ),
    right=_flow(
        _step("fetch")
        + _step(
            "use",
            more="depends_on: [fetch], ",
            agent='systemPrompt: S, input: "${{ steps.fetch.outputs.result }}", resultSchema: {}',
        )
    ),
    language="yaml",
)
NOT_BEFORE = Code(
    "step-not-before",
    "error",
    "an expression refers to a step that may not have completed",
    '"References to step outputs MUST refer to completed steps": to those in `depends_on`, and to those that '
    "these depend on.",
    wrong=_flow(
        _step("fetch")
        + _step("use", agent='systemPrompt: S, input: "${{ steps.fetch.outputs.result }}", resultSchema: {}')
    ),
    right=UNKNOWN_STEP.right,
    language="yaml",
)
NO_ITEM = Code(
    "no-item",
    "error",
    "`item` where there is none",
    '"The `item` context is only available in steps with `for_each`": in the agent of such a step. `if` and '
    "`for_each` themselves are looked at once, before there is an item.",
    wrong=_flow(_step("one", agent='systemPrompt: S, input: "${{ item }}", resultSchema: {}')),
    right=_flow(
        _step(
            "one",
            more='for_each: "${{ inputs.list }}", ',
            agent='systemPrompt: S, input: "${{ item }}", resultSchema: {}',
        )
    ),
    language="yaml",
)
UNKNOWN_OUTPUT = Code(
    "unknown-output",
    "warning",
    "something that no step puts out",
    "A step has `outputs`, and these have `status` and `result`; what the agent answered is in the `result`. "
    "What is not there is undefined: nothing in a text, and false in a condition.",
    wrong=_flow(
        _step("fetch")
        + _step(
            "use",
            more="depends_on: [fetch], ",
            agent='systemPrompt: S, input: "${{ steps.fetch.outputs.name }}", resultSchema: {}',
        )
    ),
    right=UNKNOWN_STEP.right,
    language="yaml",
)
BAD_SCHEMA = Code(
    "result-schema",
    "error",
    "a schema that is none",
    "`resultSchema` must conform to JSON Schema, draft 2020-12, and its references must lead to something "
    "within it.",
    wrong=_flow(_step("one", agent="systemPrompt: S, input: go, resultSchema: {type: text}")),
    right=_flow(_step("one", agent="systemPrompt: S, input: go, resultSchema: {type: string}")),
    language="yaml",
)
REMOTE_SCHEMA = Code(
    "remote-schema",
    "error",
    "a schema that refers to another document",
    "Nothing is fetched to check an answer: neither from the network nor from a file. Put the schema that is "
    "referred to into `$defs`, and refer to it as `#/$defs/NAME`.",
    wrong=_flow(
        _step(
            "one",
            agent='systemPrompt: S, input: go, resultSchema: {$ref: "file:///tmp/customer.json"}',
        )
    ),
    right=_flow(
        _step(
            "one",
            agent='systemPrompt: S, input: go, resultSchema: {$ref: "#/$defs/customer", '
            "$defs: {customer: {type: object}}}",
        )
    ),
    language="yaml",
)
OTHER_DRAFT = Code(
    "other-draft",
    "warning",
    "a schema of another draft",
    "The format says that `resultSchema` must conform to draft 2020-12. The schema is read by the draft that "
    "it names.",
    wrong=_flow(
        _step(
            "one",
            agent="systemPrompt: S, input: go, "
            'resultSchema: {$schema: "http://json-schema.org/draft-07/schema#"}',
        )
    ),
    right=_flow(
        _step(
            "one",
            agent="systemPrompt: S, input: go, "
            'resultSchema: {$schema: "https://json-schema.org/draft/2020-12/schema"}',
        )
    ),
    language="yaml",
)

AWDS = (
    MISSING_VERSION,
    MISSING_INPUT,
    STRUCTURED_INPUT,
    MISSING_SCHEMA,
    ALL_FUNCTIONS,
    AMBIGUOUS_FUNCTION,
    UNUSABLE_ID,
    DUPLICATE_STEP,
    UNKNOWN_DEPENDENCY,
    CYCLE,
    NO_STEPS,
    EXPRESSION,
    UNKNOWN_STEP,
    NOT_BEFORE,
    NO_ITEM,
    UNKNOWN_OUTPUT,
    BAD_SCHEMA,
    REMOTE_SCHEMA,
    OTHER_DRAFT,
)
