"""Routing a question: from memory, by one search, or by several steps (Jeong et al. 2024, Adaptive-RAG).

The paper trains a classifier on questions labelled with the cheapest way that got them right. Here the model judges, or
labelled questions that are near vote.
"""

from __future__ import annotations

import asyncio
import csv
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast, get_args

from pydantic import BaseModel, BeforeValidator

from core.models.embedding_vectors import PrecomputedEmbeddings, cosine_matrix, load_vectors, normalise
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.grading import Reason, ask_grader, plain_word
from core.trace.artefacts import Route, RouteVote, WayName

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from core.models.embeddings import Embedder

    Rows = NDArray[np.floating]


NONE: WayName = "no-search"
NO_DOCUMENTS = "(not known)"


def _way(value: Any) -> Any:
    """The name of a way as models write it: `no_search`, `One search.`"""
    return re.sub(r"[\s_]+", "-", word) if isinstance(word := plain_word(value), str) else word


class Choice(BaseModel):
    """The form of the reply: a way, with a reason."""

    reason: Reason = ""
    way: Annotated[WayName, BeforeValidator(_way)]


ROUTE = Skill.of(
    "route",
    "Choose the way",
    Method(
        MODEL,
        "The model chooses",
        "One call: the way, with a reason. It sees the question and a few titles, but no passage.",
        slots=("question",),
    ),
    Method(
        "nearest",
        "Nearest labelled questions vote",
        "No model call: the labelled questions that are nearest by embeddings vote; not to search takes all votes. "
        "It is good at questions of a kind that it has examples of, and little better than chance at others.",
    ),
    builtin="nearest",
)


@task(ROUTE)
async def route(context: SkillContext, question: str, documents: str, voters: int) -> Route:
    """The way for a question.

    Args:
        documents: What there is to search, in a line; empty: not known.
        voters: How many labelled questions vote, where they do.
    """
    method = context.method(ROUTE)
    if method != MODEL:
        return _voted(await nearest(context.embedder, question, voters), method)
    reply = await ask_grader(
        context, ROUTE, method, Choice, question=question, documents=documents or NO_DOCUMENTS
    )
    return Route(way=reply.way, reason=reply.reason, skill=ROUTE.key, method=method)


def elected(votes: Sequence[RouteVote]) -> WayName:
    """The way with most votes; of equals the one whose examples are nearer in all.

    Not to search takes all votes: where that is wrong there is no evidence, and a search too many costs only itself.
    """
    searching = [vote for vote in votes if vote.way != NONE] or votes
    cosines = {way: [vote.cosine for vote in searching if vote.way == way] for way in get_args(WayName)}
    won: WayName = max(cosines, key=lambda way: (len(cosines[way]), sum(cosines[way])))
    return won


def _voted(votes: tuple[RouteVote, ...], method: str) -> Route:
    way = elected(votes)
    agree, none = (sum(vote.way == choice for vote in votes) for choice in (way, NONE))
    against = f" {none} took no search, which needs all of them." if none and way != NONE else ""
    return Route(
        way=way,
        reason=f"{agree} of the {len(votes)} nearest labelled questions took this way.{against}",
        votes=votes,
        skill=ROUTE.key,
        method=method,
    )


ROUTING = Path(__file__).parents[2] / "data" / "routing"
EXAMPLES, KEPT_OUT, VECTORS = ROUTING / "examples.tsv", ROUTING / "kept_out.tsv", ROUTING / "vectors.npz"

_KEPT: dict[str, Rows] = {}
"""Key of an embedding model -> the vectors of the examples, in their order."""


class Example(NamedTuple):
    """A labelled question."""

    way: WayName
    question: str
    source: str
    """Where it comes from: `own`, or a data set."""


@cache
def examples(file: Path = EXAMPLES) -> tuple[Example, ...]:
    """The labelled questions of a file."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(Example(cast("WayName", row["way"]), row["question"], row["source"]) for row in rows)


async def nearest(embedder: Embedder, question: str, count: int) -> tuple[RouteVote, ...]:
    """The examples whose vectors have the largest cosine with the question's, nearest first.

    Raises:
        ModelError: The embedding model fails.
    """
    rows = await _vectors(embedder)
    cosines = cosine_matrix([await embedder.embed_query(question)], rows)[0]
    known = examples()
    return tuple(
        RouteVote(
            question=known[place].question, way=known[place].way, cosine=round(float(cosines[place]), 4)
        )
        for place in (-cosines).argsort(kind="stable")[:count]
    )


async def _vectors(embedder: Embedder) -> Rows:
    """The vectors of all examples: those that come with the app, or computed once per process."""
    if embedder.key not in _KEPT:
        texts = [example.question for example in examples()]
        known = PrecomputedEmbeddings(embedder.embeddings, load_vectors(VECTORS, embedder.key))
        _KEPT[embedder.key] = normalise(await asyncio.to_thread(known.embed_documents, texts))
    return _KEPT[embedder.key]
