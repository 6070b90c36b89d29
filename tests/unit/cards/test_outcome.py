"""What a run came to, and which passages get a star."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.cards.fork import fork_view
from core.cards.groups import card_of, rows
from core.cards.kind import Scene
from core.cards.models import answerers
from core.cards.outcome import Outcome, missed, outcome, rating
from core.cards.parts import Drawing, Fold, Part
from core.cards.passages import STAR, stars_of
from core.cards.stage import MISSED, entries
from core.corpora.demo import DEMO_CORPUS
from core.runs.budget import LookUp
from core.runs.record import Record, record
from core.trace.artefacts import Answer, Baseline
from core.trace.events import ArtefactMade, Event, ReplyMissing, RunFinished, RunStarted
from core.trace.gold import Gold
from core.trace.passages import Hit
from tests import examples


def held_against(events: Sequence[Event], made: Baseline) -> Record:
    """A run as the engine ends it: what it is compared with comes right before its end."""
    *before, end = events
    assert isinstance(end, RunFinished)
    return record([*before, ArtefactMade(seq=end.seq, at=end.at, step="s-answer", artefact=made), end])


def came_to(events: Sequence[Event], made: Baseline) -> Outcome:
    found = outcome(held_against(events, made))
    assert found is not None
    return found


def gold(*places: int) -> tuple[Gold, ...]:
    return tuple(Gold(document=f"doc{i}", title="", chunks=(examples.PASSAGES[i].chunk,)) for i in places)


def baseline(places: Sequence[int] = (), answers: Sequence[str] = ()) -> Baseline:
    return examples.BASELINE.model_copy(update={"gold": gold(*places), "answers": tuple(answers)})


def test_a_run_that_was_held_against_nothing_says_nothing() -> None:
    assert outcome(record(examples.rag_fusion())) is None


def test_evidence_is_counted_in_what_was_given_and_in_what_plain_retrieval_finds() -> None:
    # The run gave passages 0, 2, 1, …; plain retrieval's search found 0, 2, 4 and 5.
    found = came_to(examples.rag_fusion(), baseline((0, 1, 8)))
    given = {item.passage.chunk for item in examples.CONTEXT.passages if item.given}
    held = sum(examples.PASSAGES[i].chunk in given for i in (0, 1, 8))
    assert (found.found, found.of, found.plain) == (held, 3, 1)
    assert found.stars == STAR * held + "☆" * (3 - held)
    assert found.line.startswith(
        f"{found.stars} {held} of 3 pieces of evidence found · plain retrieval with {found.given} passages finds 1"
    )


def test_where_nobody_knows_the_evidence_only_passages_are_counted() -> None:
    found = came_to(examples.rag_fusion(), baseline())
    assert (found.of, found.stars, found.evidence, found.verdict) == (0, "", "", None)
    assert found.line == found.passages
    assert found.passages.endswith(f"of which plain retrieval with {found.given} passages finds, too")


def test_plain_retrieval_is_not_held_against_itself() -> None:
    found = came_to(examples.plain(), baseline((0,)))
    assert found.plain is None
    assert found.line.startswith("★ The one piece of evidence was found")
    assert "plain retrieval" not in found.line
    lost = came_to(examples.plain(), baseline((8,)))
    assert lost.line.startswith("☆ The one piece of evidence was not found")


def test_declining_is_right_where_the_documents_of_the_demo_do_not_tell() -> None:
    def asked(text: str, corpus: str = DEMO_CORPUS) -> Outcome:
        events = [
            event.model_copy(
                update={
                    "corpus": corpus,
                    "question": "How many pairs of gannets were counted on Gannet Holm in 2010?",
                }
            )
            if isinstance(event, RunStarted)
            else event.model_copy(update={"artefact": Answer(text=text)})
            if isinstance(event, ArtefactMade) and isinstance(event.artefact, Answer)
            else event
            for event in examples.rag_fusion()
        ]
        return came_to(events, baseline())

    declines = asked("The passages do not say.")
    assert declines.line.endswith("Answer right · Right answer: it is not in the documents")
    assert asked("There were 1,204 pairs.").verdict == "wrong"
    assert asked("The passages do not say.", "Birds").verdict is None


def test_an_answer_is_right_or_wrong_by_its_words_and_a_long_right_one_is_no_proof_against_it() -> None:
    events = examples.rag_fusion()
    assert came_to(events, baseline((), ["Full Moon High"])).verdict == "right"
    short = came_to(events, baseline((), ["Casablanca"]))
    assert (short.verdict, short.line.endswith("Answer wrong · Right answer: Casablanca")) == ("wrong", True)
    long = came_to(events, baseline((), ["the film that was made in the autumn of 1942"]))
    assert long.verdict == "unclear"
    assert long.line.endswith(
        "Judge for yourself · Right answer: the film that was made in the autumn of 1942"
    )


def test_a_run_that_searched_no_documents_is_right_or_not_and_nothing_more() -> None:
    alone = Baseline(retriever="", score_name="", hits=(), answers=("Full Moon High",))
    found = came_to(examples.rag_fusion(), alone)
    assert (found.of, found.given, found.plain, found.shared, found.line) == (
        0,
        0,
        None,
        None,
        "Answer right",
    )


def test_what_it_is_held_against_is_no_step_and_costs_nothing() -> None:
    plain, held = record(examples.rag_fusion()), held_against(examples.rag_fusion(), baseline((0,)))
    assert held.totals == plain.totals
    assert len(list(rows(Scene(held, "#0072B2", "run")))) == len(list(rows(Scene(plain, "#0072B2", "run"))))


def test_every_card_stars_the_passages_that_hold_evidence() -> None:
    held = held_against(examples.rag_fusion(), baseline((0,)))
    scene = Scene(held, "#0072B2", "run")
    assert stars_of(held) == {examples.PASSAGES[0].chunk}
    for artefact in (*examples.artefacts(), held.baseline):
        if artefact is not None:
            for card in _cards(card_of(artefact, scene).parts):
                assert card["starred"] == (card["id"] == examples.PASSAGES[0].chunk)
                assert card["title"].startswith(STAR) == card["starred"]


def test_before_its_end_a_run_has_no_stars_unless_a_replay_knows_its_evidence() -> None:
    begun = record(examples.rag_fusion()[:-1])
    assert not stars_of(begun)
    assert stars_of(begun, gold(0)) == {examples.PASSAGES[0].chunk}
    assert Scene(begun, "#0072B2", "run", gold(0)).stars == stars_of(begun, gold(0))


def test_a_document_that_is_labelled_whole_has_stars_on_all_its_passages() -> None:
    whole = examples.BASELINE.model_copy(update={"gold": (Gold(document="doc2", title=""),)})
    assert stars_of(held_against(examples.rag_fusion(), whole)) == {examples.PASSAGES[2].chunk}


def test_many_pieces_are_not_drawn_as_stars() -> None:
    assert (rating(1, 3), rating(0, 0), rating(3, 20)) == ("★☆☆", "", "")


def fate(events: Sequence[Event], place: int) -> str:
    (lost,) = missed(held_against(events, baseline((place,))))
    return lost.fate


def test_evidence_that_was_missed_says_where_it_was_lost() -> None:
    assert fate(examples.rag_fusion(), 7).endswith("had it at rank 4; its first 3 were used.")
    assert fate(examples.rag_fusion(), 4).endswith(
        "had it at rank 3, which fusing made rank 7; 6 passages were given."
    )
    assert fate(examples.self_rag(), 4).endswith(
        "had it at rank 3, but it was judged not relevant and dropped."
    )
    assert fate(examples.self_rag(), 7) == "None of its 2 searches had it among the first 4."
    assert fate(examples.plain(), 8) == "The first 4 passages of the search don't contain it."
    assert not missed(held_against(examples.plain(), baseline((0,))))
    assert not missed(record(examples.plain()[:-1]), gold(8)), "it may still be found"


def test_what_no_search_of_a_run_found_is_looked_up_in_its_corpus() -> None:
    piece = Gold(document="away", title="Away", quote="Larry Cohen was born", chunks=("away-0",))
    run = held_against(examples.plain(), examples.BASELINE.model_copy(update={"gold": (piece,)}))
    (words,) = missed(run)
    assert (words.card.where, words.card.pieces[0].marked) == ("the words of its label", True)
    text = f"Before. {piece.quote}. After."
    passage = examples.PASSAGES[8].model_copy(update={"chunk": "away-0", "text": text})
    hits = tuple(Hit(rank=rank, score=0.1, passage=passage) for rank in (14,))
    found = LookUp((passage,), examples.ranking(0).model_copy(update={"hits": hits}))
    (seen,) = missed(run, looked=found)
    assert seen.fate == "The search has it at rank 14; 4 passages were given."
    assert [part.text for part in seen.card.pieces if part.marked] == [piece.quote]
    (deep,) = missed(run, looked=LookUp((passage,), examples.ranking(0)))
    assert deep.fate == "The first 50 passages of the search don't contain it."


def test_what_was_missed_stands_on_the_stage_once_the_run_has_ended() -> None:
    for place, shown in ((0, False), (8, True)):
        run = held_against(examples.plain(), baseline((place,)))
        assert (MISSED in {entry.key for entry in entries(Scene(run, "#0072B2", "run"))}) == shown
    begun = Scene(record(examples.plain()[:-1]), "#0072B2", "run", gold(8))
    assert MISSED not in {entry.key for entry in entries(begun)}


def test_a_fork_says_what_it_did_to_the_evidence() -> None:
    parent = record(examples.rag_fusion())
    view = fork_view(parent, held_against(examples.rag_fusion(), baseline((0,))))
    assert view.evidence == "Evidence: 1 of 1, as before"
    assert fork_view(parent, parent).evidence == ""


def _cards(value: Any) -> list[dict[str, Any]]:
    """Every passage card in parts and in the data of drawings."""
    if isinstance(value, Drawing):
        return _cards(dict(value.data))
    if isinstance(value, Fold):
        return _cards(value.parts)
    if isinstance(value, dict):
        own = [value] if {"id", "title", "pieces"} <= value.keys() else []
        return own + [card for one in value.values() for card in _cards(one)]
    if isinstance(value, list | tuple):
        parts: Sequence[Part] = value
        return [card for one in parts for card in _cards(one)]
    return []


def test_passages_that_came_and_went_are_told_apart_and_starred() -> None:
    def giving(first: int) -> Record:
        run = held_against(examples.rag_fusion(), baseline((0,)))
        made = run.context
        assert made is not None
        alike = [
            item.model_copy(
                update={
                    "passage": item.passage.model_copy(
                        update={"title": "Regulation", "page": 3, "position": place}
                    )
                }
            )
            for place, item in enumerate(made.passages)
        ]
        kept = tuple(item.model_copy(update={"given": place == first}) for place, item in enumerate(alike))
        (step,) = [step for step in run.steps if made in step.artefacts]
        step.artefacts[step.artefacts.index(made)] = made.model_copy(update={"passages": kept})
        return run

    view = fork_view(giving(0), giving(1))
    assert view.dropped[0].startswith(f"{STAR} Regulation · p. 3 · chunk")
    assert view.came_in[0].startswith("Regulation · p. 3 · chunk")
    assert view.dropped[0].removeprefix(f"{STAR} ") != view.came_in[0]


def test_a_fork_says_who_answered_before_and_after() -> None:
    run = record(examples.forked())
    assert run.started is not None
    taken = [call for call in run.calls if call.inherited]
    assert answerers(replace(run, steps=[step for step in run.steps if step.inherited])) == ""
    assert taken
    run.recording, run.missing = "Pellamar", "builtin"
    *_, own = (step for step in run.steps if not step.inherited)
    for step in run.steps:
        step.calls = [call for call in step.calls if call.inherited]
    own.missing.append(ReplyMissing(seq=0, at=0.0, step=own.id, skill="answer", reason="It is new."))
    assert answerers(run) == "the built-in model"
    view = fork_view(record(examples.rag_fusion()), run)
    assert (view.by_before, view.by_after) == ("gpt-example", "the built-in model")
