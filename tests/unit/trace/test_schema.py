"""The published JSON Schema of events is the one that the code has."""

import json
from pathlib import Path

from core.trace.events import EVENT

PUBLISHED = Path(__file__).parents[3] / "docs" / "events.schema.json"


def test_the_published_schema_is_current() -> None:
    """If this fails, a change of an event or an artefact is meant: write EVENT.json_schema() to the file."""
    assert json.loads(PUBLISHED.read_text(encoding="utf-8")) == EVENT.json_schema()
