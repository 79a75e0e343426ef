"""Servers that stand in for providers in tests: real sockets, and every bad day that a provider can have."""
