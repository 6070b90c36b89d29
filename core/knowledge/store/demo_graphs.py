"""The graphs that come with the app."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from core.corpora.demo import DEMO_CORPUS, WORLD
from core.corpora.look_alikes import look, looks

_DATA = Path(__file__).parents[3] / "data" / "graphs"


class DemoGraph(NamedTuple):
    """A graph that comes with the app."""

    name: str
    file: Path
    origin: str
    subjects: str = ""
    """Kind of every subject in it, where all are of one kind; empty: not known."""
    corpus: str = ""
    """The corpus of the app whose documents its triples cite; empty: none."""


DEMO_GRAPHS = (
    DemoGraph(
        "Pellamar", WORLD / "triples.jsonl", "Made from the facts of its documents", corpus=DEMO_CORPUS
    ),
    DemoGraph(
        "Movie questions (MetaQA)", _DATA / "metaqa" / "triples.tsv", "MetaQA, CC BY 3.0", "film / movie"
    ),
    DemoGraph("Movies (Neo4j example)", _DATA / "movies" / "movies.cypher", "Neo4j's example, Apache 2.0"),
    DemoGraph(
        "Wikipedia demo (Wikidata)",
        _DATA / "wikidata_demo" / "triples.tsv",
        "Wikidata, CC0: the demo's evidence",
    ),
    DemoGraph(
        "Hypernodes (KG-RAG examples)",
        _DATA / "hypernodes" / "triples.jsonl",
        "Written after the KG-RAG paper",
    ),
)


GRAPH_VECTORS = WORLD / "graph_vectors.npz"
"""The built-in vectors of the names in the first one, so that its search index is there at once."""


def demo_names() -> tuple[str, ...]:
    """Return the names of the graphs that come with the app."""
    return tuple(demo.name for demo in DEMO_GRAPHS)


@cache
def example_questions() -> dict[str, list[str]]:
    """Return questions for those of them that cite no corpus, by the name of the graph."""
    return tomllib.loads((_DATA / "questions.toml").read_text(encoding="utf-8"))


def is_demo(name: str) -> bool:
    """Return True if a name is that of a graph that comes with the app, or reads like it."""
    return not looks(name).isdisjoint(map(look, demo_names()))
