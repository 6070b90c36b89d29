"""Triples as numbered evidence."""

from __future__ import annotations

from core.knowledge.explore.path_evidence import evidence
from core.trace.artefacts import PathTriple


def said(subject: str, quote: str, chunk: str = "c1") -> PathTriple:
    return PathTriple(
        hop=1, subject=subject, relation="born in", object="1954", chunk=chunk, document="d", quote=quote
    )


def test_every_triple_has_a_number_and_its_own_quote() -> None:
    """Glued together, two quotes could be read as one sentence that nobody wrote."""
    jukka, son = "Jukka Leppilampi( born 1954)", "He is the son of Jukka Leppilampi"
    found = evidence([said("Jukka", jukka), said("Mikko", son), said("Jukka", jukka)], "G", {"d": "Finland"})
    assert [item.passage.text for item in found.passages] == [jukka, son]
    assert len({item.passage.chunk for item in found.passages}) == 2
    assert found.passages[0].score is None
    assert found.passages[0].passage.heading == "Finland"
