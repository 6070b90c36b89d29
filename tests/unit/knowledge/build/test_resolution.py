"""Which names may be those of one thing, and which never."""

from __future__ import annotations

import numpy as np
import pytest

from core.knowledge.build.resolution import (
    ComparedEntity,
    by_meaning,
    by_spelling,
    figures,
    may_be_one,
    plain,
    variant,
)
from core.models.embeddings import BuiltinEmbeddings


def named(name: str, edges: int = 1, kind: str = "") -> ComparedEntity:
    return ComparedEntity(id=name.casefold(), name=name, kind=kind, edges=edges)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Beatles", "Beatles"),
        ("Café de Flore", "cafe de flore"),
        ("Full-Moon High", "Full Moon High"),
        ("Full-Moon", "Fullmoon"),
        ("J. R. R. Tolkien", "John Ronald Reuel Tolkien"),
        ("L. Cohen", "Larry Cohen"),
        ("BBC", "British Broadcasting Corporation"),
        ("U.S.A.", "United States of America"),
        ("O'Neill", "O’Neill"),
        ("서울", "서울"),
    ],
)
def test_variants_of_one_name(one: str, other: str) -> None:
    assert variant(one, other)
    assert variant(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("World War I", "World War II"),
        ("1999", "2000"),
        ("May 1845", "June 1845"),
        ("flood of 1845", "flood of 1846"),
        ("Henry IV", "Henry V"),
        ("North Korea", "South Korea"),
        ("First Street", "Second Street"),
        ("Apollo 11", "Apollo 12"),
        ("John Smith", "Jane Smith"),
        ("Martin Luther King Jr", "Martin Luther King Sr"),
    ],
)
def test_never_one(one: str, other: str) -> None:
    assert not variant(one, other)
    assert not may_be_one(one, other)
    same = np.ones((2, 4))
    assert by_meaning([named(one), named(other)], same) == []


def test_what_the_meaning_may_join() -> None:
    assert may_be_one("New York", "New York City")
    assert may_be_one("the film", "the movie")
    assert may_be_one("Larry Cohen", "Larry Cohn")
    assert not may_be_one("Larry Cohen", "Leonard Cohen")
    assert figures("Apollo 011") == figures("Apollo 11")
    assert plain("Ö! The “Ex”") == "o the ex"
    pair = [named("the movie", 9), named("the film", 2)]
    (found,) = by_meaning(pair, np.array([[1.0, 0.1], [1.0, 0.0]]))
    assert (found.keep.name, found.duplicate.name, found.likeness) == ("the movie", "the film", 0.995)
    assert by_meaning(pair, np.array([[1.0, 1.0], [1.0, 0.0]])) == []


def test_pairs_by_writing_are_found_once_and_of_one_kind_only() -> None:
    names = [named("Larry Cohen", 9, "person"), named("L. Cohen", 2), named("The Larry Cohen", 1, "film")]
    found = [(p.keep.name, p.duplicate.name) for p in by_spelling(names)]
    assert found == [("Larry Cohen", "L. Cohen"), ("L. Cohen", "The Larry Cohen")]


def test_the_threshold_fits_the_built_in_embeddings() -> None:
    pairs = (("New York", "New York City"), ("the film", "the movie"), ("electric car", "electric vehicle"),
             ("red wine", "white wine"), ("New York", "New York Yankees"), ("actor", "actress"))  # fmt: skip
    found = []
    for pair in pairs:
        vectors = np.array(BuiltinEmbeddings().embed_documents(list(pair)))
        found.append(len(by_meaning([named(name) for name in pair], vectors)))
    assert found == [1, 1, 1, 0, 0, 0]
