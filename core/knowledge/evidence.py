"""The triples of a path as the numbered evidence that an answer cites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.trace.artefacts import Context, ContextPassage, PathTriple
from core.trace.passages import Passage


def evidence(triples: Iterable[PathTriple], graph: str) -> Context:
    """One passage per chunk that states triples, or per triple whose chunk is not known; in the order of the path.

    Args:
        triples: Of a path.
        graph: Name of the graph, where no document is known.
    """
    groups: dict[str, list[PathTriple]] = {}
    for number, triple in enumerate(triples, 1):
        groups.setdefault(triple.chunk or f"triple {number}", []).append(triple)
    passages = [
        ContextPassage(rank=rank, score=0.0, passage=_passage(chunk, group, graph), given=True)
        for rank, (chunk, group) in enumerate(groups.items(), 1)
    ]
    return Context(passages=tuple(passages))


def _passage(chunk: str, triples: Sequence[PathTriple], graph: str) -> Passage:
    shown = "; ".join(dict.fromkeys(map(arrow, triples)))
    text = " ".join(dict.fromkeys(triple.quote for triple in triples if triple.quote)) or shown
    document = triples[0].document or graph
    return Passage(
        chunk=chunk, document=document, title=shown, text=text, position=0, start=0, end=len(text), heading=document
    )  # fmt: skip


def arrow(triple: PathTriple) -> str:
    """A triple as it stands in the graph, in one line."""
    return f"{triple.subject} —{triple.relation.replace('_', ' ')}→ {triple.object}"
