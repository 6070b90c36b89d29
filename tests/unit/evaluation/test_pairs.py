"""What is asked of a run of an evaluation."""

from __future__ import annotations

from core.evaluation.pairs import request_of
from core.evaluation.plan import Setting
from core.models.chat_models import BUILTIN
from core.skills.copying import EXTRACTIVE


def test_a_model_is_chosen_where_one_is_asked() -> None:
    builtin = BUILTIN
    setting = Setting(label="one", strategy="plain", methods={"answer": EXTRACTIVE})
    search = request_of(setting, "Why?", "c", retrieval_only=True, chat=builtin)
    assert search.chat != builtin
    answered = request_of(setting, "Why?", "c", retrieval_only=False, chat=builtin)
    assert (answered.methods, answered.chat) == ({"answer": EXTRACTIVE}, builtin)


def test_a_setting_of_an_earlier_version_is_read_without_the_skill_that_is_gone() -> None:
    kept = Setting(label="one", strategy="plain", methods={"answer": "model", "by_rule": "model"})
    assert kept.methods == {"answer": "model"}
