"""What makes worked examples and gallery goes on where it was stopped, and says which model answered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.runs.gallery import PIECES, demo_request
from core.runs.store import RunFilter
from core.settings import get_settings
from core.users import APP
from tests.homes import Homes
from tests.scripted import Rule, ScriptedServer
from tools.examples.asking import Asking, Unfinished, settings_of, state_of
from tools.examples.gallery import made
from tools.examples.lessons import worked_examples

QUESTION = "Who founded the Pellamar Ferry Company?"


@pytest.fixture
def endpoint(scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """An endpoint in the environment."""
    for name, value in {"OPENAI_BASE_URL": scripted.base_url, "CHAT_MODEL": "scripted"}.items():
        monkeypatch.setenv(name, value)
    get_settings.cache_clear()
    yield scripted
    get_settings.cache_clear()


def test_the_built_in_model_is_asked_whatever_the_environment_names(endpoint: ScriptedServer) -> None:
    assert settings_of("endpoint").chat_model == "scripted"
    assert not settings_of("builtin").has_chat_endpoint


def test_nothing_is_asked_twice_and_what_is_made_names_its_model(
    endpoint: ScriptedServer, homes: Homes, tmp_path: Path
) -> None:
    shared = tmp_path / state_of(settings_of("endpoint"), "endpoint")
    shared.mkdir()
    homes.join(shared)
    asking = Asking("endpoint", home=tmp_path)
    try:
        assert not asking.goes_on
        endpoint.script(Rule(status=400, times=1))
        with pytest.raises(Unfinished):
            asking.events(demo_request(QUESTION, "plain"))
        endpoint.script(Rule(reply="Ilse Marrack [1]."))
        events = asking.events(demo_request(QUESTION, "plain"))
        assert "run_resumed" in [event.type for event in events]
        asked = len(endpoint.requests)
        assert asking.events(demo_request(QUESTION, "plain")) == events
        assert len(endpoint.requests) == asked
        whole = asking.events(demo_request(QUESTION, "plain"), whole=True)
        assert "run_resumed" not in [event.type for event in whole]
        found = worked_examples(asking, "hyde", 1)
        assert (found.model, found.builtin, found.tried) == ("scripted", False, 1)
        piece = next(piece for piece in PIECES if piece.id == "pellamar-hyde")
        endpoint.script(Rule(reply="It is silent in memory of the wreck [1]."))
        assert '"chat_model":"scripted"' in made(asking, piece).splitlines()[0]
        assert {run.owner for run in asking.bench.store.list(RunFilter())} == {APP.owner}
        again = Asking("endpoint", home=tmp_path)
        assert again.goes_on
        again.close()
    finally:
        asking.close()
