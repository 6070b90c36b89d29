"""Small to big: hits with what stands around them, or documents from the first on, as far as they fit into a number of
tokens.

After the sentence windows and parent documents of LlamaIndex and LangChain: what is searched may be small, and what is
given large. Nothing is read here; see `core.retrieval.widening`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import Literal

from core.trace.passages import Hit, Passage, merged
from core.wording import counted

Give = Literal["passages", "surroundings", "documents", "everything"]
Count = Callable[[str], int]
"""Text -> its number of tokens."""

LONGEST_TOKEN = 20
"""Characters; no language needs more. What is longer is one unbroken word (Base64, say), an unknown token."""


@dataclass(frozen=True)
class Widening:
    """What is given of what was found."""

    give: Give = "surroundings"
    neighbours: int = 1
    """Chunks on either side, where surroundings are given."""
    most_tokens: int = 3000


@dataclass(frozen=True)
class Fitted:
    """What is given, best first."""

    given: tuple[tuple[Passage, float | None], ...]
    """Passages with the score of their best hit."""
    rest: tuple[Hit, ...]
    """Hits that are in none of them."""
    note: str
    """What it costs, and what did not fit, in sentences."""


def counting(tokenizer: Count) -> Count:
    """Counts tokens as a tokenizer does, each text once, and long words for more than one."""

    @cache
    def count(text: str) -> int:
        return max(tokenizer(text), ceil(len(text) / LONGEST_TOKEN))

    return count


def cost_of(passage: Passage, count: Count) -> int:
    """Tokens of a passage as an answer is given it, with its title."""
    return count(f"{passage.title}\n{passage.text}")


def around(hit: Passage, how: Widening, document_chunks: int) -> range:
    """Positions of the chunks that a hit is given with.

    Args:
        document_chunks: How many its document has.
    """
    if how.give == "documents":
        return range(max(document_chunks, hit.position + 1))
    return range(max(0, hit.position - how.neighbours), hit.position + how.neighbours + 1)


def fitted(
    hits: Sequence[Hit],
    used: int,
    chunks: Iterable[Passage],
    missing: Collection[str],
    how: Widening,
    count: Count,
) -> Fitted:
    """Hits with what stands around them: all hits first, and then each is widened, the best first, if that still fits.

    Args:
        hits: Best first.
        used: How many of them are to be given; the first one always is.
        chunks: The chunks around them, as far as they are there.
        missing: Ids of documents that are too large to be given whole, so that their chunks were not even read.
        how: What is given.
        count: Counts tokens.
    """
    known: defaultdict[str, dict[int, Passage]] = defaultdict(dict)
    for chunk in (*chunks, *(hit.passage for hit in hits[:used])):
        known[chunk.document][chunk.position] = chunk
    order = [hit.passage.chunk for hit in hits[:used]]

    def passages(chosen: Collection[tuple[str, int]]) -> list[Passage]:
        return [
            _one(run, order) for run in _runs(known[document][place] for document, place in sorted(chosen))
        ]

    def fits(chosen: Collection[tuple[str, int]]) -> bool:
        return sum(cost_of(one, count) for one in passages(chosen)) <= how.most_tokens

    chosen: set[tuple[str, int]] = set()
    taken: list[Hit] = []
    for hit in hits[:used]:
        more = chosen | {(hit.passage.document, hit.passage.position)}
        if taken and not fits(more):
            break
        chosen, taken = more, [*taken, hit]
    alone = sum(cost_of(hit.passage, count) for hit in taken)
    bare: list[Hit] = []
    for hit in taken:
        document = hit.passage.document
        wanted = known[document].keys() & set(around(hit.passage, how, max(known[document]) + 1))
        more = chosen | {(document, place) for place in _next_to(hit.passage.position, wanted)}
        if document not in missing and (more == chosen or fits(more)):
            chosen = more
        else:
            bare.append(hit)
    given = sorted(passages(chosen), key=lambda one: order.index(one.chunk))
    scores = {hit.passage.chunk: hit.score for hit in hits}
    held = {chunk for one in given for chunk in one.chunks}
    cost = sum(cost_of(one, count) for one in given)
    return Fitted(
        tuple((one, scores[one.chunk]) for one in given),
        tuple(hit for hit in hits if hit.passage.chunk not in held),
        _note(how, taken, min(used, len(hits)), bare, cost, alone),
    )


def _next_to(place: int, places: Collection[int]) -> Iterator[int]:
    """The places on either side of one, up to the first that is missing."""
    for side in (-1, 1):
        beside = place + side
        while beside in places:
            yield beside
            beside += side


def _runs(chunks: Iterable[Passage]) -> Iterator[list[Passage]]:
    """Chunks that follow one another in their document, together."""
    run: list[Passage] = []
    for chunk in chunks:
        if run and (chunk.document, chunk.position) != (run[-1].document, run[-1].position + 1):
            yield run
            run = []
        run.append(chunk)
    if run:
        yield run


def _one(run: Sequence[Passage], found: Sequence[str]) -> Passage:
    return run[0] if len(run) == 1 else merged(run, found)


def _note(
    how: Widening, taken: Sequence[Hit], wanted: int, bare: Sequence[Hit], cost: int, alone: int
) -> str:
    if not taken:
        return ""
    hits = "the hit alone" if len(taken) == 1 else f"the {len(taken)} hits alone"
    parts = [f"{cost:,} tokens; {hits}: {alone:,}."]
    if len(taken) < wanted:
        parts.append(
            f"Of {wanted} hits, {counted(len(taken), 'fits', 'fit')} into {how.most_tokens:,} tokens."
        )
    if bare and how.give == "documents":
        every = {hit.passage.document for hit in taken}
        whole = len(every) - len({hit.passage.document for hit in bare})
        fits = counted(whole, "fits", "fit")
        parts.append(f"Of {counted(len(every), 'document')}, {fits} whole into {how.most_tokens:,} tokens.")
    elif bare:
        parts.append(
            f"Of {counted(len(taken), 'hit')}, {len(bare)} came without neighbours, which did not fit into "
            f"{how.most_tokens:,} tokens."
        )
    return " ".join([*parts, COUNTED])


COUNTED = (
    "Counted as chunks are, by the tokens of the built-in embedding model; other models count otherwise."
)
