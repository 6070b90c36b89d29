"""The questions that line-ups carry."""

from __future__ import annotations

import json

from core.corpora.demo import DEMOS, WORLD
from core.strategies.lineups import QUESTIONS, lineups


def test_each_is_a_labelled_question_of_the_demo_documents() -> None:
    lines = (WORLD / DEMOS[0].questions).read_text(encoding="utf-8").splitlines()
    labelled = {one["text"] for one in map(json.loads, lines) if one["evidence"]}
    assert QUESTIONS.keys() <= lineups().keys()
    assert set(QUESTIONS.values()) <= labelled
