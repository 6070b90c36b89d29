"""Vectors and replies by way of a recording, and the pace at which replies are played."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from core.models.recordings.items import KeptReply
from core.models.recordings.open_recording import RecordedEmbeddings, kept_vector, numbers
from core.models.recordings.playing import played
from core.models.recordings.store import RecordingStore
from tests.embedder import WordCounts
from tests.unit.models.recordings.samples import ME, head, open_store, recorded, reply


@pytest.fixture
def store(tmp_path: Path) -> RecordingStore:
    return open_store(tmp_path)


def test_vectors_are_kept_once_and_as_they_will_be_played(store: RecordingStore) -> None:
    keeping = recorded(store, store.begin(head(), ME))
    model = WordCounts()
    made = RecordedEmbeddings(model, "words-1", keeping).embed_documents(["a b", "c", "a b"])
    assert model.embedded == ["a b", "c"]
    assert made[0] == pytest.approx(model.embed_query("a b"), abs=0.01)
    later = WordCounts()
    playing = replace(keeping, keeps=False)
    assert RecordedEmbeddings(later, "words-1", playing).embed_documents(["c", "a b"]) == [made[1], made[0]]
    assert later.embedded == []
    assert RecordedEmbeddings(later, "words-1", playing).embed_queries(["a b"]) == [made[0]]
    assert later.embedded == []
    RecordedEmbeddings(later, "words-2", playing).embed_documents(["c"])
    assert later.embedded == ["c"]


def test_what_is_kept_soon_is_there_at_once_and_written_when_the_store_is_closed(
    store: RecordingStore, tmp_path: Path
) -> None:
    one = store.begin(head(), ME)
    keeping = recorded(store, one)
    many = [kept_vector("m", str(number), [float(number), 1.0]) for number in range(20)]
    for vector in many:
        assert keeping.keep([vector]) == [vector]
    found = keeping.vectors("m", [str(number) for number in range(20)])
    assert found == {str(number): numbers(vector) for number, vector in enumerate(many)}
    store.close()
    again = recorded(open_store(tmp_path), one, keeps=False)
    assert again.vectors("m", [str(number) for number in range(20)]) == found


def test_the_vector_that_is_kept_first_counts_for_both(store: RecordingStore) -> None:
    keeping = recorded(store, store.begin(head(), ME))
    first = keeping.keep_vectors("m", ["a"], [[0.6, -0.8]])
    assert keeping.keep_vectors("m", ["a", "b"], [[0.601, -0.799], [1.0, 0.0]])[0] == first[0]


def test_a_vector_of_another_length_is_of_no_use(store: RecordingStore) -> None:
    class Known(WordCounts):
        dimensions = len(WordCounts().embed_query(""))

    one = store.begin(head(), ME, items=[kept_vector("words-1", "a", [1.0, 0.0])])
    for keeps in (False, True):
        found = RecordedEmbeddings(Known(), "words-1", recorded(store, one, keeps=keeps))
        assert len(found.embed_query("a")) == Known.dimensions


def test_a_full_recording_gives_rounded_vectors_all_the_same(store: RecordingStore) -> None:
    full = recorded(store, store.begin(head(), ME), limit=10)
    made = full.keep_vectors("m", ["a"], [[0.6, -0.8]])
    assert made == [numbers(kept_vector("m", "a", [0.6, -0.8]))]
    assert full.keep([reply()], soon=False) == []


def test_of_two_replies_the_first_one_is_kept(store: RecordingStore) -> None:
    keeping = recorded(store, store.begin(head(), ME))
    assert keeping.keep([reply(text="first")], soon=False) == [reply(text="first")]
    assert keeping.keep([reply(text="second", cut=True)], soon=False) == [reply(text="first")]


@pytest.mark.parametrize("text", ["one", "가넷홈의 새들을 드론으로", "  a\n\n b ", "x" * 5000])
def test_pieces_make_the_whole_reply(text: str) -> None:
    kept = KeptReply(**reply(text=text).model_dump() | {"first": 0.0, "seconds": 0.1, "cut": True})

    async def pieces(shown: bool) -> list[str]:
        found = [piece async for piece in played(kept, "recorded", shown=shown)]
        assert [piece.finish for piece in found] == [""] * (len(found) - 1) + ["length"]
        assert found[-1].usage == kept.usage
        return [piece.text for piece in found]

    shown, whole = asyncio.run(pieces(True)), asyncio.run(pieces(False))
    assert "".join(shown) == text
    assert len(shown) == min(3, len(text))
    assert whole == [text]
