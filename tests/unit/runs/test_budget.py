"""How many passages a run gave to its answers, and which ranking tells what plain retrieval finds with as many."""

from __future__ import annotations

from core.runs.budget import KEPT_DEPTH, depth_for, first_of, given_passages
from core.runs.record import Record, Step
from core.trace.artefacts import Answer, AnyArtefact, Context, ContextPassage, SubAnswer
from tests.cases import cases
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


@cases(
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


@cases(
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
    ranking = range(searched)
    assert first_of(ranking, searched, retriever, given) == (tuple(ranking[:given]) if told else None)


def test_how_deep_is_searched() -> None:
    assert [depth_for("dense", given) for given in (0, 6, 50)] == [KEPT_DEPTH, KEPT_DEPTH, 50]
    assert [depth_for("hybrid", given) for given in (0, 6, 16)] == [10, 10, 16]
