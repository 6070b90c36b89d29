"""How many passages a run gave to its answers, and which ranking tells what plain retrieval finds with as many."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from core.runs.budget import KEPT_DEPTH, Place, PlainRanking, depth_for, given_passages, plain_passages
from core.runs.record import Record, Step, record
from core.trace.artefacts import Answer, AnyArtefact, Context, ContextPassage, SubAnswer
from tests import examples
from tests.examples.parts import PASSAGES

DRAFT = Answer(text="Perhaps.", final=False)


def evidence(*given: int, left: tuple[int, ...] = ()) -> Context:
    return Context(
        passages=tuple(
            ContextPassage(rank=rank, score=0.5, passage=PASSAGES[place], given=place in given)
            for rank, place in enumerate((*given, *left), 1)
        )
    )


def sub_answer(*given: int) -> SubAnswer:
    passages = tuple(PASSAGES[place] for place in given)
    return SubAnswer(index=0, question="a", searched="a", text="x", passages=passages)


@pytest.mark.parametrize(
    ("artefacts", "given"),
    [
        ((), []),
        ((evidence(0, 1, left=(2,)), Answer(text="So.")), [0, 1]),
        ((evidence(0, 1, left=(2,)),), [0, 1]),  # retrieval alone: what would be given
        ((evidence(0), evidence(0, 1)), [0, 1]),  # evidence that grew
        # Self-RAG ends with its best draft; what the other drafts were given was read all the same.
        ((evidence(0), DRAFT, evidence(0, 1, 2), DRAFT, evidence(0), Answer(text="So.")), [0, 1, 2]),
        # No draft was written from the second search: nothing in a prompt.
        ((evidence(0), DRAFT, evidence(0, 1), evidence(0), Answer(text="So.")), [0]),
        ((DRAFT, Answer(text="From memory.")), []),
        ((sub_answer(0, 1), sub_answer(1, 2), evidence(0, 1, 2), Answer(text="So.")), [0, 1, 2]),
        ((sub_answer(0, 1), sub_answer(1, 2)), [0, 1, 2]),  # under way: not gathered yet
    ],
)
def test_every_answering_prompt_counts(artefacts: tuple[AnyArtefact, ...], given: list[int]) -> None:
    run = Record(steps=[Step("s", "s", "s", None, 0, 0.0, artefacts=list(artefacts))])
    assert list(given_passages(run)) == [PASSAGES[place] for place in given]


@pytest.mark.parametrize(
    ("retriever", "searched", "given", "told"),
    [
        ("dense", 40, 6, True),
        ("dense", 40, 40, True),
        ("keyword", 40, 41, False),
        ("hybrid", 10, 6, True),
        ("hybrid", 10, 10, True),
        ("hybrid", 16, 16, True),
        ("hybrid", 16, 12, False),  # lists of another depth are fused otherwise
        ("hybrid", 40, 6, False),
        ("linked", 10, 6, True),
        ("linked", 16, 12, False),
    ],
)
def test_what_a_ranking_tells(retriever: str, searched: int, given: int, told: bool) -> None:
    documents = tuple(f"d{place}" for place in range(searched))
    ranking = PlainRanking(corpus="c", retriever=retriever, depth=searched, documents=documents)
    assert ranking.first(given) == (tuple(Place(one, "") for one in documents[:given]) if told else None)


def test_a_ranking_keeps_chunks_beside_documents() -> None:
    old = {"corpus": "c", "retriever": "dense", "depth": 40, "documents": ("d", "e", "d")}
    ranking = PlainRanking.model_validate(old | {"chunks": ("d-0", "e-4", "d-2")})
    assert ranking.first(2) == (Place("d", "d-0"), Place("e", "e-4"))
    assert PlainRanking.model_validate_json(ranking.model_dump_json()) == ranking
    assert (
        PlainRanking.model_validate(old).model_dump() == old
    )  # as earlier versions wrote it, and can read it
    for chunks in (("d-0",), ("x",) * 4):
        with pytest.raises(ValidationError, match="one chunk and one document per passage"):
            PlainRanking.model_validate(old | {"chunks": chunks})


def test_how_deep_is_searched() -> None:
    assert [depth_for("dense", given) for given in (0, 6, 50)] == [KEPT_DEPTH, KEPT_DEPTH, 50]
    assert [depth_for("hybrid", given) for given in (0, 6, 16)] == [10, 10, 16]


def test_a_ranking_is_of_one_corpus_and_one_retriever() -> None:
    run = record(examples.plain())
    assert run.started is not None
    given = len(given_passages(run))
    known = {"corpus": str(run.started.corpus), "retriever": str(run.started.retriever)}
    right = PlainRanking(**known, depth=40, documents=("a", "b"))  # no more were found
    assert given > 2
    assert plain_passages(run, [right]) == (Place("a", ""), Place("b", ""))
    others = [right.model_copy(update={name: "another"}) for name in known]
    assert plain_passages(run, [*others, right]) == (Place("a", ""), Place("b", ""))
    assert plain_passages(run, others) is None
    assert plain_passages(record(examples.plain()[:-1]), [right]) is None  # it has not ended
    assert plain_passages(Record(), [right]) is None
