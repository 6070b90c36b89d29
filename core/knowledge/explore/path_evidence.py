"""The triples of a path as the numbered evidence that an answer cites."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from core.skills.graph_wording import triple_line
from core.trace.artefacts import Context, ContextPassage, PathTriple
from core.trace.passages import Passage


def unique_triples(triples: Iterable[PathTriple]) -> tuple[PathTriple, ...]:
    """Return the triples without those that say the same from the same place again."""
    unique: dict[tuple[str, ...], PathTriple] = {}
    for triple in triples:
        key = (triple.subject, triple.relation, triple.object, triple.chunk, triple.quote)
        unique.setdefault(key, triple)
    return tuple(unique.values())


def evidence(triples: Iterable[PathTriple], graph: str, titles: Mapping[str, str]) -> Context:
    """Return one passage per triple of a path, so that a citation says which one is meant; in the order of the path.

    A passage is known by its chunk. Of several triples from one chunk the first has the chunk's own id, the others have
    it with their number behind it. Where no document is known, the name of the graph takes its place. `titles` are
    those of the documents, by their ids, as far as they are known.
    """
    used: Counter[str] = Counter()
    passages: list[ContextPassage] = []
    for number, triple in enumerate(unique_triples(triples), 1):
        chunk = triple.chunk or f"triple {number}"
        used[chunk] += 1
        ident = chunk if used[chunk] == 1 else f"{chunk}.{used[chunk]}"
        passage = _passage(ident, triple, graph, titles)
        passages.append(ContextPassage(rank=number, score=None, passage=passage, given=True))
    return Context(passages=tuple(passages))


def _passage(ident: str, triple: PathTriple, graph: str, titles: Mapping[str, str]) -> Passage:
    title = triple_line(triple)
    text = triple.quote or title
    document = triple.document or graph
    position = triple.chunk.removeprefix(f"{triple.document}-")
    return Passage(
        chunk=ident,
        document=document,
        title=title,
        text=text,
        position=int(position) if position.isdecimal() else 0,
        start=0,
        end=len(text),
        heading=titles.get(document, document),
    )
