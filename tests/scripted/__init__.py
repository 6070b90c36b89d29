"""A real OpenAI-compatible HTTP server whose replies, delays and faults are scripted; and its double in the process."""

from tests.scripted.double import Double
from tests.scripted.prompts import told
from tests.scripted.rules import Rule
from tests.scripted.server import ScriptedServer

__all__ = ["Double", "Rule", "ScriptedServer", "told"]
