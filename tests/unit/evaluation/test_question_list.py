"""Question lists in any delimiter and encoding."""

from __future__ import annotations

import pytest

from core.errors import InputError, LoupeError
from core.evaluation.making import ListedQuestion, read_question_list
from tests.cases import cases

TABLE = (
    "question,answers,gold,note\n"
    '"Who wrote ""Emma"", and when?",Jane Austen|Austen,Emma (novel)|d2,x\n\nWhere?,,,\n'
)


def read(text: str, encoding: str = "utf-8") -> tuple[ListedQuestion, ...]:
    return read_question_list("list.csv", text.encode(encoding))


def test_a_table() -> None:
    first, second = read(TABLE)
    assert first == ListedQuestion(
        2, "1", 'Who wrote "Emma", and when?', "", ("Jane Austen", "Austen"), ("Emma (novel)", "d2")
    )
    assert second == ListedQuestion(4, "2", "Where?", "", (), ())


@pytest.mark.parametrize("mark", [";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_delimiters_and_encodings(mark: str, encoding: str) -> None:
    text = f"Type{mark}Question{mark}Answer\nfact{mark}Où est né Molière ?{mark}à Paris"
    assert read(text, encoding) == (ListedQuestion(2, "1", "Où est né Molière ?", "fact", ("à Paris",), ()),)


def test_a_korean_table_in_its_old_encoding() -> None:
    assert read("질문,정답\n대한민국의 수도는 어디입니까?,서울", "euc_kr")[0].answers == ("서울",)


def test_a_plain_list() -> None:
    assert [one.text for one in read("Who?\nWhere?\n")] == ["Who?", "Where?"]
    assert [one.text for one in read("question\nWho?\n")] == ["Who?"]


@cases(
    ("text", "sentence"),
    [
        ("", "holds no questions"),
        ("question,answer\n", "holds no questions"),
        ("a,b\nc,d\n", "no column “question”"),
        ("question,answer\n,Paris\n", "line 2 has an empty question"),
        ("id,question\nx,Who?\n\nx,Where?\n", "line 4 repeats the id “x”"),
        ("question,query\nWho?,Where?\n", "two columns for the question"),
    ],
)
def test_defects_are_named(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        read(text)


def test_too_many_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.evaluation.making.MAX_QUESTIONS", 1)
    with pytest.raises(InputError, match="holds 2 questions; 1 are the most"):
        read("Who?\nWhere?\n")


def test_binary_data_is_no_table() -> None:
    with pytest.raises(LoupeError, match="not a text file"):
        read_question_list("list.csv", bytes(range(256)) * 40)
