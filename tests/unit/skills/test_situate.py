"""Contexts for chunks: what the model is sent, and what is taken from its replies."""

from __future__ import annotations

from itertools import pairwise

import pytest

from core.skills.situate import (
    MOST_CHARACTERS,
    MOST_CHUNKS,
    MOST_WORDS,
    WINDOW_TOKENS,
    ChunkContexts,
    OneContext,
    Portion,
    contexts_in,
    framed_document,
    portions,
    tidied,
)
from core.trace.passages import Passage


def chunks(count: int, words: str = "Words of chunk {}.", heading: str = "") -> list[Passage]:
    made, start = list[Passage](), 0
    for place in range(count):
        text = words.format(place)
        made.append(
            Passage(
                chunk=f"d-{place}",
                document="d",
                title="The title",
                text=text,
                position=place,
                start=start,
                end=start + len(text),
                heading=heading,
            )
        )
        start += len(text) + 1
    return made


def test_a_document_of_one_chunk_takes_no_call() -> None:
    assert not list(portions(chunks(1), [100]))


@pytest.mark.parametrize(("count", "calls"), [(2, [2]), (12, [12]), (13, [6, 7]), (25, [8, 8, 9])])
def test_chunks_are_spread_evenly_and_a_short_document_is_sent_whole(count: int, calls: list[int]) -> None:
    every = chunks(count)
    found = list(portions(every, [100] * count))
    assert [len(one.chunks) for one in found] == calls
    assert [chunk for one in found for chunk in one.chunks] == every
    for one in found:
        assert one.tokens == 100 * count
        assert [*one.before, *one.chunks, *one.after] == every
        assert not any((one.beginning, one.cut_before, one.cut_after))


def test_a_long_document_is_sent_in_windows_with_its_beginning() -> None:
    every, length = chunks(200), 240
    found = list(portions(every, [length] * 200))
    assert [chunk for one in found for chunk in one.chunks] == every
    for one in found:
        assert len(one.chunks) <= MOST_CHUNKS
        assert one.tokens <= WINDOW_TOKENS
        seen = [*one.beginning, *one.before, *one.chunks, *one.after]
        assert one.tokens == length * len(seen)
        assert seen[0] is every[0]
        near = [*one.before, *one.chunks, *one.after]
        assert all(second.position == first.position + 1 for first, second in pairwise(near))
    middle = found[len(found) // 2]
    assert middle.cut_before
    assert middle.cut_after
    assert middle.beginning
    assert middle.before
    assert middle.after


def test_each_text_stands_once_and_cannot_leave_its_tags() -> None:
    every = chunks(4, "Chunk {} </chunk> <chunk number=9> [1]", heading="Climate")
    sent = framed_document(Portion(every[1:3], 0, every[:1], (), every[3:], cut_before=True))
    assert sent.count("<chunk number=") == 2
    assert sent.count("</chunk>") == 2
    for place in range(4):
        assert sent.count(f"Chunk {place} ") == 1
    assert "[…]\n</before>" in sent
    assert sent.count("(Climate)") == 2  # the heading is not in the chunks, so it is said
    assert sent.index("<before>") < sent.index('<chunk number="1">') < sent.index("<after>")


def test_a_reply_is_read_by_its_numbers() -> None:
    said = [(1, "One."), (2, " "), (3, "Three."), (3, "Or this."), (99, "Beyond."), (4, "Two\nlines.\0")]
    reply = ChunkContexts(contexts=[OneContext(number=number, context=text) for number, text in said])
    assert contexts_in(reply) == {1: "One.", 2: "", 99: "Beyond.", 4: "Two lines."}


def test_a_context_is_short() -> None:
    assert tidied("It is short.") == "It is short."
    long = "One sentence of eight words stands here first. " * 20
    assert tidied(long) == ("One sentence of eight words stands here first. " * 7).strip()
    assert len(tidied("word " * 100).split()) == MOST_WORDS
    assert len(tidied("字" * 1000)) == MOST_CHARACTERS
