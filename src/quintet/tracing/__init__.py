"""Tracing: what a log tells of a run, as spans and metrics of OpenTelemetry, sent where the project says."""
