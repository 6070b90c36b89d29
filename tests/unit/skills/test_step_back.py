"""Stepping back with the built-in model: which samples are kept, and what happens if none is."""

from __future__ import annotations

import asyncio
import math
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.skills.base import SkillContext
from core.skills.step_back import SAMPLES, STEP_BACK, step_back
from core.trace.artefacts import StepBack

QUESTION = "In which year was the director of Jaws born?"
NEAR = "What is the year of birth of the director of Jaws?"
GENERAL = "What is known about the director of Jaws?"
FAR = "What is the sea in Jaws?"
COSINES = {QUESTION: 1.0, NEAR: 0.95, GENERAL: 0.7, FAR: 0.2}


class _Embedder:
    """The cosine of each text to the question is given."""

    async def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[cosine, math.sqrt(1 - cosine**2)] for cosine in (COSINES[text] for text in texts)]


class _Chat:
    """Replies in turn, from the start again when all are used."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked = replies, 0

    async def text(self, messages: Any, **options: Any) -> str:
        self.asked += 1
        return self.replies[self.asked % len(self.replies)]


def stepped(question: str, chat: _Chat) -> StepBack:
    context = SkillContext(chat=cast(Any, chat), embedder=cast(Any, _Embedder()),
                           tracer=cast(Any, SimpleNamespace()), builtin=True,
                           methods={STEP_BACK.key: "sampled"})  # fmt: skip
    return asyncio.run(step_back(context, question))


def test_the_nearest_sample_inside_the_window_is_kept() -> None:
    chat = _Chat(NEAR, FAR, GENERAL, "no question", "What is known about the sea?")
    made = stepped(QUESTION, chat)
    assert (made.general, made.method) == (GENERAL, "sampled")
    assert "cosine 0.70" in made.note
    assert chat.asked == SAMPLES


def test_without_a_usable_sample_a_rule_asks_about_the_names() -> None:
    made = stepped(QUESTION, _Chat(NEAR, FAR))
    assert made.general == "What is known about Jaws?"
    assert "a rule made this" in made.note


def test_without_a_name_the_question_stays() -> None:
    made = stepped("how does it work?", _Chat("nothing"))
    assert made.general == "how does it work?"
    assert made.note.startswith("No step back: none of 8 samples was usable")


@pytest.mark.parametrize("question", ["감독은 언제 태어났나요?", "监督是谁？", "監督は誰ですか。"])
def test_other_languages_ask_no_model_and_say_why(question: str) -> None:
    chat = _Chat(GENERAL)
    made = stepped(question, chat)
    assert made.general == question
    assert "knows English only" in made.note
    assert chat.asked == 0
