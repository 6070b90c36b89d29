"""The capability from which on a model does a skill by its own judgement; below it another method does.

One table decides the methods that skills take by themselves. Small models are given what one of 1.5 billion parameters
was seen to do (docs/results.md): it judged relevance, reworded, split, stepped back and answered from passages. It
failed at verdicts on answers, at choosing tools and at schemas of triples; what nobody has measured is not left to it
either.
"""

from __future__ import annotations

from collections.abc import Mapping

from core.models.capability import CAPABILITIES, Capability

OWN_FROM: Mapping[str, Capability] = {
    "recall": "tiny",
    "answer": "small",
    "answer_again": "small",
    "answer_gathered": "small",
    "answer_path": "small",
    "answer_step_back": "small",
    "answer_sub": "small",
    "grade_relevance": "small",
    "read": "small",
    "reduce": "small",
    "resolve": "small",
    "reword": "small",
    "rewrite_question": "small",
    "search_queries": "small",
    "split_question": "small",
    "step_back": "small",
    "sub_questions": "small",
    "synthesise": "small",
    "think": "small",
    "update_question": "small",
    "choose_tool": "capable",
    "critique": "capable",
    "decide_retrieval": "capable",
    "evaluate_passage": "capable",
    "extract": "capable",
    "grade_support": "capable",
    "grade_use": "capable",
    "judge_path": "capable",
    "passage": "capable",
    "plan_exploration": "capable",
    "rerank": "capable",
    "route": "capable",
    "select": "capable",
    "text2cypher": "capable",
}
"""Skill -> the smallest capability that is given its own judgement. A skill without another method is left to any
model."""


def judges(capability: Capability, skill: str) -> bool:
    """True if a model of this capability does a skill by its own judgement."""
    least = OWN_FROM.get(skill, CAPABILITIES[0])
    return CAPABILITIES.index(capability) >= CAPABILITIES.index(least)
