"""From citation marks in a reply to citations that point at words."""

from core.skills.answer import cite, with_found_sources
from core.trace.artefacts import Answer
from core.trace.passages import Passage


def passage(number: int, text: str) -> Passage:
    return Passage(
        chunk=f"c{number}",
        document=f"d{number}",
        title=f"T{number}",
        text=text,
        position=0,
        start=0,
        end=len(text),
    )


PASSAGES = [
    passage(1, "Jaws is a 1975 film. It was directed by Steven Spielberg."),
    passage(2, "Steven Spielberg was born in Cincinnati, Ohio. He studied film."),
]


def cited(text: str) -> Answer:
    return cite(text, PASSAGES, skill="answer", method="model")


def test_marks_before_and_after_the_full_stop_belong_to_the_same_sentence() -> None:
    for text in (
        "Spielberg directed Jaws [1]. He was born in Cincinnati [2].",
        "Spielberg directed Jaws.[1] He was born in Cincinnati. [2]",
    ):
        made = cited(text)
        assert made.sentences == ("Spielberg directed Jaws.", "He was born in Cincinnati.")
        assert [(c.sentence, c.chunk) for c in made.citations] == [(0, "c1"), (1, "c2")]
        assert made.citations[0].quote == "It was directed by Steven Spielberg."
        assert made.citations[1].quote == "Steven Spielberg was born in Cincinnati, Ohio."
        assert made.note == ""


def test_several_marks_in_one_sentence() -> None:
    made = cited("He directed Jaws and was born in Cincinnati [1, 2].")
    assert [c.chunk for c in made.citations] == ["c1", "c2"]
    made = cited("He directed Jaws and was born in Cincinnati [2][1][2].")
    assert [c.chunk for c in made.citations] == ["c2", "c1"]


def test_a_mark_that_no_passage_has_is_dropped_and_said() -> None:
    made = cited("He was born in Cincinnati [7].")
    assert made.citations == ()
    assert made.note == "The model cited passages that do not exist: 7."


def test_no_citation_is_said() -> None:
    assert "cited no passage" in cited("He was born in Cincinnati.").note


def test_where_the_model_cites_nothing_its_sentences_are_found_by_their_words() -> None:
    made = with_found_sources("Where was the director born?", cited("He was born in Cincinnati."), PASSAGES)
    (found,) = made.citations
    assert (found.chunk, found.quote) == ("c2", "Steven Spielberg was born in Cincinnati, Ohio.")
    assert made.note.startswith("The model cited no passage: ")
    equal = [passage(3, "Anna Prell wrote it."), passage(4, "Anna Prell conducted the opera.")]
    said = with_found_sources("Who conducted the opera?", cited("Anna Prell"), equal)
    assert [citation.chunk for citation in said.citations] == ["c4"]


def test_where_its_words_are_in_no_passage_the_answer_stays_as_it_was() -> None:
    made = cited("Bananas.")
    assert with_found_sources("What?", made, PASSAGES) is made
    assert with_found_sources("What?", made, []) is made


def quoted(
    said: str, text: str, *, title: str = "Jackass Mail", heading: str = "", question: str = ""
) -> list[str]:
    held = passage(1, text).model_copy(update={"title": title, "heading": heading})
    made = cite(said, [held], skill="answer", method="model", question=question)
    return [citation.quote for citation in made.citations]


def test_a_heading_is_not_quoted_while_there_is_a_sentence() -> None:
    facts = "It is a film of 1942.\n\nNorman McLeod directed it."
    said = "Jackass Mail was directed by McLeod [1]."
    for head in (
        "# Jackass Mail\n\n",
        "Jackass Mail\n\n# Jackass Mail\n\n",
        "Jackass Mail\n",
        "The mail that is Jackass\n\n",
    ):
        assert quoted(said, head + facts) == ["Norman McLeod directed it."]
    assert quoted("The crew was large [1].", f"Crew\n{facts}\nIt had a crew of 40.", heading="Crew") == [
        "It had a crew of 40."
    ]
    # The answer itself may have no word of the sentence.
    assert quoted(
        "Jackass Mail [1]", f"# Jackass Mail\n\n{facts}", question="What did Norman McLeod direct?"
    ) == ["Norman McLeod directed it."]
    assert quoted("Jackass Mail [1]", "# Jackass Mail") == ["# Jackass Mail"]


def test_each_fact_of_a_passage_has_its_quote() -> None:
    text = "# Jackass Mail\n\nIt is a film. It was shot in Utah in 1941. Nobody liked it. Norman McLeod directed it."
    both = ["It was shot in Utah in 1941.", "Norman McLeod directed it."]
    assert sorted(quoted("It was shot in Utah and directed by Norman McLeod [1].", text)) == both
    # The clause before the mark decides.
    assert quoted("It was shot in 1941 [1], and Norman McLeod directed it [1].", text) == both
    assert quoted("It was shot in 1941 [1], [1].", text) == both[:1]
    assert quoted("It was shot in Utah in 1941, as films were [1].", text) == both[:1]


def test_a_fact_counts_more_than_its_surroundings() -> None:
    text = "The mill was built of stone. The mill, which stands at the river near the town, was built by Ford in 1802."
    (quote,) = quoted("The mill was built in 1802 [1].", text, title="Mills")
    assert quote.endswith("in 1802.")


def test_answers_is_said_beside_other_notes() -> None:
    made = cited("[?] He was born in Cincinnati [7].")
    assert (made.suggested, made.note.count("suggest"), made.note.count("do not exist: 7")) == (True, 1, 1)
    found = with_found_sources("Where was he born?", cited("[?] He was born in Cincinnati."), PASSAGES)
    assert found.citations
    assert "suggest" in found.note
    assert "nothing here can be traced" not in found.note


def test_a_claim_that_shares_no_word_with_its_passage_has_an_empty_quote() -> None:
    assert cited("Bananas [1].").citations[0].quote == ""


def test_chinese_and_japanese_sentences() -> None:
    made = cite("斯皮尔伯格导演了大白鲨[1]。他出生在辛辛那提。[2]", PASSAGES, skill="answer", method="model")
    assert len(made.sentences) == 2
    assert [(c.sentence, c.chunk) for c in made.citations] == [(0, "c1"), (1, "c2")]
