"""Where a run failed, step by step, on hand-made runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import get_args

from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.failure_stages import STAGES, PairStage, Stage, gold_trace_of, stage_of
from core.evaluation.results import stages
from core.runs.record import Record, Step, record
from core.trace.artefacts import Answer, AnyArtefact, Citation, Context, ContextPassage, SubAnswer
from tests.cases import cases
from tests.examples.evaluations import SAME, evaluation
from tests.examples.parts import PASSAGES
from tests.examples.runs import plain

QUESTION = LabelledQuestion("q", "Who?", "", ("Larry Cohen",), {"doc0": 1, "doc1": 1})


def run(*artefacts: AnyArtefact) -> Record:
    return Record(
        steps=[Step("s", "answer", "", None, 0, 0.0, 1.0, "finished", artefacts=list(artefacts))],
        state="finished",
    )


def evidence(*given: int, left: Sequence[int] = ()) -> Context:
    return Context(
        passages=tuple(
            ContextPassage(rank=rank, score=0.5, passage=PASSAGES[place], given=place in given)
            for rank, place in enumerate((*given, *left), 1)
        )
    )


def said(text: str, *cited: int) -> Answer:
    return Answer(
        text=text,
        citations=tuple(Citation(sentence=0, chunk=PASSAGES[place].chunk, quote="") for place in cited),
    )


def judged(
    made: Record, question: LabelledQuestion = QUESTION, keys: Mapping[str, str] | None = None
) -> PairStage:
    trail, _ = gold_trace_of(made, question, keys)
    return stage_of(trail, made.answer, question)


@cases(
    ("made", "stage"),
    [
        ((evidence(2, 3), said("George Marshall", 2)), "no gold passage retrieved"),
        ((evidence(2, left=[0]), said("George Marshall", 2)), "retrieved but not given"),
        ((evidence(0, 2), said("George Marshall", 2)), "given but not used"),
        ((evidence(0, 2), said("I don't know.")), "abstained"),
        ((evidence(0, 2), said("Larry Cohen? I don't know.", 0)), "abstained"),
        ((evidence(2), said("I don't know.")), "no gold passage retrieved"),
        ((evidence(2, left=[0]), said("I don't know.")), "retrieved but not given"),
        ((evidence(0, 2), said("George Marshall", 0)), "used but wrong"),
        ((evidence(0, 2), said("Larry Cohen", 0)), "right"),
        ((evidence(2), said("It is Larry Cohen.")), "right"),
        ((said("Larry Cohen"),), "right"),
        ((said("Rome"),), "no gold passage retrieved"),
        ((evidence(2),), "no gold passage retrieved"),  # retrieval only
        ((evidence(2, left=[0]),), "retrieved but not given"),
        ((evidence(0),), "not judged"),
        ((), "no gold passage retrieved"),
    ],
)
def test_stages(made: tuple[AnyArtefact, ...], stage: Stage) -> None:
    assert judged(run(*made)).stage == stage


def test_an_answer_that_was_left_out_is_lost_at_refining() -> None:
    whole = evidence(0, 2)
    parts = PASSAGES[0].text.split(". ", 1)
    assert "Larry Cohen" in parts[0]

    def given(kept: str, out: str, *, other: bool = False) -> Context:
        cut = PASSAGES[0].model_copy(update={"text": kept, "left_out": (out,)})
        first = whole.passages[0].model_copy(update={"passage": cut})
        second = evidence(1).passages if other else whole.passages[1:]
        return Context(passages=(first, *second))

    lost = given(parts[1], parts[0])
    assert judged(run(lost, said("Rome", 0))).stage == "lost at refining"
    assert judged(run(lost, said("I don't know."))).stage == "lost at refining"
    assert judged(run(lost, said("Larry Cohen"))).stage == "right"
    assert judged(run(given(*parts), said("Rome", 0))).stage == "used but wrong"
    elsewhere = LabelledQuestion("q", "Who?", "", ("George Marshall",), {"doc0": 1})
    assert judged(run(lost, said("Rome", 0)), elsewhere).stage == "used but wrong"
    either = replace(QUESTION, answers=("yes",))
    assert judged(run(given("It is.", "yes"), said("no", 0)), either).stage == "used but wrong"


def test_counts() -> None:
    found = judged(run(evidence(0, 2, left=[1]), said("Rome", 2, 0)))
    assert found == PairStage("used but wrong", gold=2, retrieved=2, given=1, cited=1)


def test_support_matters_for_right_answers_only() -> None:
    right, wrong = run(evidence(0), said("Larry Cohen", 0)), run(evidence(0), said("Rome", 0))
    trail, _ = gold_trace_of(right, QUESTION)
    assert stage_of(trail, right.answer, QUESTION, supported=False).stage == "unsupported"
    assert stage_of(trail, right.answer, QUESTION, supported=True).stage == "right"
    assert stage_of(trail, wrong.answer, QUESTION, supported=False).stage == "used but wrong"


def test_support_is_judged_by_the_words_of_what_was_given() -> None:
    passage = PASSAGES[0]
    copied = said(passage.text, 0).model_copy(update={"sentences": (passage.text,)})
    invented = copied.model_copy(update={"sentences": ("Zanzibar exported 777 zebras.",)})
    assert gold_trace_of(run(evidence(0), copied), QUESTION)[1] is True
    assert gold_trace_of(run(evidence(0), invented), QUESTION)[1] is False
    assert gold_trace_of(run(evidence(0)), QUESTION)[1] is None
    assert gold_trace_of(run(copied), QUESTION)[1] is None  # closed book


def test_words_are_not_compared_across_languages() -> None:
    english = evidence(0)
    korean = said("감독은 래리 코언입니다.", 0)
    assert gold_trace_of(run(english, korean), QUESTION)[1] is None
    german = said("Der Film wurde von Larry Cohen gedreht und ist eine Komödie.", 0)
    assert gold_trace_of(run(english, german), QUESTION)[1] is None
    name = said("Larry Cohen", 0)
    assert gold_trace_of(run(english, name), QUESTION)[1] is not None


def test_a_refusal_is_never_unsupported_and_a_choice_that_cannot_be_judged_is_not_judged() -> None:
    question = replace(QUESTION, text="Who is older, Larry Cohen or George Marshall?")
    both, refusal = said("Larry Cohen or George Marshall.", 0), said("I cannot say if it is Larry Cohen.", 0)
    for answer, stage in ((both, "not judged"), (refusal, "abstained")):
        trail, _ = gold_trace_of(run(evidence(0), answer), question)
        assert stage_of(trail, answer, question, supported=False).stage == stage
    trail, _ = gold_trace_of(run(both), question)
    assert stage_of(trail, both, question, searches=False).stage == "not judged"


def test_nothing_is_missed_by_a_search_that_is_not_made() -> None:
    for said_, stage in (
        (said("Rome"), "wrong from memory"),
        (said("I don't know."), "abstained"),
        (said("Larry Cohen"), "right"),
    ):
        trail, _ = gold_trace_of(run(said_), QUESTION)
        assert stage_of(trail, said_, QUESTION, searches=False).stage == stage


def test_what_sub_questions_read_counts() -> None:
    sub = SubAnswer(
        index=0,
        question="Who directed it?",
        searched="",
        passages=PASSAGES[:1],
        text="",
        citations=said("", 0).citations,
    )
    assert judged(run(sub, said("Rome"))).stage == "used but wrong"
    silent = sub.model_copy(update={"citations": ()})
    assert judged(run(silent, said("Rome"))).stage == "given but not used"


def test_without_labels() -> None:
    made = run(evidence(0), said("Rome"))
    assert judged(made, replace(QUESTION, gold={})).stage == "wrong, gold passages not known"
    assert judged(made, replace(QUESTION, gold={}, answers=())).stage == "not judged"
    assert judged(made, replace(QUESTION, answers=())).stage == "not judged"


def test_documents_have_other_ids_in_a_corpus() -> None:
    made = run(evidence(0), said("Rome", 0))
    question = replace(QUESTION, gold={"tw1": 1})
    assert judged(made, question).stage == "no gold passage retrieved"
    assert judged(made, question, {"doc0": "tw1"}).stage == "used but wrong"


def test_whole_runs() -> None:
    assert judged(record(plain())).stage == "right"
    assert stages(*evaluation())[SAME]["q3"] == PairStage("run failed", 1, 0, 0, 0)


def test_every_stage_is_explained() -> None:
    assert set(STAGES) == set(get_args(Stage))
