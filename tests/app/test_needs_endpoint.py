"""Forms that cannot be sent, and say so: a strategy that the built-in model cannot run, a budget that is spent."""

from __future__ import annotations

import pytest

from core.models.spending import DayBudget
from core.runs.workbench import Workbench
from core.settings import Settings
from core.ui.playground import form
from core.ui.shell.models import BUILTIN_OPTION, Option
from tests.app.pages import app, picked

KEY = "search-o1"


@pytest.mark.parametrize(
    ("path", "send"),
    [("", "ask"), ("pages/compare.py", "compare-ask"), ("pages/evaluate.py", "evaluation-start")],
)
def test_a_form_says_that_another_model_is_needed(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, path: str, send: str
) -> None:
    monkeypatch.setattr(Settings, "has_chat_endpoint", False)
    page = app(path, model=BUILTIN_OPTION)
    if path:
        next(one for one in page.selectbox if (one.key or "").endswith("-strategy")).set_value(KEY).run()
    else:
        picked(page, KEY)
    assert not page.exception
    said = [one.value for one in (*page.info, *page.warning)]
    assert any("Reasoning with search needs a model that reasons" in text for text in said)
    assert page.button(key=send).disabled
    monkeypatch.setattr(Settings, "has_chat_endpoint", True)
    page.session_state["model-chosen"] = Option("server")
    page.run()
    assert not page.exception
    assert not any("needs a model that reasons" in one.value for one in (*page.info, *page.warning))


def test_the_playground_says_that_the_budget_of_the_day_is_spent(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = DayBudget(bench.settings.database, "me", calls=1, tokens=0)
    monkeypatch.setattr(form, "day_budget", lambda *_: budget)
    page = picked(app(model=BUILTIN_OPTION), "closed-book")
    assert not page.button(key="ask").disabled
    budget.take()
    page.run()
    assert any("Your budget for today is used up" in one.value for one in page.info)
    assert page.button(key="ask").disabled
