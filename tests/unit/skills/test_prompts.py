"""Every prompt that comes with the app can be used, and a user's is refused where it could not."""

from __future__ import annotations

import pytest

from core.errors import InputError
from core.skills import MAX_PROMPT_CHARS, SKILLS, check_prompt
from tests.cases import cases

PROMPTS = {key: text for skill in SKILLS.values() for key, text in skill.prompts().items()}


@cases("key", sorted(PROMPTS))
def test_the_app_s_own_prompts_have_their_slots(key: str) -> None:
    check_prompt(key, PROMPTS[key])


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="lacks {question}"):
        check_prompt("answer.model", "Answer from {context}.")
    with pytest.raises(InputError, match="at most"):
        check_prompt("answer.model", "{question} {context}" + "x" * MAX_PROMPT_CHARS)
    for key in ("nope.model", "answer", "../secret"):
        with pytest.raises(InputError):
            check_prompt(key, "{question}")
