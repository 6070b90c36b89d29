"""What the questions rest on is among the facts, and their answers agree with it as far as a program can tell."""

from __future__ import annotations

import re
from typing import Any

from tests.cases import cases
from tests.unit.world.the_world import facts, questions, tight
from tools.demo_world.facts import Fact

LOOKED_UP = ("two hops", "three hops", "four hops", "who held it when", "aliases")
"""Kinds of questions whose answer is a name, a number or words that stand in a document."""
LEAST = 12
"""Characters that two quotes share at least where one does not lie within the other."""
_WORD = re.compile(r"[^\W_]+")
_LITTLE = frozenset(["a", "an", "the", "of", "in", "by", "one", "to", "at", "on", "had", "had", "been"])


def overlap(one: str, other: str) -> bool:
    """Whether two quotes share words, blanks apart."""
    one, other = tight(one), tight(other)
    if one in other or other in one:
        return True
    ends = range(LEAST, min(len(one), len(other)))
    return any(one[-count:] == other[:count] or other[-count:] == one[:count] for count in ends)


def resting(piece: dict[str, Any]) -> list[Fact]:
    """The facts that a piece of evidence, or another place that says the same, rests on."""
    places = [piece, *piece.get("or", ())]
    return [
        fact
        for fact in facts().values()
        for said in fact.said
        if any(said.document == place["document"] and overlap(said.quote, place["quote"]) for place in places)
    ]


@cases("question", questions())
def test_every_piece_of_evidence_is_a_fact(question: dict[str, Any]) -> None:
    assert [piece["quote"] for piece in question["evidence"] if not resting(piece)] == []


@cases(
    "question",
    [one for one in questions() if one["kind"] in LOOKED_UP and not one.get("yes_no")],
)
def test_an_answer_that_is_looked_up_stands_in_the_evidence(question: dict[str, Any]) -> None:
    said = " ".join(
        " ".join(
            (
                piece["quote"],
                *(" ".join((one.subject, one.object, *one.quals.values())) for one in resting(piece)),
            )
        )
        for piece in question["evidence"]
    )
    words = set(_WORD.findall(said.lower()))
    assert any(set(_WORD.findall(answer.lower())) - _LITTLE <= words for answer in question["answers"])


def test_disputed_facts_are_what_questions_about_disagreement_rest_on() -> None:
    asked = [question for question in questions() if question["kind"] == "sources disagree"]
    assert asked
    for question in asked:
        found = {
            fact.id: fact
            for piece in question["evidence"]
            for fact in resting(piece)
            if fact.status == "disputed"
        }
        assert any(fact.against in found for fact in found.values()), question["id"]


def test_questions_about_two_versions_rest_on_an_outdated_fact_and_on_the_one_that_holds() -> None:
    for question in questions():
        if question["kind"] == "two versions":
            found = {fact.id: fact for piece in question["evidence"] for fact in resting(piece)}
            replaced = [fact for fact in found.values() if fact.relation in ("repealed", "superseded")]
            outdated = [fact for fact in found.values() if fact.status == "outdated"]
            assert outdated, question["id"]
            assert replaced or any(fact.against in found for fact in outdated), question["id"]
