"""What an answering model's reply says besides its words."""

from __future__ import annotations

import asyncio

import pytest

from core.skills.answer import cite, cited, read_reply, split_at_marks
from core.skills.base import MODEL, SHORT
from core.skills.copying import digits_below
from core.skills.read import READ, read
from core.trace.passages import Passage
from tests.cases import cases
from tests.skill_context import Replies, skill_context


def passage(title: str, text: str) -> Passage:
    return Passage(chunk=title, document=title, title=title, text=text, position=0, start=0, end=len(text))


@cases(
    ("written", "text", "short"),
    [
        ("Full Moon High [2]\n\nIts director was born later [1][3].", None, "Full Moon High"),
        ("**Full Moon High** [2]\n\nSo it is.", None, "Full Moon High"),
        ("Answer: 1941 [1]\n\nHe was born then.", None, "1941"),
        ("래리 코언(Larry Cohen) [1]\n\n그가 감독했습니다 [1].", None, "래리 코언(Larry Cohen)"),
        ("[?] Pinner [1]\n\nHe was raised there [1].", "Pinner [1]\n\nHe was raised there [1].", "Pinner"),
        ("[+] Ada Lowe [1]\n\nThe others are not named.", "Ada Lowe [1]\n\nThe others are not named.", "Ada Lowe"),
        ("Larry Cohen directed it [1].", None, "Larry Cohen directed it."),
        ("x" * 300 + "\n\nSo it is.", None, ""),
    ],
)  # fmt: skip
def test_the_answer_itself_stands_on_the_first_line(written: str, text: str | None, short: str) -> None:
    reply = read_reply(written)
    assert (reply.text, reply.short, reply.abstained) == (text or written, short, False)
    assert reply.suggested == written.startswith("[?]")
    assert reply.incomplete == written.startswith("[+]")


@cases(
    "written",
    [
        "[0] The place of birth is missing.\n\nElton John sang it [1].",
        "[0] 외할머니가 누구인지는 문서에 없다.\n\n어머니는 재클린이다 [1].",
        "[0] 母方の祖母は書かれていない。",
        "[0]: Nicht angegeben.",
        "Not stated [0]\n\nElton John sang it [1].",
        "Elton John sang it [1].\n\n[0] The place of birth is missing.",
        "Where he was born nobody tells. [0]",
        "The passages do not say where he was born.",
        "",
    ],
)
def test_a_refusal_is_told_by_its_mark_in_every_language(written: str) -> None:
    reply = read_reply(written)
    assert (reply.abstained, reply.short, reply.suggested) == (True, "", False)
    assert "[0]" not in reply.text


def test_a_reader_reasons_first_and_answers_on_the_last_line() -> None:
    written = "Cohen directed it [1].\nHe was born in 1936 [2].\n\nFull Moon High [1][2]"
    assert read_reply(written, last=True).short == "Full Moon High"
    assert read_reply("Cohen directed it [1].\n\n[0] His birth is missing.", last=True).abstained
    assert read_reply("Cohen directed it [1].\n\n[?] In 1936 [1]", last=True).suggested


@cases(("method", "short"), [(MODEL, "He was raised there"), (SHORT, "Pinner")])
def test_by_short_rules_a_reader_answers_first(method: str, short: str) -> None:
    context = skill_context(Replies("Pinner [1]\nHe was raised there [1]"), methods={READ.key: method})
    made = asyncio.run(read(context, "where", [passage("Elton John", "He was raised in Pinner.")]))
    assert made.short == short


CAROLINE = "Caroline Kennedy (born November 1957) is an author. She is the only surviving child of Jacqueline Bouvier."
JACQUELINE = "Jacqueline was born in 1929 to John Vernou Bouvier III and Janet Norton Lee. She wed in 1953."


def test_a_quote_fits_the_words_before_its_mark_and_not_the_whole_sentence() -> None:
    passages = [passage("Caroline", CAROLINE), passage("Jacqueline", JACQUELINE)]
    text = (
        "Caroline is the only child of Jacqueline Bouvier Kennedy [1], who was born to John Vernou Bouvier III and "
        "Janet Lee in 1929 [2]."
    )
    made = cite(text, passages, skill="answer", method="model")
    assert [citation.quote for citation in made.citations] == [
        "She is the only surviving child of Jacqueline Bouvier.",
        "Jacqueline was born in 1929 to John Vernou Bouvier III and Janet Norton Lee.",
    ]


def test_a_mark_without_words_of_its_own_is_matched_by_the_sentence() -> None:
    passages = [passage("Caroline", CAROLINE), passage("Jacqueline", JACQUELINE)]
    made = cite("[2] She wed in 1953.", passages, skill="answer", method="model")
    assert made.citations[0].quote == "She wed in 1953."


def test_the_mark_of_a_refusal_is_no_citation() -> None:
    made = cite(
        "[0] The date is missing.\n\nCohen made it [1].",
        [passage("a", "Cohen made it.")],
        skill="s",
        method="m",
    )
    assert (made.abstained, made.note) == (True, "")
    assert made.text == "The date is missing.\n\nCohen made it [1]."
    assert len(made.citations) == 1


@pytest.mark.parametrize(("value", "said"), [(0.41, "0.41"), (0.468, "0.468"), (0.46999, "0.46999")])
def test_what_lies_below_a_limit_is_said_so_that_one_sees_it(value: float, said: str) -> None:
    assert digits_below(value, 0.47) == said


def test_a_text_is_split_where_known_passages_are_cited() -> None:
    text = "One [1]. Two [2, 9], three [9] and [a] four [3][1]"
    pieces = [("One", (1,)), (". Two", (2,)), (", three [9] and [a] four", (3,)), ("", (1,)), ("", ())]
    assert list(split_at_marks(text, {1, 2, 3})) == pieces
    assert list(split_at_marks(text, ())) == [(text, ())]
    assert (cited("[2, 9]"), cited("no mark")) == ((2, 9), ())
