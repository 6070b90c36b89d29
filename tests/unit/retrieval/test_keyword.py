"""Keyword retrieval finds passages in several languages, and orders them by BM25."""

from __future__ import annotations

import asyncio
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.retrieval.keyword import K1, B, KeywordIndex, KeywordRetriever
from core.retrieval.tokens import tokens
from core.trace.passages import Passage
from tests.cases import cases


def index(*texts: str, titles: dict[str, str] | None = None) -> KeywordIndex:
    passages = [
        Passage(
            chunk=f"{number}-0",
            document=str(number),
            title="t",
            text=text,
            position=0,
            start=0,
            end=len(text),
        )
        for number, text in enumerate(texts)
    ]
    return KeywordIndex(passages, {str(number): "" for number in range(len(texts))} | (titles or {}))


def best(found: KeywordIndex, query: str) -> list[str]:
    return [passage.document for passage, _ in found.rank(query, 10)]


def test_english_words_are_stemmed_and_stop_words_dropped() -> None:
    assert tokens("The Directors' films, directed by O'Neil in 1984.") == [
        "director", "film", "direct", "o", "neil", "1984",
    ]  # fmt: skip
    assert tokens("ＦＵＬＬ　Width") == tokens("full width")
    assert tokens("  …!? \n") == []


def test_other_languages() -> None:
    assert tokens("検索拡張") == ["検索", "索拡", "拡張"]
    assert tokens("猫") == ["猫"]
    assert tokens("검색 증강은") == ["검색", "증강", "강은"]
    assert tokens("AI技術の") == ["ai", "技術", "術の"]
    assert tokens("ПРИВЕТ") == ["привет"]
    assert tokens("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


@cases(
    ("written", "asked"),
    [
        ("café naïve Señor Núñez", "cafe naive senor nunez"),
        ("Das U\u0308berholen", "das Überholen"),
        ("İSTANBUL Straße Ærø Łódź Đorđe Ёлка", "istanbul STRASSE aero lodz dorde елка"),
        ("Ἀθῆναι Ὀδυσσεύς", "αθηναι ΟΔΥΣΣΕΥΣ"),
        ("soft\xadware zero\u200bwidth می\u200cخواهم", "software zerowidth میخواهم"),
        ("مُحَمَّد في المديـــنة أحمد إلى کتاب", "محمد في المدينه احمد الى كتاب"),
        ("הַסְּפִינָה", "הספינה"),
        ("๒๕๖๐ ١٩٩٨ १९", "2560 1998 19"),
    ],
)
def test_case_accents_and_vowel_marks_do_not_count(written: str, asked: str) -> None:
    assert tokens(written) == tokens(asked) != []


def test_marks_that_tell_words_apart_count() -> None:
    assert len({*tokens("がき"), *tokens("かき")}) == 2
    assert len({*tokens("हिंदी हद")}) == 2
    assert tokens("thé") == ["the"], "no English stop word"


def test_names_with_marks() -> None:
    assert tokens("C++, C#/F♯ or .NET; C++11, C") == [
        "c++", "c#", "f#", "net", ".net", "c++", "11", "c",
    ]  # fmt: skip
    assert tokens("Notepad++ of AT&T") == ["notepad", "notepad++", "at&t"]
    assert tokens("R&D, page#two, 5+3") == ["r", "d", "r&d", "page", "two", "5", "3"]
    assert best(index("plain C only", "it is C++ and Rust"), "C++") == ["1"]
    assert best(index("plain C only", "it is C++ and Rust"), "C") == ["0"]


@cases(
    ("query", "texts"),
    [
        ("ข้าว", ("แมวนอนอยู่บนเรือ", "เขากำลังกินข้าวที่บ้าน")),
        ("ปี", ("แมวนอนอยู่บนเรือ", "เมื่อปีที่แล้วฝนตก")),
        ("ເຂົ້າ", ("ແມວນອນ", "ລາວກິນເຂົ້າຢູ່ເຮືອນ")),
        ("ဆန်", ("ကြောင်အိပ်သည်", "သူဆန်ဝယ်သည်")),
        ("ទឹក", ("ឆ្មាដេក", "គាត់ផឹកទឹកនៅផ្ទះ")),
        ("猫", ("疑是地上霜", "我有一只猫")),
        ("배", ("산이 높다", "그는 배를 탔다")),
        ("猫 2023", ("霜 2023", "我有一只猫 2023")),
    ],
)
def test_words_that_stand_in_a_run_without_blanks(query: str, texts: tuple[str, ...]) -> None:
    assert best(index(*texts), query)[0] == "1"
    assert len(best(index(*texts), query)) == 1 + ("2023" in query)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (
            "서울의 인구는 얼마인가요?",
            (
                "부산은 항구 도시로 유명하다.",
                "서울은 한국의 수도이며 인구는 약 940만 명이다.",
                "제주도는 섬이다.",
            ),
        ),
        (
            "富士山の高さはどのくらいですか。",
            (
                "琵琶湖は日本で最大の湖である。",
                "富士山は標高3776メートルで日本一高い山である。",
                "京都は古都である。",
            ),
        ),
        (
            "长江有多长？",
            ("黄河流经北方九个省区。", "长江全长约六千三百公里，是亚洲最长的河流。", "泰山位于山东省。"),
        ),
        (
            "Who was the director of the film?",
            (
                "A ship in the harbour.",
                "The film was directed by Ann Lee; she directs others too.",
                "A song.",
            ),
        ),
    ],
)
def test_a_question_finds_its_passage(question: str, texts: tuple[str, ...]) -> None:
    assert best(index(*texts), question)[0] == "1"


