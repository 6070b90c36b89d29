"""Starter cards on the Playground: which are offered, and that a click asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.corpora.demo import DEMO_CORPUS
from core.runs.workbench import Workbench
from core.ui.playground import welcome
from tests.app.drawings import drawings, keys, still
from tests.app.pages import app, drawn_when_done, picked, said


def offered(page: AppTest) -> list[dict[str, Any]]:
    """The cards on the page."""
    return [card for shown in drawings(page, "starters") for card in shown["starters"]]


@pytest.mark.parametrize("strategy", ["plain", "rag-fusion", "kg-rag"])
def test_a_card_fills_the_form_and_asks(
    ready: Workbench, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    page = still(picked(app(), strategy))
    page.session_state["param-rag-fusion-rrf_k"] = 1
    first = offered(page)[0]
    due = [first["id"]]
    heard = welcome.clicked

    def clicked(value: object, cards: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
        return heard(due.pop() if due else value, cards)

    monkeypatch.setattr(welcome, "clicked", clicked)
    page = drawn_when_done(page.run(), ready)
    assert f"### {first['question']}" in said(page)
    assert "Done in" in said(page)
    assert page.text_area(key="question").value == first["question"]
    assert page.session_state["strategy"] == strategy
    assert "ask" in keys(page)
    assert not offered(page)  # a run is on the page
    if strategy == "rag-fusion":
        assert page.number_input(key="param-rag-fusion-rrf_k").value == 60
        assert page.selectbox(key="corpus").value == DEMO_CORPUS


def test_of_an_endpoint_nobody_knows_what_it_will_answer(ready: Workbench) -> None:
    cards = offered(still(picked(app(), "rag-fusion")))
    assert cards
    assert all(one["says"] and not one["sign"] for one in cards)
    assert not any("finds all, too" in one["says"] for one in cards)


def test_what_no_card_has_is_not_asked() -> None:
    assert welcome.clicked("q99", [{"id": "q01"}]) is None
    assert welcome.clicked({"id": "q01"}, [{"id": "q01"}]) is None
