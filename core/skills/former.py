"""Skills and methods of earlier versions, which stored runs, recordings and settings still name: their titles."""

from __future__ import annotations

from collections.abc import Mapping

FORMER_SKILLS = {"by_rule": "Comparisons and chains"}
"""Title of a skill that is gone, by its key."""

FORMER_METHODS = {
    ("answer", "span"): "The likeliest words",
    ("answer", "taught"): "The taught model answers in few words",
    ("answer_again", "span"): "The next likeliest words",
    ("answer_gathered", "composed"): "Composed by rule",
    ("answer_step_back", "span"): "The likeliest words",
    ("answer_sub", "span"): "The likeliest words",
    ("answer_sub", "taught"): "The taught model answers in few words",
    ("by_rule", "model"): "Left to the model",
    ("by_rule", "rule"): "By rule, where a rule fits",
    ("extract", "sentences"): "Sentence by sentence (demonstration)",
    ("grade_relevance", "taught"): "The taught model judges",
    ("grade_support", "lexical"): "Lexical support only",
    ("grade_support", "taught"): "The taught model judges",
    ("passage", "few_shot"): "Two examples first",
    ("read", "span"): "The likeliest words",
    ("reduce", "sampled"): "Many samples, sieved",
    ("reword", "taught"): "The taught model, sieved",
    ("search_queries", "sampled"): "Many samples, sieved",
    ("step_back", "sampled"): "Several samples, the best kept",
    ("sub_questions", "sampled"): "Many samples, sieved",
    ("synthesise", "composed"): "Composed by rule",
}
"""Title of a method that is gone, by the keys of its skill and its own."""


def without_former(methods: Mapping[str, str]) -> dict[str, str]:
    """Skill key -> method key, without skills and methods that are gone."""
    return {
        skill: method
        for skill, method in methods.items()
        if skill not in FORMER_SKILLS and (skill, method) not in FORMER_METHODS
    }


def is_former(prompt: str) -> bool:
    """True if a prompt, named as by `core.skills.base.prompt_key`, is of a skill or a method that is gone."""
    skill, _, method = prompt.partition(".")
    return skill in FORMER_SKILLS or (skill, method) in FORMER_METHODS
