"""Prompts: every method's prompt has its slots, and what fills them stays text."""

import pytest

from core.errors import InputError
from core.skills import SKILLS, methods_in_force
from core.skills.base import Method, Skill, builtin_prompt, fill, prompt_key


@pytest.mark.parametrize(
    ("skill", "method"),
    [(skill, method) for skill in SKILLS.values() for method in skill.methods if method.slots],
    ids=lambda item: item.key,
)
def test_a_prompt_has_exactly_the_slots_of_its_method(skill: Skill, method: Method) -> None:
    prompt = builtin_prompt(prompt_key(skill.key, method.key))
    for slot in method.slots:
        assert prompt.count("{" + slot + "}") >= 1
    assert "{" not in fill(prompt, dict.fromkeys(method.slots, ""))


def test_braces_in_a_question_or_a_document_are_not_filled_again() -> None:
    assert fill("Q: {question} C: {context}", {"question": "{context}", "context": "{question}"}) == (
        "Q: {context} C: {question}"
    )


def test_methods_in_force_are_the_choice_or_the_default_for_the_kind_of_model() -> None:
    assert methods_in_force(["answer", "reword"], True, {}) == {"answer": "extractive", "reword": "sampled"}
    assert methods_in_force(["answer", "reword"], False, {}) == {"answer": "model", "reword": "model"}
    assert methods_in_force(["answer"], True, {"answer": "model"}) == {"answer": "model"}
    with pytest.raises(InputError, match="no method 'magic'. It has: model, extractive"):
        methods_in_force(["answer"], True, {"answer": "magic"})
