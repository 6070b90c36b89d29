"""What is asked of a run of an evaluation."""

from __future__ import annotations

import pytest

from core.evaluation.pairs import request_of
from core.evaluation.plan import Setting
from core.models.choice import AS_CONFIGURED, BUILTIN, ChatChoice
from core.skills.base import TAUGHT


@pytest.mark.parametrize(("strategy", "kept"), [("plain", {}), ("step-back", {"answer": TAUGHT})])
def test_where_no_model_is_asked_none_is_needed_for_the_answer_left_out(
    strategy: str, kept: dict[str, str]
) -> None:
    setting = Setting(label="one", strategy=strategy, methods={"answer": TAUGHT})
    request = request_of(setting, "Why?", "c", retrieval_only=True, chat=AS_CONFIGURED)
    assert request.methods == kept
    builtin = ChatChoice(model=BUILTIN)
    request = request_of(setting, "Why?", "c", retrieval_only=False, chat=builtin)
    assert (request.methods, request.chat) == ({"answer": TAUGHT}, builtin)
