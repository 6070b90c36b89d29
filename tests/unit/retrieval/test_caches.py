"""What is made from a corpus is made once per version, and only so much of it stays in memory."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from core.retrieval import caches as kept
from core.retrieval.caches import CorpusCache, work_under_way


def corpus(name: str, version: int = 1) -> Any:
    snapshot = SimpleNamespace(version=version)
    named = SimpleNamespace(name=name)
    return SimpleNamespace(chunks=named, corpus=named, snapshot=lambda: snapshot, now=snapshot)


class Made:
    """Notes of which corpora something was made."""

    def __init__(self, sizes: dict[str, int] | None = None) -> None:
        self.names: list[str] = []
        self.sizes = sizes or {}

    def __call__(self, one: Any, snapshot: Any) -> tuple[str, int]:
        self.names.append(one.chunks.name)
        return one.chunks.name, snapshot.version

    def size(self, made: tuple[str, int]) -> int:
        return self.sizes.get(made[0], 1)


def test_it_is_made_again_when_the_corpus_or_the_mark_has_changed() -> None:
    made, marks = Made(), ["a"]
    things, one = CorpusCache(made, made.size, lambda _: marks[-1]), corpus("one")
    assert [things.of(one), things.of(one)] == [("one", 1)] * 2
    one.now.version = 2
    assert [things.of(one), things.of(one)] == [("one", 2)] * 2
    marks.append("b")
    assert [things.of(one), things.of(one)] == [("one", 2)] * 2
    assert made.names == ["one"] * 3


def test_many_at_once_make_it_once_and_do_not_hold_up_others() -> None:
    begun, go = threading.Event(), threading.Event()
    made = Made()

    def make(one: Any, snapshot: Any) -> tuple[str, int]:
        if one.chunks.name == "large":
            begun.set()
            assert go.wait(60), "nobody let it go"
        return made(one, snapshot)

    things, large, small = CorpusCache(make, made.size), corpus("large"), corpus("small")
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(things.of, large) for _ in range(6)]
        assert begun.wait(60)
        assert pool.submit(things.of, small).result(60) == ("small", 1)
        go.set()
        assert {one.result(60) for one in waiting} == {("large", 1)}
    assert sorted(made.names) == ["large", "small"]


def test_who_waits_is_told_what_for_and_the_last_begun_is_what_holds_it_up() -> None:
    told: list[str] = []

    def make(one: Any, snapshot: Any) -> str:
        told.append(work_under_way("one"))
        return inner.of(one, snapshot) if one.corpus.name == "one" else ""

    def failing(one: Any, snapshot: Any) -> str:
        told.append(work_under_way("one"))
        raise ValueError

    inner, outer = CorpusCache(failing, len, doing="reading"), CorpusCache(make, len, doing="linking")
    with pytest.raises(ValueError):
        outer.of(corpus("one"))
    outer.of(corpus("two"))
    assert told == ["linking", "reading", ""]
    assert work_under_way("one") == work_under_way(None) == "", "also where it failed"


def test_few_corpora_stay() -> None:
    made = Made()
    things = CorpusCache(made, made.size)
    names = [str(number) for number in range(kept.CORPORA + 1)]
    for name in [*names, *names[1:], names[0]]:
        things.of(corpus(name))
    assert made.names == [*names, names[0]]


def test_large_corpora_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "PASSAGES_IN_ALL", 100)
    made = Made({"a": 40, "b": 40, "c": 40, "huge": 1000})
    things = CorpusCache(made, made.size)
    for name in ("a", "b", "a", "c", "a"):
        things.of(corpus(name))
    assert made.names == ["a", "b", "c"], "the one that was not asked for longest went, which is b"
    things.of(corpus("b"))
    things.of(corpus("huge"))
    things.of(corpus("huge"))
    assert made.names == ["a", "b", "c", "b", "huge"]
    things.of(corpus("a"))
    assert made.names[-1] == "a"
