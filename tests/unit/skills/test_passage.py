"""Hypothetical passages: sampling, several at once, failures, other languages."""

import asyncio

import pytest

from core.corpora.sentence_spans import not_latin
from core.errors import CallLimitReached, ModelError
from core.models.calling import Ask, Reply
from core.models.embedding_vectors import Embeddings
from core.skills.passage import STYLES, passages
from core.trace.artefacts import HypotheticalDocuments
from tests.skill_context import Replies, skill_context


class Together(Replies):
    """Knows how many calls were under way at once."""

    now = most = 0

    async def reply(self, ask: Ask) -> Reply:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        return await super().reply(ask)


class Nearness(Embeddings):
    """A sentence with “near” in it is near to the question, any other is not."""

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [[0.8, 0.6] if "near" in text else [0.28, 0.96] for text in texts]


def write(
    chat: Replies, question: str = "Who?", *, builtin: bool = False, n: int = 1
) -> HypotheticalDocuments:
    context = skill_context(chat, embeddings=Nearness(), builtin=builtin)
    return asyncio.run(passages(context, question, n=n, style="news", with_question=True))


def test_one_passage_at_temperature_0_several_at_once_at_07() -> None:
    chat = Replies(" One. ")
    assert write(chat).texts == ("One.",)
    assert chat.asked[0].sampling.temperature == 0
    assert STYLES["news"] in chat.asked[0].messages[0].content
    chat = Together(*(f"Text {i}." for i in range(8)))
    assert len(write(chat, n=8).texts) == 8
    assert {asked.sampling.temperature for asked in chat.asked} == {0.7}
    assert chat.most == 8


def test_the_builtin_model_gets_examples_and_a_guard_against_repetition() -> None:
    chat = Replies("It is so.")
    made = write(chat, builtin=True)
    sampling = chat.asked[0].sampling
    assert (sampling.temperature, sampling.extra) == (0.3, {"dry_multiplier": 0.8, "dry_allowed_length": 3})
    assert [message.role for message in chat.asked[0].messages].count("assistant") == 2
    assert "made up" in made.note


def test_sentences_that_lead_away_from_the_question_are_left_out_and_named() -> None:
    made = write(Replies("It is near. It is far."), builtin=True)
    assert (made.texts, made.method) == (("It is near.",), "sieved")
    assert "Left out, too far from the question (cosine below 0.6): “It is far.” (0.28)." in made.note
    made = write(Replies("Far. Farther.", "It is near."), builtin=True, n=2)
    assert made.texts == ("It is near.",)
    made = write(Replies("Far. Farther."), builtin=True)
    assert made.texts == ()
    assert made.note.endswith("so the question alone is searched.")


def test_what_was_written_is_kept_when_some_calls_fail() -> None:
    made = write(Replies("A.", ModelError("It is down."), "B."), n=3)
    assert made.texts == ("A.", "B.")
    assert made.note == "1 of 3 passages could not be written (It is down.)."
    with pytest.raises(CallLimitReached):
        write(Replies(CallLimitReached("Enough."), CallLimitReached("Enough.")), n=2)
    assert write(Replies("A.", "A."), n=2).note == "1 of 2 passages said the same as another."


def test_the_builtin_model_is_not_asked_in_a_language_it_has_not_got() -> None:
    made = write(Replies(), "누가 이 영화를 감독했나요?", builtin=True)
    assert made.texts == ()
    assert "English only" in made.note
    assert "the question alone is searched" in made.note
    assert write(Replies("감독은…"), "누가 감독했나요?").texts == ("감독은…",)


def test_a_name_in_another_script_makes_no_foreign_question() -> None:
    assert not_latin("谁导演了这部电影?")
    assert not_latin("Кто режиссёр?")
    assert not not_latin("Who directed the film 生きる?")
    assert not not_latin("Qui a réalisé le film Amélie?")
    assert not not_latin("1+1=?")
