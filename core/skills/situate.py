"""Contexts for the chunks of a document: what each is about, in one or two sentences, for the index.

Anthropic: Introducing Contextual Retrieval. 2024. There each chunk is a call with the whole document. In this app a
call has up to `MOST_CHUNKS` chunks, which stand numbered within the document, so that the document is sent once for
them and no chunk is sent twice. For a document of n chunks of t tokens that is n/12 · n·t tokens in the place of n ·
n·t: for the 70 documents and 384 chunks of the demo corpus, 69 calls with a seventh of the tokens.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil

from pydantic import BaseModel, Field

from core.errors import EmptyReplyError, UnusableReply
from core.models.capabilities import Sampling
from core.skills.base import MODEL, Method, Skill, SkillContext, task
from core.skills.frame import Framed, framed_line, shielded
from core.trace.events import Message
from core.trace.passages import Passage, text_of

MOST_CHUNKS = 12
"""Chunks of one call: a list that models still number without a slip."""
WINDOW_TOKENS = 6000
"""Tokens of a document in one call; a longer one is sent in windows around the chunks of the call."""
BEGINNING = 0.25
"""Share of what is left beside the chunks of a call for the beginning of the document, which says what it is; the rest
is for what stands before and behind the chunks."""
MOST_WORDS = 60
MOST_CHARACTERS = 400
"""Of a context; in scripts without blanks, only these count."""
REPLY_TOKENS = 3000
"""Longest reply; twelve contexts have half of it, but in other scripts than Latin."""
CUT = "[…]"
"""Where a part of the document is left out."""

SITUATE = Skill.of(
    "situate",
    "Say what each chunk is about",
    Method(
        MODEL,
        "The model writes one or two sentences per chunk",
        f"One call for up to {MOST_CHUNKS} chunks of a document: who “he” is, which year, which section. For the "
        "index only: never shown as words of the document, and given to no answer.",
        slots=("document", "numbers"),
    ),
    builtin="",
)


class OneContext(BaseModel):
    """The context of one chunk."""

    number: int
    context: str = Field(max_length=4000)


class ChunkContexts(BaseModel):
    """The form of the reply: a context for each chunk."""

    contexts: list[OneContext] = Field(max_length=200)


@dataclass(frozen=True)
class Portion:
    """Chunks of one call, and what the model sees of their document around them."""

    chunks: Sequence[Passage]
    tokens: int
    """Of the document, as it is sent."""
    beginning: Sequence[Passage] = ()
    """First chunks of the document, where they are too far away to be in `before`."""
    before: Sequence[Passage] = ()
    after: Sequence[Passage] = ()
    cut_before: bool = False
    """True if something is left out between the beginning and `before`."""
    cut_after: bool = False


Remembered = Callable[
    [tuple[Message, ...], int, Callable[[], Awaitable[ChunkContexts]]], Awaitable[dict[int, str]]
]
"""Messages, how many contexts they ask for, and what sends them -> contexts by their numbers; may know them already."""


def portions(chunks: Sequence[Passage], lengths: Sequence[int]) -> Iterator[Portion]:
    """The calls that a document takes; none if it is one chunk, which nothing stands around.

    Args:
        chunks: All of a document, in their order.
        lengths: Tokens of each.
    """
    if len(chunks) < 2:
        return
    count = ceil(len(chunks) / MOST_CHUNKS)
    borders = [
        len(chunks) * number // count for number in range(count + 1)
    ]  # 13 chunks are 6 and 7, not 12 and 1
    for start, end in pairwise(borders):
        yield _portion(chunks, lengths, start, end)


def _portion(chunks: Sequence[Passage], lengths: Sequence[int], start: int, end: int) -> Portion:
    own = sum(lengths[start:end])
    room = max(0, WINDOW_TOKENS - own)
    if sum(lengths) <= WINDOW_TOKENS:
        return Portion(chunks[start:end], sum(lengths), (), chunks[:start], chunks[end:])
    first = _fitting(lengths[:start], int(room * BEGINNING))
    left = room - sum(lengths[:first])
    behind = _fitting(lengths[end:], left // 2)
    left -= sum(lengths[end : end + behind])
    near = _fitting(lengths[first:start][::-1], left)
    shown = sum((*lengths[:first], *lengths[start - near : end + behind]))
    return Portion(
        chunks[start:end],
        shown,
        chunks[:first],
        chunks[start - near : start],
        chunks[end : end + behind],
        cut_before=first + near < start,
        cut_after=end + behind < len(chunks),
    )


def _fitting(lengths: Sequence[int], room: int) -> int:
    """Count the first ones that fit."""
    return bisect_right(list(accumulate(lengths)), room)


@task(SITUATE)
async def situate(
    context: SkillContext, title: str, portion: Portion, remembered: Remembered
) -> dict[str, str]:
    """Contexts of chunks, by their ids; empty where a chunk needs none. What a reply lacks is asked for once more.

    Raises:
        UnusableReply: A reply had no usable form twice.
        ModelError: The endpoint failed.
    """
    wanted = list(range(1, len(portion.chunks) + 1))
    contexts = await _ask(context, title, portion, wanted, remembered)
    if missing := [number for number in wanted if number not in contexts]:
        with suppress(UnusableReply, EmptyReplyError):  # the first reply is of use all the same
            contexts |= await _ask(context, title, portion, missing, remembered)
    return {portion.chunks[number - 1].chunk: text for number, text in contexts.items()}


async def _ask(
    context: SkillContext, title: str, portion: Portion, wanted: Sequence[int], remembered: Remembered
) -> dict[int, str]:
    messages = request(context, title, portion, wanted)

    async def send() -> ChunkContexts:
        return await context.chat.structured(
            messages,
            ChunkContexts,
            skill=SITUATE.key,
            method=MODEL,
            sampling=Sampling(temperature=0.0, max_tokens=REPLY_TOKENS),
        )

    contexts = await remembered(messages, len(wanted), send)
    return {number: text for number, text in contexts.items() if number in wanted}


def request(
    context: SkillContext, title: str, portion: Portion, wanted: Sequence[int] = ()
) -> tuple[Message, ...]:
    """The messages that ask for contexts; of all chunks, where no numbers are given."""
    numbers = ", ".join(map(str, wanted or range(1, len(portion.chunks) + 1)))
    slots = {"title": framed_line(title), "document": framed_document(portion), "numbers": numbers}
    return context.messages(SITUATE, MODEL, **slots)


def contexts_in(reply: ChunkContexts) -> dict[int, str]:
    """The contexts of a reply by their numbers, empty where a chunk needs none. A number that comes twice is of no use:
    one of the two is another's."""
    numbers = [item.number for item in reply.contexts]
    return {item.number: tidied(item.context) for item in reply.contexts if numbers.count(item.number) == 1}


