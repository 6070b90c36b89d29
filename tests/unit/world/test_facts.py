"""No two facts contradict each other, unless they are marked as doing so."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise

import pytest

from tests.cases import cases
from tests.unit.world.the_world import about, facts, names
from tools.demo_world.facts import Fact
from tools.demo_world.graph import kind_of

ONE_OBJECT = (
    "became a republic on",
    "commenced on",
    "cost",
    "died in",
    "died on",
    "has the area",
    "has the capital",
    "has the height",
    "has the length",
    "has the population",
    "has the range",
    "had its first night on",
    "was born in",
    "was born on",
    "was built at",
    "was built in",
    "was cast in",
    "was closed in",
    "was first held in",
    "was founded in",
    "was opened in",
    "was opened on",
    "was wrecked on",
)
"""Relations by which a subject has one object of a kind, as a place and a year of birth."""
ONE_SUBJECT = ("composed", "designed", "discovered", "drafted", "founded", "invented", "painted")
"""Relations by which a thing has one subject."""
HELD = re.compile("held the office(?: again)?")


def kind(name: str) -> str:
    return kind_of(name, {one.name: one.kind for one in names().values()})


def year(name: str) -> int:
    """The year of a date or a year."""
    return int(name[-4:])


def years(relation: str) -> dict[str, int]:
    """When something was so of each subject, where a fact gives the year."""
    return {
        fact.subject: year(fact.object) for fact in about(relation) if kind(fact.object) in ("year", "date")
    }


def terms() -> dict[str, list[tuple[int, int | None, Fact]]]:
    """Each office with the terms of its holders, in order."""
    found = defaultdict(list)
    for fact in facts().values():
        if HELD.fullmatch(fact.relation):
            until = fact.quals.get("until")
            found[fact.object].append((int(fact.quals["since"]), int(until) if until else None, fact))
    return {office: sorted(held, key=lambda term: term[0]) for office, held in found.items()}


def test_each_fact_has_an_id_of_its_own_and_says_something_new() -> None:
    said = [(fact.subject, fact.relation, fact.object) for fact in facts().values()]
    assert len(said) == len(set(said))
    assert all(fact.subject and fact.relation and fact.object for fact in facts().values())


@cases("relation", ONE_OBJECT)
def test_what_can_be_so_once_only_is_said_once(relation: str) -> None:
    found = defaultdict(list)
    for fact in about(relation):
        when = (
            tuple(sorted(fact.quals.items())) if relation in ("has the population", "has the range") else ()
        )
        found[fact.subject, kind(fact.object), when].append(fact)
    assert found
    for same in found.values():
        for fact in same:
            assert all(fact.against == other.id for other in same if other is not fact), fact.id


@cases("relation", ONE_SUBJECT)
def test_a_thing_is_made_by_one(relation: str) -> None:
    objects = [fact.object for fact in about(relation)]
    assert len(objects) == len(set(objects))
    assert objects


def test_disputed_facts_name_each_other_and_outdated_ones_what_holds_now() -> None:
    marked = [fact for fact in facts().values() if fact.status]
    assert {fact.status for fact in marked} == {"disputed", "outdated"}
    for fact in facts().values():
        assert bool(fact.status) == bool(fact.against), fact.id
    for fact in marked:
        other = facts()[fact.against]
        if fact.status == "disputed":
            assert (other.status, other.against) == ("disputed", fact.id)
            assert (other.subject, other.relation, other.quals) == (fact.subject, fact.relation, fact.quals)
            assert {said.document for said in fact.said}.isdisjoint(said.document for said in other.said)
        else:
            assert other.status == ""


def test_an_office_has_one_holder_at_a_time() -> None:
    assert len(terms()) == 6
    for office, held in terms().items():
        for (since, until, fact), (after, _, other) in pairwise(held):
            assert since < (until or 0) <= after, (office, fact.id, other.id)
        last = held[-1][1]
        assert last is None or office.startswith(("Director of the Dacre", "Treasurer"))


def test_a_second_term_is_called_so() -> None:
    for held in terms().values():
        known: set[str] = set()
        for _, _, fact in held:
            assert fact.relation.endswith("again") == (fact.subject in known)
            known.add(fact.subject)


@pytest.mark.parametrize(
    ("relation", "end"),
    [("was appointed", 0), ("was elected", 0), ("resigned as", 1)],
)
def test_who_is_appointed_or_resigns_does_so_when_a_term_begins_or_ends(relation: str, end: int) -> None:
    for fact in about(relation):
        when = year(fact.quals.get("on") or fact.quals["in"])
        assert when in [term[end] for term in terms()[fact.object] if term[2].subject == fact.subject], (
            fact.id
        )


def test_the_parishes_add_up() -> None:
    parishes = {fact.subject for fact in about("is a parish of")}
    for census in ("2001", "2011", "2021"):
        count = {
            fact.subject: int(fact.object.replace(",", ""))
            for fact in about("has the population")
            if fact.quals["in"] == census
        }
        assert sum(count[parish] for parish in parishes) == count["Pellamar"]
    area = {
        fact.subject: float(fact.object.split()[0]) for fact in about("has the area") if "km²" in fact.object
    }
    assert sum(area[parish] for parish in parishes) == pytest.approx(area["Pellamar"])


def test_days_and_years_of_a_life_agree() -> None:
    for day, whole in (("was born on", "was born in"), ("died on", "died in")):
        for subject, when in years(day).items():
            assert years(whole)[subject] == when
    born, died = years("was born in"), years("died in")
    assert all(born[name] < died[name] for name in born.keys() & died.keys())


def test_nobody_is_older_than_a_parent_or_does_anything_before_birth_or_after_death() -> None:
    born, died = years("was born in"), years("died in")
    for fact in about("child of"):
        if {fact.subject, fact.object} <= born.keys():
            assert born[fact.subject] - born[fact.object] >= 15, fact.id
    for fact in facts().values():
        dates = [value for value in (fact.object, *fact.quals.values()) if kind(value) in ("year", "date")]
        if kind(fact.subject) == "person" and not fact.relation.startswith(("was born", "died", "is ")):
            done = [year(value) for value in dates if value[-4:].isdigit()]
            assert all(when >= born.get(fact.subject, 0) + 9 for when in done), fact.id
            assert all(when <= died.get(fact.subject, 9999) for when in done), fact.id
