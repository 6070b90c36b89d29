"""The method by which a model does each skill: one table, by how capable it is."""

from __future__ import annotations

from core.skills import SKILLS, methods_in_force
from core.skills.base import BY_SMALL, CAPABLE, MODEL, SHORT, TINY, ModelKind


def test_one_table_says_what_a_model_does_itself() -> None:
    known = set(SKILLS)
    written = {key: SKILLS[key].method(method).slots for key, method in BY_SMALL.items()}
    assert [key for key, slots in written.items() if not slots] == ["resolve"], "a rule is right more often"
    small, tiny = ModelKind("small"), ModelKind("tiny")
    assert all(SKILLS[key].default_method(CAPABLE) == MODEL for key in known)
    assert [SKILLS[key].default_method(small) for key in ("answer", "grade_relevance", "reword")] == [
        SHORT,
        SHORT,
        MODEL,
    ]
    # What a model of 1.5 billion parameters fails at: verdicts, tool calls, Cypher.
    found = {
        key: SKILLS[key].default_method(small) for key in ("grade_support", "choose_tool", "text2cypher")
    }
    assert MODEL not in found.values()
    assert {SKILLS["extract"].default_method(kind) for kind in (small, tiny)} == {SHORT}, (
        "no stand-in can do it"
    )
    assert all(SKILLS[key].spare != SHORT for key in known), (
        "a model that fails is not asked again in another form"
    )
    assert SKILLS["grade_relevance"].default_method(tiny) == "embedding"
    assert SKILLS["rerank"].default_method(ModelKind("tiny", reranker=True)) == "server"
    assert SKILLS["step_back"].default_method(tiny) == MODEL, "what was taught needs the built-in model"
    assert methods_in_force(SKILLS, small, {}).keys() == set(SKILLS)
    assert methods_in_force(["answer"], tiny, {"answer": MODEL}) == {
        "answer": MODEL
    }  # whoever picks one has it
    assert {kind.key for kind in (CAPABLE, small, tiny, TINY)} == {"capable", "small", "tiny", "builtin"}
