"""Storing a graph with handles: words of two sentences become triples, which are stored as the app's graphs are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.corpora.demo import DEMOS, own_documents
from core.knowledge.store.cypher_writing import WRITE_ENTITIES, WRITE_IMPLIED, WRITE_RELATIONS, writing_steps
from core.knowledge.triples import Entity, Node, Statement, Triple, TripleSource
from tools.explorables.world import triples

SENTENCES = (
    ("companion-halcyon-maid.md", "The Halcyon Maid was wrecked on Sedge Reef on 11 November 1903."),
    (
        "courier-1903-wreck.md",
        "the steamer Halcyon Maid was wrecked on Sedge Reef on Wednesday, 11 November 1903",
    ),
)
"""Document and words of each, as triples of the demo graph quote them."""
FIRST = {"sentence": 0, "subject": [1, 2], "relation": [3, 5], "object": [6, 7]}
"""The triple that is there at first."""
MOST, DEEPEST = 8, 2
"""Triples that can be made, and how deep they may lie within each other."""
WORD = re.compile(r"\w+")
QUESTION = "Which triples hold these two sentences?"
HOW = (
    "Choose the first and the last word of a subject, then of a relation, then of an object, and store the triple. "
    "With “Say more about it”, a stored triple becomes the subject of the next: when, where, as what."
)


def make() -> dict[str, Any]:
    """The sentences by their words, with what the demo graph made of them."""
    documents = {one.name: one for one in own_documents(DEMOS[0])}
    sentences = []
    for name, text in SENTENCES:
        document = documents[name]
        if text not in document.text:
            raise ValueError(f"{name} does not hold the sentence")
        sentences.append(
            {
                "text": text,
                "words": [list(word.span()) for word in WORD.finditer(text)],
                "title": document.title,
                "triples": [
                    _as_list(one)
                    for one in triples()
                    if (one.source.document, one.source.quote) == (document.id, text)
                ],
            }
        )
    first, second = (one["title"] for one in sentences)
    return {
        "question": QUESTION,
        "about": f"From two documents of Pellamar: “{first}” (1) and “{second}” (2). The demo's own graph was "
        "made from the facts that its documents tell.",
        "how": HOW,
        "first": FIRST,
        "most": MOST,
        "deepest": DEEPEST,
        "sentences": sentences,
    }


def _as_list(node: Node | Triple) -> Any:
    """A triple as lists within each other, an entity as its name."""
    if isinstance(node, Entity):
        return node.name
    return [_as_list(node.subject), node.relation, _as_list(node.object)]


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The `entities`, `statements` and `edges` that are written for the triples, in alphabetical order.

    Args:
        data: As `make` gives it.
        values: `triples`: each with the place of its sentence, and the first and last word of its parts; the subject
            may be the place of an earlier triple.
    """
    made: list[Triple] = []
    for one in values["triples"]:
        sentence = data["sentences"][one["sentence"]]
        made.append(
            Triple(
                subject=_subject(one["subject"], sentence, made),
                relation=_words(one["relation"], sentence),
                object=Entity(name=_words(one["object"], sentence)),
                source=TripleSource(chunk=str(one["sentence"])),
            )
        )
    rows: dict[str, list[dict[str, Any]]] = {text: given["rows"] for text, given in writing_steps(made)}
    names = {row["id"]: row["name"] for row in rows.get(WRITE_ENTITIES, [])}
    statements = {node.id: node for one in made for node in one.nodes if isinstance(node, Statement)}

    def name(ident: str) -> str:
        """As `WRITE_STATEMENTS` names hypernodes: after their ends."""
        if ident in names:
            return str(names[ident])
        node = statements[ident]
        return f"({name(node.subject.id)})-[{node.relation}]->({name(node.object.id)})"

    edges = {
        (name(row["s"]), row["rel"], name(row["t"]), int(row["chunk"]))
        for text in (WRITE_RELATIONS, WRITE_IMPLIED)
        for row in rows.get(text, [])
    }
    return {
        "entities": sorted(names.values()),
        "statements": sorted(map(name, statements)),
        "edges": [list(edge) for edge in sorted(edges)],
    }


def _subject(subject: Any, sentence: Mapping[str, Any], made: Sequence[Triple]) -> Node:
    if isinstance(subject, int):
        about = made[subject]
        return Statement(subject=about.subject, relation=about.relation, object=about.object)
    return Entity(name=_words(subject, sentence))


def _words(span: Sequence[int], sentence: Mapping[str, Any]) -> str:
    first, last = (sentence["words"][place] for place in span)
    text: str = sentence["text"][first[0] : last[1]]
    return text
