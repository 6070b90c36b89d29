"""The chain of sub-questions as it grows, and what of it the answer used."""

from __future__ import annotations

from typing import Any

from core.cards.groups import groups, rows
from core.cards.kind import Scene
from core.cards.kinds.chain import APART, IN_TURN, chain_data, links, progress
from core.cards.parts import Aid
from core.cards.stage import picture
from core.runs.record import Record, record
from core.trace.artefacts import Answer, Citation, Pair, Ranking, SubAnswer, SubQuestions
from core.trace.events import Event, RunFinished, RunStarted
from tests import examples

PARTS = SubQuestions(questions=("Who directed it?", "When was he born?"))
FOUND = examples.ranking(0)


def link(index: int) -> SubAnswer:
    passage = examples.PASSAGES[index]
    return SubAnswer(
        index=index,
        question=PARTS.questions[index],
        searched=PARTS.questions[index],
        given=(Pair(question="Who?", answer="He."),) * index,
        passages=(passage,),
        text=f"**Answer** {index}.",
        citations=(Citation(sentence=0, chunk=passage.chunk, quote=passage.text.split(". ")[0]),),
    )


def answer(skill: str = "synthesise") -> Answer:
    cited = Citation(sentence=0, chunk=examples.PASSAGES[1].chunk, quote="")
    return Answer(text="So it is [2].", sentences=("So it is.",), citations=(cited,), skill=skill)


def chain_run() -> list[Event]:
    script = examples.Script()
    script.start("decomposition-independent")
    script.step("s-split", "sub_questions", 0)
    script.make("s-split", PARTS)
    script.done("s-split")
    for index, question in enumerate(PARTS.questions):
        script.step(f"s-{index}", "answer_sub", 1, "s-split", question)
    for index in (1, 0):
        script.make(f"s-{index}", FOUND)
        script.make(f"s-{index}", link(index))
        script.done(f"s-{index}")
    script.add(RunFinished())
    return script.events


def test_every_sub_question_has_its_place_before_it_is_answered() -> None:
    chain = chain_data([("", PARTS)])
    assert [(link["number"], link["question"], link["text"]) for link in chain["links"]] == [
        (1, "Who directed it?", ""),
        (2, "When was he born?", ""),
    ]
    assert chain["ending"] == ""


def test_what_abstains_answers_no_sub_question() -> None:
    assert progress(chain_data([("", PARTS)])["links"]) == "0 of 2 answered"
    silent = link(1).model_copy(update={"abstained": True})
    assert (
        progress(chain_data([("", PARTS), ("", link(0)), ("", silent)])["links"]) == "1 of 2 answered, 1 not"
    )


def test_evidence_comes_before_the_answer_and_other_words_of_the_search_are_named() -> None:
    chain = chain_data([("", PARTS), (PARTS.questions[1], FOUND)])
    assert [len(link["cards"]) for link in chain["links"]] == [0, FOUND.k]
    assert chain["links"][1]["searched"] == FOUND.query
    assert chain["links"][1]["text"] == ""


def test_links_used_by_the_answer_are_told_and_the_ending_says_how_it_came_about() -> None:
    items = [("", PARTS), ("", link(0)), ("", link(1))]
    chain = chain_data(items, answer())
    assert [link["used"] for link in chain["links"]] == [False, True]
    assert [len(link["given"]) for link in chain["links"]] == [0, 1]
    assert chain["links"][0]["text"] == "Answer 0."
    assert (chain["ending"], chain["answer"]) == ("Put together from the sub-answers", "So it is.")
    assert any(piece["marked"] for piece in chain["links"][0]["cards"][0]["pieces"])
    last = chain_data(items, answer("answer_sub"))
    assert (last["ending"], last["answer"]) == ("The last sub-answer is the answer", "")


def test_a_chain_is_one_block_in_the_order_of_its_steps() -> None:
    (chain,) = groups(record(chain_run()))
    kinds = [type(item.artefact) for item in chain]
    assert kinds == [SubQuestions, Ranking, SubAnswer, Ranking, SubAnswer]


def test_rankings_without_sub_questions_stay_beside_one_another() -> None:
    found = list(rows(Scene(record(examples.rag_fusion()), "#0072B2", "run")))
    assert not any(shown.card.kind == "sub_questions" for row in found for shown in row.shown)
    assert any(row.beside for row in found)


def drawn(count: int | None = None) -> tuple[Record, dict[str, Any]]:
    made = record(chain_run()[:count])
    data = links(Scene(made))
    assert data is not None
    return made, data


def test_links_are_there_before_their_answers() -> None:
    events = chain_run()
    begun = next(place for place, event in enumerate(events) if event.type == "step_finished")
    _, data = drawn(begun)
    assert [(link["question"], link["state"], link["told"]) for link in data["links"]] == [
        ("Who directed it?", "Waiting", "Nothing is searched yet."),
        ("When was he born?", "Waiting", "Nothing is searched yet."),
    ]
    assert (data["ending"], data["answer"], data["running"]) == ("", "", True)


def test_a_link_says_what_it_knew_found_and_cited() -> None:
    _, data = drawn()
    assert data["links"][1]["told"] == "Knew 1 earlier answer; 1 passage, 1 cited."
    assert data["summary"] == "2 of 2 answered"
    assert {link["state"] for link in data["links"]} == {""}


def test_what_was_never_answered_says_so() -> None:
    made, _ = drawn(len(chain_run()) - 3)
    made.state = "stopped"
    data = links(Scene(made))
    assert data is not None
    assert [link["state"] for link in data["links"]] == ["Not answered", ""]


def reading(run: Record) -> str:
    drawn = picture(Scene(run))
    assert drawn is not None
    assert isinstance(drawn.parts[0], Aid)
    return drawn.parts[0].text


def test_only_one_strategy_has_sub_questions_that_do_not_know_of_one_another() -> None:
    made, data = drawn()
    assert not data["in_turn"]
    assert reading(made).startswith(APART)
    made.started = made.started and made.started.model_copy(update={"strategy": "least-to-most"})
    assert isinstance(made.started, RunStarted)
    assert reading(made).startswith(IN_TURN)


def test_sub_questions_for_tools_are_no_chain() -> None:
    assert links(Scene(record(examples.agentic()))) is None
    assert SubQuestions(questions=("Who?",), by_tools=True).by_tools
