"""Data sets from folders and archives; every defect is named; samples are seeded and grow."""

from __future__ import annotations

import warnings
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from core.errors import InputError, LoupeError
from core.evaluation.dataset_lines import CORPUS, QRELS, QUERIES, LabelledQuestion
from core.evaluation.datasets import WIKIPEDIA, read_files, read_folder, read_zip, sample
from tests.cases import cases

FILES = {
    CORPUS: '{"id": "a", "title": "A", "text": "First."}\n{"id": "b", "title": "", "text": "Second."}\n',
    QUERIES: '{"id": "q1", "text": "Who?", "answers": ["x"], "type": "t"}\n{"id": 2, "text": "Where?"}\n',
    QRELS: "qid\tdocid\trel\nq1\ta\t1\nq1\tb\t0\n",
}


def packed(*members: tuple[str, str]) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about names that occur twice
        for name, text in members:
            archive.writestr(name, text)
    return file.getvalue()


def files(**changed: str) -> dict[str, bytes]:
    names = {"corpus": CORPUS, "queries": QUERIES, "qrels": QRELS}
    return {name: text.encode() for name, text in (FILES | {names[k]: v for k, v in changed.items()}).items()}


def test_the_wikipedia_set() -> None:
    wikipedia = read_folder(WIKIPEDIA)
    assert (wikipedia.name, len(wikipedia.documents), len(wikipedia.questions), wikipedia.unjudged) == (
        "2wiki_demo60",
        482,
        60,
        0,
    )
    assert {one.type for one in wikipedia.questions} == {
        "bridge_comparison", "comparison", "compositional", "inference",
    }  # fmt: skip
    ode = next(one for one in wikipedia.questions if "Ode To My Father" in one.text)
    assert ode.answers == ("no",)
    assert ode.gold["de00351"] == 1
    doubtful = [bool(one.note) for one in wikipedia.questions]
    assert doubtful == sorted(doubtful), "questions with a doubtful label come last"
    assert "bridge_comparison" not in {one.type for one in wikipedia.questions[:5]}, "the hardest kind"
    assert {answer for one in wikipedia.questions if one.note for answer in one.answers} == {
        "Pinner", "Madras", "Berlin", "Hungarian", "14 April 1999", "Ian Ballantine",
    }  # fmt: skip


def test_what_is_read() -> None:
    made = read_files("set", files())
    assert made.questions[0] == LabelledQuestion("q1", "Who?", "t", ("x",), {"a": 1})
    assert made.questions[1] == LabelledQuestion("2", "Where?", "", (), {})
    noted = read_files(
        "set", files(queries=FILES[QUERIES].replace('"Where?"', '"Where?", "note": "a doubt"'))
    )
    assert (noted.questions[1].note, noted.key) == ("a doubt", made.key)
    assert made.unjudged == 1
    assert [one.id for one in made.documents] == ["a", "b"]


@pytest.mark.parametrize(
    ("changed", "gold", "remark"),
    [
        (
            {"qrels": "h\th\th\nq1\ta\t1\nq1\tz\t1\n"},
            {"a": 1},
            "1 judgement is left out: the data set does not have what is judged (line 3: there is no document “z”).",
        ),
        (
            {"qrels": "h\th\th\nq9\ta\t1\nq1\ta\t1\nq1\tz\t1\nq1\ta\t1\n"},
            {"a": 1},
            "2 judgements are left out: the data set does not have what is judged (line 2: there is no question “q9”); "
            "1 line that repeats a judgement counts once.",
        ),
        (
            {"qrels": "h\th\th\nq1\ta\t0\nq1\ta\t0\nq1\tb\t2\n"},
            {"b": 2},
            "1 line that repeats a judgement counts once.",
        ),
        ({"qrels": "query-id\tcorpus-id\tscore\nq1\ta\t1.0\nq1\tb\t-1.0\n"}, {"a": 1}, ""),
        ({"qrels": "q1 0 a 2\nq1 Q0 b 0\n"}, {"a": 2}, ""),
        ({"qrels": "q1\t0\ta\t2\n"}, {"a": 2}, ""),
        ({"qrels": "query-id corpus-id score\nq1  a 1\n"}, {"a": 1}, ""),
        (
            {key: FILES[name].replace('"id"', '"_id"') for key, name in (("corpus", CORPUS), ("queries", QUERIES))},
            {"a": 1},
            "",
        ),
        ({"corpus": FILES[CORPUS] * 2, "queries": FILES[QUERIES] * 2}, {"a": 1}, ""),
    ],
    ids=["document", "question", "again", "BEIR", "TREC", "TREC with tabs", "blanks", "_id", "equal lines"],
)  # fmt: skip
def test_published_sets_are_read(changed: dict[str, str], gold: dict[str, int], remark: str) -> None:
    made = read_files("set", files(**changed))
    assert [one.id for one in made.documents] == ["a", "b"]
    assert [(one.id, one.gold) for one in made.questions] == [("q1", gold), ("2", {})]
    assert made.remark == remark


