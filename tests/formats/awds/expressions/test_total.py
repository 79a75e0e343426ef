"""Whatever stands between the braces comes to a value or to an error that says where, and soon."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quintet.engine.values import encode
from quintet.formats.awds.expressions.template import Expression, Template, single, template
from quintet.formats.awds.expressions.tokens import ExpressionError
from quintet.formats.awds.expressions.values import as_json
from tests.formats.awds.expressions.evaluating import scope

WORDS = st.sampled_from(
    [*"()[]{}.,:?!<>+-=&|'\"\\ \n", "${{", "}}", "===", "&&", "||", "steps", "inputs", "item", "true", "null",
     "a", "outputs", "1", "1e999", "0x", ".5", "contains(", "format(", "join(", "toJSON(", "fromJSON(", "é"]
)  # fmt: skip


TEXTS = st.lists(WORDS, max_size=30).map("".join) | st.text(max_size=40)


def evaluation_error(made: Template | Expression) -> ExpressionError | None:
    """What is wrong when it is evaluated; else its value can be written as JSON."""
    try:
        encode(as_json(made.value(scope())))
    except ExpressionError as error:
        return error
    return None


@given(TEXTS)
def test_any_text_is_a_template_or_tells_what_is_wrong_with_it(text: str) -> None:
    errors: list[ExpressionError] = []
    made = template(text, errors)
    for error in errors:
        assert 0 <= error.start <= error.end <= len(text)
    late = None if errors else evaluation_error(made)
    assert late is None or late.text == text


@given(TEXTS)
def test_any_text_is_one_expression_or_tells_what_is_wrong_with_it(text: str) -> None:
    errors: list[ExpressionError] = []
    found = single(text, errors)
    assert (found is None) == bool(errors)
    late = None if found is None else evaluation_error(found)
    assert late is None or text[late.start : late.end]
