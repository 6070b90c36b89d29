"""The published JSON Schemas, of events and of the lines of recordings, are those that the code has."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from core.models.recordings.items import LINE
from core.trace.events import EVENT

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize(("name", "adapter"), [("events", EVENT), ("recording", LINE)])
def test_the_published_schema_is_current(name: str, adapter: TypeAdapter[Any]) -> None:
    """If this fails, a change of the format is meant: write the adapter's `json_schema()` to the file."""
    published = (DOCS / f"{name}.schema.json").read_text(encoding="utf-8")
    assert json.loads(published) == adapter.json_schema()
