"""Sessions beside each other in one process, without a browser: each sees its own run and nothing else."""

from __future__ import annotations

from contextlib import ExitStack

from tests.asking import ask_at_once, load_all, rules, tokens
from tests.browser.conftest import App
from tests.scripted import ScriptedServer


def test_sessions_that_ask_at_once_see_their_own_run_only(
    scripted_app: App, scripted: ScriptedServer
) -> None:
    names = tokens(3)
    scripted.script(*rules(names))
    with ExitStack() as stack:
        asked = ask_at_once(load_all(scripted_app.url, 3, stack), names)
    assert [one.errors for one in asked] == [(), (), ()]
    assert [one.foreign for one in asked] == [frozenset()] * 3
    assert all(one.answer for one in asked)
