"""Which passages hold a piece of evidence, and what a corpus knows of a question."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from core.corpora.catalogue import Catalogue
from core.corpora.documents import Document
from core.corpora.entries import Evidence, Question
from core.runs.budget import known_gold
from core.trace.gold import MAX_CHUNKS, MAX_QUOTE, Gold, pieces_held
from core.trace.passages import Passage, Repeat
from tests.cases import cases
from tests.examples.parts import PASSAGES

WHOLE = Gold(document="d", title="Ferries")
FOUNDED = Gold(document="d", title="Ferries", quote="founded in 1921", chunks=("d-1", "e-4"))
SHIPS = Gold(document="d", title="Ferries", quote="two ships", chunks=("d-2",))


def located(document: str, chunk: str) -> Passage:
    """A passage of which only the place counts."""
    return PASSAGES[0].model_copy(update={"chunk": chunk, "document": document})


@cases(
    ("chunk", "document", "held"),
    [
        ("d-0", "d", [True, False, False]),  # the right document is not enough where passages are known
        ("d-1", "d", [True, True, False]),
        ("d-2", "d", [True, False, True]),
        ("e-4", "e", [False, True, False]),  # another document says the same
        ("", "d", [True, False, False]),  # a ranking of an earlier version
    ],
)
def test_a_passage_holds_it(chunk: str, document: str, held: list[bool]) -> None:
    passage = located(document, chunk)
    assert [one.held_by(passage) for one in (WHOLE, FOUNDED, SHIPS)] == held


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("The line was Founded in\n1921, and has two ships.", [True, True, False]),
        ("The line has two ships.", [True, False, False]),  # what was left out with the other held the quote
    ],
)
def test_what_gave_way_is_found_in_what_stays(text: str, held: list[bool]) -> None:
    stays = PASSAGES[0].model_copy(update={"text": text, "stands_for": (Repeat(chunk="d-1", document="d"),)})
    assert [one.held_by(stays) for one in (WHOLE, FOUNDED, SHIPS)] == held


@pytest.mark.parametrize(
    ("left_out", "lost"),
    [
        ((), False),
        (("Nobody knows why.",), False),
        (("The company was founded  in\n1921.",), True),
        (("in 1921",), True),  # a strip within the quote
    ],
)
def test_what_is_in_a_strip_that_was_left_out_is_held_no_more(left_out: tuple[str, ...], lost: bool) -> None:
    values = {"chunk": "d-1", "document": "d", "left_out": left_out}
    passage = PASSAGES[0].model_copy(update=values)
    assert (FOUNDED.held_by(passage), FOUNDED.lost_from(passage)) == (not lost, lost)
    assert WHOLE.held_by(passage), "where only the document is known, any passage of it counts"
    assert not SHIPS.lost_from(passage), "it was never in there"


def test_pieces_are_counted_and_not_passages() -> None:
    both = [located("d", "d-1"), located("e", "e-4")]
    assert pieces_held([FOUNDED, SHIPS], both) == 1
    assert pieces_held([FOUNDED, SHIPS], [*both, located("d", "d-2")]) == 2
    assert pieces_held([WHOLE], both) == 1
    assert pieces_held([], both) == pieces_held([FOUNDED], []) == 0


def test_pieces_in_one_document_have_names_of_their_own() -> None:
    assert [one.name for one in (WHOLE, FOUNDED)] == ["Ferries", "Ferries (“founded in 1921”)"]
    long = Gold(document="d", title="", quote=f"a  {'b' * 80}")
    assert long.name == f"Untitled (“a {'b' * 57}…”)"


def test_what_is_not_there_is_left_out_and_limits_hold() -> None:
    assert WHOLE.model_dump() == {"document": "d", "title": "Ferries"}
    assert Gold.model_validate_json(FOUNDED.model_dump_json()) == FOUNDED
    for hostile in ({"quote": "x" * (MAX_QUOTE + 1)}, {"chunks": ("x",) * (MAX_CHUNKS + 1)}, {"more": 1}):
        with pytest.raises(ValidationError):
            Gold.model_validate(WHOLE.model_dump() | hostile)


def test_a_corpus_knows_the_evidence_of_its_questions(tmp_path: Path) -> None:
    catalogue = Catalogue(f"sqlite:///{tmp_path / 'c.sqlite'}")
    corpus = catalogue.create("notes", "model-1", "Model one", 300, 0)
    catalogue.begin(corpus.id, [(Document(id="d", name="d.md", title="Ferries", text="x"), 3)])
    evidence = Evidence(document="d", quote="y" * (MAX_QUOTE + 1), chunks=("d-1", "e-4"))
    asked = [
        Question(text="When?", evidence=(evidence,)),
        Question(text="Where?", gold=("d", "gone", "d")),
        Question(text="Why?"),
    ]
    catalogue.set_questions(corpus.id, asked)
    assert known_gold(catalogue, "notes", "When?") == (
        Gold(document="d", title="Ferries", quote="y" * MAX_QUOTE, chunks=("d-1", "e-4")),
    )
    assert known_gold(catalogue, "notes", "Where?") == (WHOLE, Gold(document="gone", title=""))
    assert known_gold(catalogue, "notes", "Why?") == known_gold(catalogue, "notes", "Who?") == ()
    assert known_gold(catalogue, "other", "When?") == ()
