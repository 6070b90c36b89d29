"""Reranking: the first hits of a search in the order of a second judge, who takes longer.

By the chat model: listwise, with a sliding window (W. Sun et al., Is ChatGPT Good at Search? Investigating Large
Language Models as Re-Ranking Agents, EMNLP 2023, arXiv 2304.09542). By token vectors: see
`core.retrieval.late_interaction`. By a reranker at an endpoint: see `core.models.rerank_endpoint`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from core.corpora.sentence_spans import not_latin
from core.errors import ModelError, UnusableReply
from core.models.capabilities import Sampling
from core.retrieval.repeats import mark_repeats
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import framed_passages
from core.trace.artefacts import Ranking
from core.trace.passages import Hit, Passage

TOKENS, SERVER = "tokens", "server"
WINDOW, STEP = 20, 10
"""Passages that the model puts in order at once, and by how many the next window lies before the last; as in the
paper."""
MOST_WORDS = 200
"""What the model reads of a passage."""

RERANK = Skill.of(
    "rerank",
    "Rerank what a search found",
    Method(
        MODEL,
        "The model puts them in order",
        f"One call for up to {WINDOW} passages: it writes their numbers, best first. More take one call for each "
        f"{STEP} more, from the last ones to the first, so that a good one can rise all the way.",
        slots=("question", "passages", "n"),
    ),
    Method(
        TOKENS,
        "Token by token",
        "No model call: each word of the query looks for the word of the passage that is nearest in its context "
        "(MaxSim), by the built-in encoder; how near they are counts beside the search's own score. English only.",
    ),
    Method(
        SERVER,
        "A reranker at an endpoint",
        "No call of the chat model: a model that was trained to read query and passage together scores each pair.",
    ),
    builtin=TOKENS,
    served=SERVER,
)


class Order(BaseModel):
    """The form of the reply: numbers of passages, best first."""

    order: list[Annotated[int, BeforeValidator(lambda value: _number(value))]] = Field(max_length=200)


@dataclass(frozen=True)
class Judged:
    """The scores that a judge gives passages, in their order."""

    scores: Sequence[float]
    """Larger is better."""
    score_name: str
    note: str = ""


class _OrderStays(Exception):
    """The search's order stays; the argument says why."""


@task(RERANK)
async def rerank(context: SkillContext, query: str, ranking: Ranking) -> Ranking:
    """A ranking in the order of another judge. If that fails, the search's order stays, and the note says why.

    A failure ends no run, since there is an order already; a cap on calls that is reached does. Where the model's order
    cannot be read, the skill's other method judges.

    Raises:
        CallLimitReached: The run has no calls left.
    """
    if len(ranking.hits) < 2:
        return ranking
    method = context.method(RERANK)
    judge = {MODEL: _by_model, TOKENS: _by_tokens, SERVER: _by_server}[method]
    update: dict[str, Any] = {"skill": RERANK.key, "method": method}
    try:
        judged = await judge(context, query, ranking)
    except UnusableReply:
        raise
    except (ModelError, _OrderStays) as error:
        note = f"Not reranked, so this is the search's own order: {error}"
        return ranking.model_copy(update=update | {"note": _notes(ranking.note, note)})
    order = sorted(zip(judged.scores, ranking.hits, strict=True), key=lambda pair: -pair[0])
    hits = tuple(
        Hit(rank=rank, score=score, passage=hit.passage, before=hit.rank)
        for rank, (score, hit) in enumerate(order, 1)
    )
    update |= {"hits": hits, "score_name": judged.score_name, "note": _notes(ranking.note, judged.note)}
    return mark_repeats(ranking.model_copy(update=update))


def windows(count: int) -> Iterator[range]:
    """The places of the passages that the model puts in order together, window by window: the last ones first."""
    end = count
    while True:
        yield range(max(0, end - WINDOW), end)
        if end <= WINDOW:
            return
        end -= STEP


def in_order(wanted: Iterable[int], count: int) -> list[int]:
    """Places from 0 by the numbers that a model wrote: each once, unknown ones left out, missing ones behind."""
    known = (number - 1 for number in wanted if 1 <= number <= count)
    return list(dict.fromkeys((*known, *range(count))))


