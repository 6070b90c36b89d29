"""From what was extracted to triples with their sources."""

from __future__ import annotations

from core.knowledge.build.graph_building import TOO_DEEP, UNFIT, to_triples
from core.knowledge.triples import MAX_NESTING, Statement
from core.skills.extract import Extraction, Found
from core.skills.stated_triples import Dropped, Part
from core.trace.passages import Passage

PASSAGE = Passage(chunk="d-3", document="d", title="T", text="x", position=3, start=0, end=1)


def test_sources_hypernodes_and_what_cannot_be_used() -> None:
    plain = Part(subject="A", relation="made", object="B")
    deep = plain
    for _ in range(MAX_NESTING + 1):
        deep = Part(subject=deep, relation="in", object="C")
    found = tuple(
        Found(triple=part, quote="A made B")
        for part in (plain, Part(subject=plain, relation="in", object="1999"), deep,
                     Part(subject="A", relation="\u0000", object="B"))
    )  # fmt: skip
    extraction = Extraction(found=found, dropped=(Dropped(text="x", reason="why"),), method="model")
    triples, dropped = to_triples(extraction, PASSAGE)
    assert [one.source.chunk for one in triples] == ["d-3", "d-3"]
    assert (triples[0].source.document, triples[0].source.quote) == ("d", "A made B")
    assert isinstance(triples[1].subject, Statement)
    assert triples[1].subject.name == "(A)-[made]->(B)"
    assert dropped == {"why": 1, TOO_DEEP: 1, UNFIT: 1}