def test_scores_by_hand() -> None:
    found = index("ship ship harbour", "ship", "wren")
    (first, second) = found.rank("ship", 10)
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    average = 5 / 3

    def score(count: int, length: int) -> float:
        return idf * count / (count + K1 * (1 - B + B * length / average))

    assert {first[0].document: first[1], second[0].document: second[1]} == pytest.approx(
        {"0": score(2, 3), "1": score(1, 1)}, rel=1e-5
    )
    assert first[1] > second[1]


def test_titles_count_and_ties_are_stable() -> None:
    found = index("it sails", "it sails", "it sails", titles={"2": "Harbour"})
    assert best(found, "harbour") == ["2"]
    assert best(found, "sails") == ["0", "1", "2"]
    assert len(found.rank("sails", 2)) == 2


def test_nothing_in_common() -> None:
    assert best(index("a wren"), "zebra") == []
    assert best(index("a wren"), "the of ?!") == []
    assert best(index(), "wren") == []
    assert best(index("…"), "wren") == []


class Chunks:
    """A collection whose reading may take long."""

    def __init__(self, name: str, gate: threading.Event) -> None:
        self.name = name
        self.reads = 0
        self._gate = gate

    def passages(self, _: frozenset[str]) -> list[Passage]:
        self.reads += 1
        assert self._gate.wait(60)
        return [Passage(chunk="1-0", document="1", title="t", text="a wren", position=0, start=0, end=6)]


def retriever(chunks: Chunks) -> KeywordRetriever:
    snapshot = SimpleNamespace(version=1, documents=frozenset("1"), titles={"1": ""})
    return KeywordRetriever(
        cast("Any", SimpleNamespace(chunks=chunks, corpus=chunks, snapshot=lambda: snapshot))
    )


def test_an_index_being_built_keeps_only_its_own_corpus_waiting() -> None:
    gate, opened = threading.Event(), threading.Event()
    opened.set()
    large, small = Chunks("large", gate), Chunks("small", opened)
    with ThreadPoolExecutor(3) as threads:
        waiting = [threads.submit(asyncio.run, retriever(large).rank("wren", 1)) for _ in range(2)]
        assert threads.submit(asyncio.run, retriever(small).rank("wren", 1)).result(60)
        assert not any(work.done() for work in waiting)
        gate.set()
        assert all(work.result(60) for work in waiting)
    assert (large.reads, small.reads) == (1, 1)


def test_a_filter_leaves_scores_as_they_are() -> None:
    found = index("the ferry sails", "a ferry, a ferry", "the bell rings", "ferry bell")
    every = {passage.document: score for passage, score in found.rank("ferry bell", 10)}
    some = {passage.document: score for passage, score in found.rank("ferry bell", 10, {"0", "2"})}
    assert some == {document: every[document] for document in ("0", "2")}
    assert found.rank("ferry", 10, set()) == []
