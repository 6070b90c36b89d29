"""No document states a birth, a death, a term or a row of a table that differs from the facts."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from tests.unit.world.the_world import about, bare, english, facts, names, rows

YEAR = re.compile(r"\b\d{4}\b")
SPAN = re.compile(r"\bfrom (\d{4}) to (\d{4})\b")
SENTENCE = re.compile(r"[^.;]+")
NOT_HELD = ("vacant (run by the foremen)", "none (works sold)")
"""Of the table of offices: rows in which nobody holds one."""


def lives(verb: str) -> dict[str, set[str]]:
    """When people of each name, as documents write it, were born or died."""
    found: dict[str, set[str]] = defaultdict(set)
    for relation in (f"{verb} in", f"{verb} on"):
        for fact in about(relation):
            found[bare(fact.subject)] |= set(YEAR.findall(fact.object))
    return found


@pytest.mark.parametrize("verb", ["was born", "died"])
def test_births_and_deaths_are_those_of_the_facts(verb: str) -> None:
    people = {bare(one.name) for one in names().values() if one.kind == "person"}
    told, found = lives(verb), 0
    for name, text in english().items():
        for person in people:
            for match in re.finditer(rf"\b{re.escape(person)}(?:, [^,.]+,)? {verb} (?:on|in) [^.;]+", text):
                found += 1
                when = YEAR.findall(match[0].partition(", ")[0])
                assert set(when) <= told[person], (name, match[0])
    assert found > 8


def test_spans_of_years_are_those_of_a_fact() -> None:
    known = {
        (fact.quals["since"], fact.quals["until"])
        for fact in facts().values()
        if "until" in fact.quals and "since" in fact.quals
    }
    found = [match.groups() for text in english().values() for match in SPAN.finditer(text)]
    assert found
    assert set(found) <= known


def test_the_table_of_offices_is_that_of_the_facts() -> None:
    held = {
        (fact.object, bare(fact.subject), fact.quals["since"], fact.quals.get("until", ""))
        for relation in ("held the office", "held the office again")
        for fact in about(relation)
        if any(said.document == "officers.csv" for said in fact.said)
    }
    table = {
        (row["office"], row["holder"], row["from"], row.get("until", ""))
        for row in rows("officers.csv")
        if row["holder"] not in NOT_HELD
    }
    assert held == table


def test_the_table_of_ships_is_that_of_the_facts() -> None:
    ships = {bare(fact.subject): fact for fact in about("was in service with")}
    room = {(bare(fact.subject), fact.object) for fact in about("has room for")}
    built = {bare(fact.subject): fact for fact in about("was built at")}
    assert set(ships) == {row["name"] for row in rows("ships.csv")}
    for row in rows("ships.csv"):
        service = ships[row["name"]].quals
        assert (service["since"], service.get("until", "")) == (
            row["in service from"],
            row.get("withdrawn", ""),
        )
        assert (row["name"], f"{row['passengers']} passengers") in room
        assert ("cars" in row) == any(name == row["name"] and what.endswith("cars") for name, what in room)
        assert built[row["name"]].quals["in"] == row["built"]
        assert row["builder"] in (built[row["name"]].object, "Mainland yard", "see builder's note")


def test_the_census_is_that_of_the_facts() -> None:
    table = {
        (row["parish"].partition(" (")[0], year, row[f"population {year}"])
        for row in rows("census.csv")
        for year in ("2001", "2011", "2021")
    }
    assert table == {(fact.subject, fact.quals["in"], fact.object) for fact in about("has the population")}