def tidied(text: str) -> str:
    """A context on one line, without control characters, cut behind a sentence or a word where it is too long."""
    line = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+", " ", text).split())
    words = line.split(" ")
    short = " ".join(words[:MOST_WORDS])
    if len(short) > MOST_CHARACTERS:
        short = short[:MOST_CHARACTERS]
        short = short.rsplit(" ", 1)[0] if " " in short else short
    if short == line:
        return line
    whole = re.match(r".*(?:[.!?](?=\s|$)|[。！？])", short)
    return whole[0] if whole and len(whole[0]) > len(short) / 2 else short


def framed_document(portion: Portion) -> Framed:
    """The part of a document that the model reads: chunks between tags with their numbers, and what is around them."""
    before = [text_of(chunks, chunks[0].start) for chunks in (portion.beginning, portion.before) if chunks]
    if portion.cut_before:
        before.insert(1 if portion.beginning else 0, CUT)
    after = [text_of(portion.after, portion.after[0].start)] if portion.after else []
    if portion.cut_after:
        after.append(CUT)
    parts = [_framed("before", before)] if before else []
    parts += [_chunk(number, chunk) for number, chunk in enumerate(portion.chunks, 1)]
    parts += [_framed("after", after)] if after else []
    return Framed("\n".join(parts))


def _framed(tag: str, texts: Sequence[str]) -> str:
    inside = shielded("\n\n".join(texts))
    return f"<{tag}>\n{inside}\n</{tag}>"


def _chunk(number: int, chunk: Passage) -> str:
    # The heading above may be further back than what is sent.
    under = f"({framed_line(chunk.heading)})\n" if chunk.heading and chunk.heading not in chunk.text else ""
    return f'<chunk number="{number}">\n{under}{shielded(chunk.text)}\n</chunk>'
