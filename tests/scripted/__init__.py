"""A real OpenAI-compatible HTTP server whose replies, delays and faults are scripted."""

from tests.scripted.rules import Rule
from tests.scripted.server import ScriptedServer

__all__ = ["Rule", "ScriptedServer"]
