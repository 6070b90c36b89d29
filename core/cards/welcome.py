"""The way from question to answer, in five scenes of one run of rank fusion: plain data for its drawing."""

from __future__ import annotations

from math import inf
from typing import Any

from core.cards.kinds.fusion import fusion_flow
from core.cards.outcome import outcome
from core.cards.passages import STAR, names, stars_of
from core.cards.texts import doubted
from core.runs.record import Record
from core.strategies import strategies
from core.trace.artefacts import Fusion
from core.wording import counted

SEEN = 5
"""Passages of the fused order that are shown."""
HITS = 4
"""Passages of each list that are shown."""


def welcome(record: Record) -> dict[str, Any] | None:
    """Question, queries with what each found, the fused order and the answer; all text is raw. None: the run has no
    fused order or no answer."""
    fusions, answer, started = record.find(Fusion), record.answer, record.started
    if not fusions or answer is None or started is None:
        return None
    fusion, evidence = fusions[-1], stars_of(record)
    flow = fusion_flow(fusion)
    passages = [row.passage for row in fusion.rows]
    called = names(passages)
    seen = {
        passage.chunk: {
            "name": _starred(called[passage.chunk], passage.chunk in evidence),
            "title": _starred(passage.title, passage.chunk in evidence),
            "detail": flow["passages"][place]["detail"],
            "star": passage.chunk in evidence,
            "colour": flow["passages"][place]["colour"],
        }
        for place, passage in enumerate(passages)
    }
    lists = [
        {
            "text": ranked["meaning"],
            "hits": [
                row.passage.chunk
                for row in sorted(fusion.rows, key=lambda row: row.ranks[place] or inf)
                if row.ranks[place] is not None
            ][:HITS],
        }
        for place, ranked in enumerate(flow["lists"])
    ]
    fused = [passage.chunk for passage in passages[:SEEN]]
    return {
        "strategy": strategies()[started.strategy].title,
        "question": started.question,
        "lists": lists,
        "passages": seen,
        "fused": fused,
        "answer": doubted((answer.short or answer.text).strip(), answer),
        "scenes": _scenes(record, fusion, fused, evidence),
    }


def _starred(name: str, star: bool) -> str:
    return f"{STAR} {name}" if star else name


def _scenes(record: Record, fusion: Fusion, fused: list[str], evidence: frozenset[str]) -> list[str]:
    """A sentence for each scene: question, queries, lists, fused order, answer."""
    stars = [row for row in fusion.rows[:SEEN] if row.passage.chunk in evidence]
    own = sum(row.ranks[0] is not None for row in stars)
    holds = (
        f"does not hold the {STAR}"
        if len(stars) == 1
        else f"holds {own or 'none'} of the {len(stars)} {STAR}"
    )
    alone = f" The first list, that of the question itself, {holds}."
    missed = own < len(stars) and fusion.lists[0].query == record.question
    result = outcome(record, judge=False)
    finds = (
        f" {STAR} marks evidence: {result.evidence[0].lower()}{result.evidence[1:]}"
        if result and result.of
        else ""
    )
    if result and finds and result.plain is not None:
        finds += f"; {result.beside}"
    return [
        "Somebody asks in everyday words. The documents use other words.",
        f"A model rewords the question: {counted(len(fusion.lists), 'query', 'queries')} in all.",
        f"Each query is a search of its own. Boxes are passages, best first; {STAR} holds the answer.",
        f"The lists are fused: a passage that several of them hold moves up.{alone if missed else ''}",
        f"The model answers from the best passages.{finds}{'.' if finds else ''}",
    ]