def test_the_key_is_that_of_the_content() -> None:
    key = read_files("set", files()).key
    assert len(key) == 16
    assert read_files("other", files()).key == key
    assert read_files("set", files(qrels="qid\tdocid\trel\nq1\tb\t1")).key != key
    assert read_files("set", files(corpus=FILES[CORPUS].replace("First", "Last"))).key != key


def test_an_archive_is_a_folder() -> None:
    for prefix in ("", "set/", "deep/er/"):
        data = packed(*((prefix + name, text) for name, text in FILES.items()), ("set/README.md", "x"))
        assert read_zip("C:\\set.zip", data) == read_files("set", files())


@cases(
    ("data", "sentence"),
    [
        (b"no archive", "not a ZIP archive"),
        (packed(), "holds no files"),
        (packed((CORPUS, FILES[CORPUS])), "has no file queries.jsonl"),
        (packed(("a/" + CORPUS, "x"), ("b/" + CORPUS, "x")), "holds “corpus.jsonl” more than once"),
        (packed((CORPUS, "x"), (CORPUS, "x")), "holds “corpus.jsonl” more than once"),
        (packed(("../" + CORPUS, FILES[CORPUS])), "leads out of its archive"),
        (packed((CORPUS, "x" * (3 * 2**20))), "has 3.0 MB; at most 1 MB"),
    ],
)
def test_hostile_archives(data: bytes, sentence: str) -> None:
    with pytest.raises(LoupeError, match=sentence):
        read_zip("set.zip", data, max_mb=1)


@cases(
    ("changed", "sentence"),
    [
        ({"corpus": ""}, "holds no documents"),
        ({"corpus": "{"}, "“corpus.jsonl”: line 1 is not JSON"),
        (
            {"corpus": FILES[CORPUS] + FILES[CORPUS].replace("First", "1st")},
            "“corpus.jsonl”: line 3 repeats the id “a”",
        ),
        ({"corpus": '{"id": "", "text": "x"}'}, "a document with an empty id"),
        ({"corpus": '{"id": "a", "text": ' + "[" * 100_000}, "corpus.jsonl"),
        ({"queries": ""}, "holds no questions"),
        ({"queries": "\n\n{"}, "“queries.jsonl”: line 3 is not JSON"),
        ({"queries": "[" * 100_000}, "“queries.jsonl”: line 1 is not JSON"),
        ({"queries": '{"id": "q"}'}, "line 1 is not an object with the fields id and text"),
        ({"queries": '{"id": "q", "text": " "}'}, "line 1 has an empty question"),
        ({"queries": '{"id": " ", "text": "x"}'}, "line 1 has an empty id"),
        ({"queries": '{"id": "q", "text": "x"}\n{"id": "q", "text": "y"}'}, "line 2 repeats the id “q”"),
        ({"queries": '{"id": "q", "text": "x", "answers": "y"}'}, "answers must be a list"),
        ({"qrels": "q1\ta\t1\n"}, "line 1 must name the columns"),
        ({"qrels": "h\th\th\nq1 a 1\n"}, "line 2 has 1 fields instead of 3"),
        ({"qrels": "h\th\th\nq1\ta\tyes\n"}, "line 2: the relevance “yes” is not a whole number"),
        ({"qrels": "h\th\th\nq1\ta\t" + "9" * 5000}, "is not a whole number"),
        ({"qrels": "h\th\th\nq9\ta\t1\n"}, "line 2: there is no question “q9”"),
        ({"qrels": "h\th\th\n\nq1\tz\t1\n"}, "line 3: there is no document “z”"),
        ({"qrels": "h\th\th\nq1\ta\t1\nq1\ta\t0\n"}, "line 3 judges “a” for “q1” a second time"),
        ({"qrels": "h\th\th\nq1\ta\t1.5\n"}, "the relevance “1.5” is not a whole number"),
        ({"qrels": "h\th\th\nq1\ta\tx\t1\t1\n"}, "line 2 has 5 fields"),
    ],
)
def test_defects_are_named(changed: dict[str, str], sentence: str) -> None:
    with pytest.raises(LoupeError, match=sentence):
        read_files("set", files(**changed))


def test_folders_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        read_folder(tmp_path / "none")
    with pytest.raises(InputError, match="has no file corpus.jsonl"):
        read_folder(tmp_path)


def test_samples() -> None:
    wikipedia = read_folder(WIKIPEDIA)
    twenty = sample(wikipedia, 20, seed=1)
    assert len(twenty.questions) == 20
    assert (twenty.key, twenty.documents) == (wikipedia.key, wikipedia.documents)
    assert twenty == sample(wikipedia, 20, seed=1)
    assert twenty != sample(wikipedia, 20, seed=2)
    places = [wikipedia.questions.index(one) for one in twenty.questions]
    assert places == sorted(places)
    assert {one.id for one in twenty.questions} <= {one.id for one in sample(wikipedia, 30, seed=1).questions}
    assert sample(wikipedia, 1000, seed=1) == wikipedia
    with pytest.raises(InputError, match="at least one"):
        sample(wikipedia, 0, seed=1)
