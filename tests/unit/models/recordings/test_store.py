"""The recordings in the database: whoever is first stays, what is full or gone takes nothing."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from core.errors import InputError
from core.models.recordings.items import KeptReply
from core.models.recordings.store import RecordingStore, size_of
from tests.unit.models.recordings.samples import LIMIT, ME, everything, head, open_store, reply, run


@pytest.fixture
def store(tmp_path: Path) -> RecordingStore:
    return open_store(tmp_path)


def test_what_is_kept_is_there_again(store: RecordingStore) -> None:
    one = store.begin(head(), ME)
    assert store.keep(one.id, everything(), LIMIT)
    assert store.item(one.id, KeptReply, reply().key) == reply()
    assert store.runs(one.id) == [run()]
    assert sorted(map(repr, store.everything(one.id))) == sorted(map(repr, everything()))
    entry = store.get(one.id)
    assert (entry.replies, entry.bytes) == (2, size_of(everything()))


def test_whoever_is_first_stays(store: RecordingStore) -> None:
    one = store.begin(head(), ME)
    ready = threading.Barrier(8)

    def keep(number: int) -> None:
        ready.wait()
        assert store.keep(one.id, [reply(text=f"from {number}"), reply(f"of {number}")], LIMIT)
        assert store.keep(one.id, [reply("single", text=f"from {number}")], LIMIT)

    threads = [threading.Thread(target=keep, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.get(one.id).replies == 10
    first = store.item(one.id, KeptReply, reply().key)
    assert store.keep(one.id, [reply(text="too late")], LIMIT)
    assert store.item(one.id, KeptReply, reply().key) == first
    assert store.get(one.id).bytes == size_of(store.everything(one.id))


def test_what_is_full_takes_nothing_more_and_goes_on_playing(store: RecordingStore) -> None:
    one = store.begin(head(), ME)
    limit = size_of([reply()])
    assert store.keep(one.id, [reply()], limit)
    assert not store.keep(one.id, [reply("another")], limit)
    assert store.keep(one.id, [reply("another")], limit) == []
    assert store.keep(one.id, [reply(text="too late")], limit) == [reply()]
    assert store.keep(one.id, [reply()], limit)
    assert store.item(one.id, KeptReply, reply().key) == reply()
    assert store.get(one.id).bytes == limit


def test_what_is_deleted_takes_nothing(store: RecordingStore) -> None:
    one = store.begin(head(), ME, items=everything())
    store.delete(one.id)
    assert not store.keep(one.id, [reply()], LIMIT)
    assert store.keep(one.id, [reply()], LIMIT) == []
    assert not store.there(one.id)
    assert store.item(one.id, KeptReply, reply().key) is None
    with pytest.raises(InputError, match="has been deleted"):
        store.get(one.id)


def test_names_are_told_apart_for_each_owner(store: RecordingStore) -> None:
    one, other = store.begin(head(), ME), store.begin(head("Other"), ME)
    assert store.begin(head(), "somebody else").name == one.name
    for taken in (lambda: store.begin(head("  Lesson "), ME), lambda: store.rename(other.id, "Lesson")):
        with pytest.raises(InputError, match="There is a recording “Lesson” already"):
            taken()
    store.rename(other.id, "Seventh\u202e \x00 lesson\n")
    assert store.get(other.id).name == "Seventh lesson"
    for unfit in (" \x00", "x" * 201):
        with pytest.raises(InputError, match="needs a name|at most 200"):
            store.rename(other.id, unfit)


def test_a_name_means_ones_own_before_what_is_pinned(store: RecordingStore) -> None:
    theirs = store.begin(head(), "somebody else")
    assert store.named("Lesson", [ME]) is None
    store.pin(theirs.id, True)
    assert store.named("Lesson", [ME]) == store.get(theirs.id)
    own = store.begin(head(), ME)
    assert store.named("Lesson", [ME]) == own
    assert store.named(theirs.id, [ME]) == store.get(theirs.id)
