"""Passages that tell of the same entity of a graph are joined: worked out by hand."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from core.retrieval.kinds import Walking
from core.retrieval.linked import NO_LINKS, NOWHERE, WalkResult, visits, walk_from, way
from core.retrieval.links import ALWAYS, WEIGHT, Entities, EntityQuotes, Links, rarity
from core.trace.passages import Passage

TEXTS = {
    "Anna": "Anna wrote to Bert Olsen.",
    "Bert Olsen": "The harbourmaster,  known as\nOld Fog, was born here.",
    "Carrick": "Captain Vane lived in the tower.",
    "Delta": "Nothing leads here.",
}
VANE: EntityQuotes = {
    "Henrik Vane": {"1": "known as Old Fog", "2": "Captain Vane lived"},
    "fog": {"1": "Old Fog"},
    "the tower": {"2": "the tower", "gone": "the tower"},
}


def links(told: EntityQuotes, texts: dict[str, str] = TEXTS) -> Links:
    passages = [
        Passage(chunk=str(place), document=title, title=title, text=text, position=0, start=0, end=len(text))
        for place, (title, text) in enumerate(texts.items())
    ]
    return Links(passages, {title: title for title in texts}, told)


def test_who_tells_of_the_same_is_joined() -> None:
    graph = links(VANE)
    assert graph.count == 1 + 2  # a title; of the entities only the one of which two passages tell
    assert graph.entities.names == ["Henrik Vane"]
    title, entity = rarity(1, 4), WEIGHT * rarity(2, 4) / 2
    assert graph.shares(1).tolist() == pytest.approx([1, 0, 1, 0])
    assert graph.shares(2).tolist() == pytest.approx([0, entity / (title + entity), 0, 0])
    walked = visits(graph, {0: 1.0})
    assert walked[:, 3].tolist() == [0] * len(walked)
    assert walked.sum(axis=1).tolist() == pytest.approx([1] * len(walked))
    assert way(graph, walked, 2) == [0, 1, 2]
    (mention,) = graph.mentions(1, 2)
    assert graph.passages[1].text[mention.start : mention.end] == "known as\nOld Fog"
    assert (mention.source, mention.entity) == (1, "Henrik Vane")
    assert [one.entity for one in graph.mentions(0, 1)] == [""]
    assert not list(graph.mentions(0, 2))


def test_words_that_are_not_there_do_not_hide_the_entity() -> None:
    (mention,) = links({"Vane": {"2": "other words", "3": ""}}).mentions(2, 3)
    assert mention == (2, 0, 0, "Vane")


def test_without_entities_nothing_changes() -> None:
    for told in ({}, {"fog": {"1": "Old Fog"}}, {"gone": {"x": "", "y": ""}}):
        graph = links(told)
        assert graph.count == 1
        assert not graph.entities.degree.any()
        assert graph.leads_on(0)
        assert not graph.leads_on(2)


def test_a_corpus_without_titles_is_walked_by_its_entities() -> None:
    texts = {"": "One."} | {f"{number} (1999)": "Another." for number in range(3)}
    hits = [0, 3]

    def near(places: Iterable[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        return np.zeros(len(list(places)))

    assert walk_from(links({}, texts), hits, near, Walking()) == NO_LINKS
    told: EntityQuotes = {"The year": {"0": "One.", "2": "Another."}}
    assert walk_from(links(told, texts), [3], near, Walking()) == NOWHERE
    found = walk_from(links(told, texts), hits, near, Walking())
    assert isinstance(found, WalkResult)
    assert {one.place for one in found.order if one.chance} == {0, 2, 3}


def test_an_order_that_is_known_stays_whatever_the_links_have_become() -> None:
    texts = {"": "One."} | {f"{number} (1999)": "Another." for number in range(3)}
    told: EntityQuotes = {"The year": {"0": "One.", "2": "Another."}}
    known = {1: 0.5, 2: 0.25, 0: -0.1}
    for now in ({}, told):
        found = walk_from(links(now, texts), [0], lambda places: np.zeros(len(places)), Walking(), known)
        assert isinstance(found, WalkResult)
        assert {one.place: one.score for one in found.order} == known
        assert [one.place for one in found.order] == [1, 2, 0]


def test_the_corpus_s_own_subject_leads_nowhere() -> None:
    count = 20 * ALWAYS
    places = {str(place): place for place in range(count)}
    for many, leads in ((ALWAYS, True), (ALWAYS + 1, False)):
        found = Entities({"Pellamar": {str(place): "" for place in range(many)}}, places)
        assert bool(found.count) is leads


def test_pairs_are_never_written_down() -> None:
    """2,000 of 40,000 passages tell of one entity, which are four million pairs."""
    places = {str(place): place for place in range(40_000)}
    found = Entities({"Republic": {str(place): "" for place in range(0, 40_000, 20)}}, places)
    assert found.count == 2000
    mass = np.zeros(40_000)
    mass[0] = 1
    each = WEIGHT * rarity(2000, 40_000) / 2000
    spread = found.spread(mass)
    assert spread[20] == pytest.approx(each)
    assert spread.sum() == pytest.approx(1999 * each)
    assert found.degree[0] == pytest.approx(1999 * each)
