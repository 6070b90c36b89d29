"""What facts quote stands in the documents, and what stands in the documents is a fact or a name."""

from __future__ import annotations

import json
import re
from datetime import datetime
from functools import cache

import pytest

from core.corpora.demo import DEMO_CORPORA, DEMOS, STARTERS, WORLD, DemoCorpus, own_documents
from tests.cases import cases
from tests.unit.world.the_world import bare, documents, english, facts, names, quoted, spaced

YEAR = re.compile(r"(?<![\d.,:])(?:1[5-9]|20)\d\d(?![\d,:]\d|\d)")
_WORD = r"[A-Z][a-zé]+(?:'s)?"
_NAME = re.compile(rf"\b{_WORD}(?:(?: of| of the)? {_WORD})+")
_DAY = re.compile(r"\b((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day), (\d\d? \w+ \d{4})\b")


def test_every_quote_stands_in_its_document() -> None:
    missing = [
        (fact.id, said.document, said.quote)
        for fact in facts().values()
        for said in fact.said
        if said.quote not in documents()[said.document].text
    ]
    assert missing == []


@pytest.mark.parametrize("demo", DEMOS, ids=DEMO_CORPORA)
def test_evidence_stands_letter_by_letter_where_a_question_says_and_nowhere_else(demo: DemoCorpus) -> None:
    texts = {one.name: one.text for one in own_documents(demo)}
    files = [WORLD / demo.questions, (WORLD / demo.questions).with_name(STARTERS)]
    asked = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    assert asked
    for question in asked:
        for needed in question.get("evidence", ()):
            places = [needed, *needed.get("or", ())]
            for place in places:
                assert place["quote"] in texts[place["document"]], question["id"]
                holding = {name for name, text in texts.items() if place["quote"] in text}
                assert holding <= {one["document"] for one in places}, question["id"]


def test_every_document_says_a_fact() -> None:
    assert [name for name in documents() if not quoted(name)] == []


@cases("name", sorted(documents()))
def test_every_year_of_a_document_is_that_of_a_fact(name: str) -> None:
    document = documents()[name]
    known = {*YEAR.findall(document.title), *(year for quote in quoted(name) for year in YEAR.findall(quote))}
    # The first line of a letter says of which year it is; a regulation repeats its title on each page.
    known |= set(YEAR.findall(document.text.partition("\n")[0]))
    assert set(YEAR.findall(spaced(document.text))) - known == set()


@cases("name", sorted(english()))
def test_every_full_name_of_a_document_is_known(name: str) -> None:
    """Two words with capital letters side by side, neither of which is known, and neither begins a sentence only."""
    known = {bare(one) for one in names()} | {alias for one in names().values() for alias in one.aliases}
    for line in map(
        spaced, documents()[name].text.splitlines()
    ):  # a heading is not the begin of what follows it
        covered = [
            match.span()
            for words in (*known, *quoted(name))
            if words in line
            for match in re.finditer(re.escape(words), line)
        ]
        for full in _NAME.finditer(line):
            unknown = [
                word[0]
                for word in re.finditer(_WORD, full[0])
                if word[0].lower() not in lower_words()
                and not any(
                    start <= full.start() + word.start() and full.start() + word.end() <= end
                    for start, end in covered
                )
            ]
            assert len(unknown) < 2, full[0]


@cache
def lower_words() -> frozenset[str]:
    """The words that stand in lower case in some document."""
    return frozenset(word for text in english().values() for word in re.findall(r"\b[a-z]+\b", text))


def test_every_entity_that_has_a_name_is_in_the_table_of_names() -> None:
    written = {name for fact in facts().values() for name in (fact.subject, fact.object)}
    proper = {
        name for name in written if re.fullmatch(rf"{_WORD}(?: (?:of |the |and |of the )?{_WORD})+", name)
    }
    months = {name for name in proper if re.search(r"\b(?:January|March|July|September)\b", name)}
    assert proper - months - set(names()) == {"Mother Kite", "Old Fog"}


def test_nicknames_stand_in_a_document_that_says_who_is_meant() -> None:
    called = {fact.object: fact.subject for fact in facts().values() if fact.relation == "is also called"}
    core = (
        "Mother Kite",
        "the Admiral",
        "Old Fog",
        "the Old Lady",
        "the Gate",
        "the Blue Boats",
        "the Board",
    )
    for nickname in core:
        assert nickname in names()[called[nickname]].aliases
        said = next(fact.said for fact in facts().values() if fact.object == nickname)
        assert all(re.search(nickname, one.quote, re.IGNORECASE) for one in said)


@cases("name", sorted(english()))
def test_days_of_the_week_are_those_of_the_calendar(name: str) -> None:
    for weekday, date in _DAY.findall(english()[name]):
        assert datetime.strptime(date, "%d %B %Y").strftime("%A") == weekday, date