async def _by_model(context: SkillContext, query: str, ranking: Ranking) -> Judged:
    passages = [hit.passage for hit in ranking.hits]
    order = list(range(len(passages)))
    every = list(windows(len(passages)))
    unread = 0
    for window in every:
        places = [order[place] for place in window]
        try:
            numbers = await _ask(context, query, [passages[place] for place in places])
        except UnusableReply:
            unread += 1
            if unread == len(every):  # none was of use
                raise
            continue
        order[window.start : window.stop] = [places[place] for place in in_order(numbers, len(places))]
    note = f"{unread} of {len(every)} replies could not be read, and changed nothing." if unread else ""
    ranks = {place: rank for rank, place in enumerate(order, 1)}
    return Judged(
        [1 / ranks[place] for place in range(len(passages))], "1 / place in the model's order", note
    )


async def _ask(context: SkillContext, query: str, passages: Sequence[Passage]) -> list[int]:
    cut = [
        passage.model_copy(update={"text": _first_words(passage.text, MOST_WORDS)}) for passage in passages
    ]
    reply = await context.structured(
        RERANK,
        MODEL,
        Order,
        Sampling(temperature=0.0, max_tokens=400),
        question=query,
        passages=framed_passages(cut),
        n=len(passages),
    )
    if not any(1 <= number <= len(passages) for number in reply.order):
        raise UnusableReply("The model's order names none of the passages.", RERANK.key)
    return reply.order


def _number(value: Any) -> Any:
    """A number as models write it: also “3”, “[3]” or “passage 3”."""
    digits = re.search(r"\d+", value) if isinstance(value, str) else None
    return int(digits.group()[:6]) if digits else value


async def _by_server(context: SkillContext, query: str, ranking: Ranking) -> Judged:
    if context.reranker is None:
        raise _OrderStays("no reranker is configured. Set RERANK_BASE_URL.")
    scores = await context.reranker.scores(query, [passage_text(hit.passage) for hit in ranking.hits])
    return Judged(scores, f"score of {context.reranker.model or 'the reranker'}")


async def _by_tokens(context: SkillContext, query: str, ranking: Ranking) -> Judged:
    from core.retrieval.late_interaction import SCORE_NAME, join_scores

    texts = [passage_text(hit.passage) for hit in ranking.hits]
    latin = sum(not not_latin(text) for text in texts)
    if not_latin(query) or latin * 2 < len(texts):
        raise _OrderStays(
            "the built-in encoder reads English only. Choose another method for other languages."
        )
    scores = join_scores([hit.score for hit in ranking.hits], await likenesses(query, texts))
    foreign = len(texts) - latin
    note = (
        f"{foreign} of {len(texts)} passages are not in Latin script and count as average ones."
        if foreign
        else ""
    )
    return Judged(scores.tolist(), SCORE_NAME, note)


async def likenesses(query: str, texts: Sequence[str]) -> list[float | None]:
    """MaxSim of each text with a query, see `core.retrieval.late_interaction`; None where its script is not Latin.

    Raises:
        ModelError: The built-in encoder is not installed.
    """
    from core.models.embeddings import kept_token_vectors, token_vectors
    from core.retrieval.late_interaction import asks, maxsim

    latin = [text for text in texts if not not_latin(text)]
    vectors, tokens = await asyncio.to_thread(token_vectors, query)
    asking = vectors[[place for place, token in enumerate(tokens) if asks(token)] or slice(None)]
    known = dict(zip(latin, await kept_token_vectors().of(latin), strict=True))
    return [maxsim(asking, known[text]) if text in known else None for text in texts]


def passage_text(passage: Passage) -> str:
    """The part of a passage that is judged: its text and the title that it is shown with, as answers are given it."""
    # It brings SQLAlchemy, which only a run that reranks may wait for.
    from core.corpora.splitting import embedded_text

    return embedded_text(passage.title, passage.text)


def _notes(*notes: str) -> str:
    return " ".join(filter(None, notes))


def _first_words(text: str, most: int) -> str:
    """The beginning of a text, as many words as `most`, its lines as they are."""
    beginning = re.match(rf"(?:\s*\S+){{0,{most}}}", text)
    return beginning.group() if beginning else ""
