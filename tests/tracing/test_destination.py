"""Where traces go: what the environment says goes before what the project says."""

from __future__ import annotations

import pytest

from quintet.tracing.destination import Target, destination, environment_secrets, wants_content
from quintet.tracing.settings import TracingSettings

PROJECT = TracingSettings("http://project:4318/", {"x-key": "of the project"}, service_name="ours")
GENERAL = {"OTEL_EXPORTER_OTLP_ENDPOINT": "https://everywhere/otlp"}


def targets(settings: TracingSettings, environment: dict[str, str]) -> dict[str, str]:
    found = destination(settings, environment)
    return {} if found is None else {signal: target.url for signal, target in found.targets}


def test_both_signals_go_below_the_endpoint_of_the_project() -> None:
    assert targets(PROJECT, {}) == {
        "traces": "http://project:4318/v1/traces",
        "metrics": "http://project:4318/v1/metrics",
    }


def test_the_environment_goes_before_the_project_and_does_not_get_its_headers() -> None:
    found = destination(PROJECT, GENERAL)
    assert found is not None
    assert dict(found.targets)["traces"] == Target("https://everywhere/otlp/v1/traces")
    assert targets(PROJECT, {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/x"}) == {
        "traces": "http://t/x",
        "metrics": "http://project:4318/v1/metrics",
    }


def test_one_signal_alone_can_be_sent() -> None:
    nothing = TracingSettings()
    assert targets(nothing, {"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://m/"}) == {"metrics": "http://m/"}
    assert set(targets(PROJECT, {"OTEL_TRACES_EXPORTER": "none"})) == {"metrics"}


def test_the_service_is_named_by_the_environment_the_project_or_us() -> None:
    for settings, environment, name in (
        (PROJECT, {"OTEL_SERVICE_NAME": "theirs"}, "theirs"),
        (PROJECT, {}, "ours"),
        (TracingSettings(), GENERAL, "quintet"),
    ):
        found = destination(settings, environment)
        assert found is not None
        assert found.service == name


@pytest.mark.parametrize(
    ("said", "wanted"), [("true", True), ("SPAN_ONLY", True), ("false", False), ("NO_CONTENT", False)]
)
def test_the_environment_says_whether_content_is_sent(said: str, wanted: bool) -> None:
    environment = {"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": said}
    assert wants_content(TracingSettings(content=not wanted), environment) is wanted
    assert wants_content(TracingSettings(content=wanted), {}) is wanted


def test_headers_are_secrets_with_their_scheme_and_without() -> None:
    environment = {"OTEL_EXPORTER_OTLP_HEADERS": "a=one,b=Bearer%20two"}
    assert {"one", "Bearer two", "two"} <= set(environment_secrets(environment))
    assert set(TracingSettings(headers={"a": "Basic three"}).secrets) == {"Basic three", "three"}
    shown = repr(destination(TracingSettings("http://c", {"a": "hidden-one"}), {}))
    assert "hidden-one" not in shown


def test_an_address_is_shown_without_what_is_secret_in_it() -> None:
    assert Target("https://me:word@host:1/v1/traces?key=x").place == "https://host:1"
