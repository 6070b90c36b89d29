"""What is told of each scene of a replay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.cards.kinds import KINDS
from core.cards.narration import LETTERS, SceneContext
from core.cards.replay import expected, narration, next_layer, takes
from core.cards.status import stopped_before
from core.runs import gallery
from core.runs.record import record
from core.strategies import node_titles, strategies
from core.trace.artefacts import (
    Answer,
    AnyArtefact,
    Baseline,
    Context,
    ContextPassage,
    Critique,
    DroppedQuery,
    FusedRow,
    Fusion,
    Grade,
    HypotheticalDocuments,
    Queries,
    Query,
    RankedList,
    Ranking,
    SubAnswer,
    SubQuestions,
    Thought,
)
from core.trace.events import Event
from core.trace.gold import Gold
from core.wording import shortened
from tests import examples
from tests.cases import cases
from tests.hostile import EVIL, every_artefact


def narrations(events: Sequence[Event]) -> list[str]:
    """The sentence of every scene."""
    run = record(events)
    return [narration(run, take) for take in takes(events, {}, run)]


def every_run() -> Iterator[tuple[str, list[Event]]]:
    """The examples and the gallery."""
    yield from ((name, make()) for name, make in examples.RUNS.items())
    for piece in gallery.PIECES:
        yield from ((f"{piece.id} {place}", run) for place, run in enumerate(gallery.read(piece)[1]))


RUNS = dict(every_run())
PASSAGES = examples.PASSAGES


def scene(made: AnyArtefact | Sequence[AnyArtefact], *before: AnyArtefact, stars: Sequence[int] = ()) -> str:
    """What is told of a scene of a run that made these things.

    Args:
        made: In the scene.
        before: In a step before it.
        stars: Which of `PASSAGES` hold evidence.
    """
    script = examples.Script()
    script.start("plain")
    for name, group in (("before", before), ("now", made if isinstance(made, Sequence) else (made,))):
        script.step(name, name, 0 if name == "before" else 1)
        for artefact in group:
            script.make(name, artefact)
        script.done(name)
    if stars:
        gold = tuple(
            Gold(document=one.document, title=one.title, chunks=(one.chunk,))
            for one in (PASSAGES[place] for place in stars)
        )
        script.step("end", "end", 2)
        script.make("end", Baseline(retriever="dense", score_name="cosine", hits=(), gold=gold))
        script.done("end")
    run = record(script.events)
    take = next(one for one in takes(script.events, {}, run) if "now" in one.steps)
    return narration(run, take)


def ranking(query: str, *places: int) -> Ranking:
    """These of `PASSAGES`, best first."""
    every = {hit.passage.chunk: hit for place in range(5) for hit in examples.ranking(place).hits}
    some = next(iter(every.values()))
    hits = tuple(
        some.model_copy(update={"rank": rank, "passage": PASSAGES[place]})
        for rank, place in enumerate(places, 1)
    )
    return examples.ranking(0).model_copy(update={"query": query, "hits": hits, "k": len(hits) or 1})


@cases("name", list(RUNS))
def test_every_scene_has_one_short_sentence(name: str) -> None:
    sentences = narrations(RUNS[name])
    assert len(sentences) == len(takes(RUNS[name], {}))
    for sentence in sentences:
        assert 10 < len(sentence) <= LETTERS
        assert "\n" not in sentence
        assert sentence[0].isupper() or not sentence[0].isalpha()


def test_every_kind_has_a_sentence() -> None:
    orders = [kind.sentence.order for kind in KINDS.values() if kind.sentence]
    assert len(set(orders)) == len(KINDS)
    script = examples.Script()
    script.start("plain")
    run = record(script.events)
    for artefact in examples.artefacts():
        sentence = KINDS[artefact.kind].sentence
        assert sentence, artefact.kind
        assert sentence.says([artefact], SceneContext(run, [artefact], [])), artefact.kind


def test_what_others_wrote_is_raw_text_and_short() -> None:
    for strategy in ("plain", "hyde"):
        events = every_artefact(strategy, keep=frozenset({"strategy"}))
        assert all(len(sentence) <= LETTERS for sentence in narrations(events))
        assert any(EVIL[:10] in sentence for sentence in narrations(events))


def test_a_text_is_cut_between_words() -> None:
    assert shortened("one two three four", 15) == "one two three…"
    assert shortened("a" * 40, 10) == "a" * 9 + "…"
    assert shortened(" one \n two ", 10) == "one two"


def test_queries() -> None:
    question, other = Query(text="Q?", origin="question"), Query(text="R?", origin="model")
    dropped = tuple(
        DroppedQuery(text="x", reason=f"asks something else (cosine 0.{place})") for place in (3, 4)
    )
    assert scene(Queries(queries=(question, other), dropped=dropped)) == (
        "Two queries, the first of them the question itself; 2 more were dropped (asks something else)."
    )
    assert scene(Queries(queries=(question,))) == "The question is searched as it is."


def test_rankings_tell_what_one_query_alone_found() -> None:
    same = [ranking(f"q{place}", 0, 1) for place in range(3)]
    first = PASSAGES[0].title
    assert scene(same).startswith(f"Every query finds “{first}” first")
    odd = [*same, ranking("other words", 3, 0)]
    assert scene(odd).startswith(f"Q4 is the only query that puts “{PASSAGES[3].title}” first")
    assert scene(odd, stars=(3,)) == (
        f"Q4 alone finds ★ “{PASSAGES[3].title}”, which holds evidence: “other words”"
    )
    assert scene([ranking("a"), ranking("b")]) == "Nothing is found."


def test_one_search_tells_its_first_and_the_evidence() -> None:
    found = scene(ranking("q", 0, 1, 2), stars=(1,))
    assert found == f"One search finds 3 passages, “{PASSAGES[0].title}” first, 1 of them with evidence ★."
    again = scene(ranking("q2", 1, 2), ranking("q", 0, 1), stars=(2,))
    assert again == "Searching with “q2” finds 1 new passage, 1 of them with evidence ★."
    assert (
        scene(ranking("q2", 1), ranking("q", 0, 1))
        == "Searching with “q2” finds nothing that was not found before."
    )


def test_fusion_tells_who_wins_and_who_falls() -> None:
    lists = tuple(RankedList(query=f"q{place}", retriever="dense") for place in range(3))
    ranks = [(1, 2, 1), (2, 3, 2), (None, 1, None)]
    rows = tuple(
        FusedRow(passage=PASSAGES[place], ranks=one, score=1 - place / 10) for place, one in enumerate(ranks)
    )
    assert scene(Fusion(k=60, first_rank=1, lists=lists, rows=rows)) == (
        f"“{PASSAGES[0].title}” wins: it is near the top of all 3 lists. "
        f"“{PASSAGES[2].title}”, first in Q2 alone, falls to rank 3."
    )


def test_hypothetical_passages_tell_what_the_question_alone_would_not_have_found() -> None:
    written = HypotheticalDocuments(
        question="Q?", style="encyclopedia", texts=("It is.",), with_question=True
    )
    alone, found = ranking("Q?", 0, 1), ranking("It is.", 0, 2)
    text = scene([found], alone, written, stars=(2,))
    assert (
        text
        == "1 of 2 passages would not have been found with the question alone, 1 of them with evidence ★."
    )


def test_a_sub_answer_goes_into_the_next_question() -> None:
    split = SubQuestions(questions=("Who made it?", "Where was #1 born?"))
    answer = SubAnswer(
        index=0, question="Who made it?", searched="", text="Imre Dacre [1]", short="Imre Dacre"
    )
    assert scene(answer, split) == "The first sub-answer, “Imre Dacre”, goes into the second question."
    none = answer.model_copy(update={"abstained": True})
    assert scene(none, split) == "The first sub-question finds no answer: “Who made it?”"


def test_grades_count_what_is_thrown_out() -> None:
    def grades(*passes: bool) -> list[Grade]:
        return [Grade(what="IsRel", verdict="yes" if one else "no", passes=one) for one in passes]

    assert scene(grades(True, False, False)) == "2 of 3 passages are thrown out as not relevant."
    assert scene(grades(False, False)) == "None of 2 passages counts as relevant."
    assert scene(grades(True, True)) == "All 2 passages count as relevant."


def test_thoughts_and_critiques_tell_what_comes_next() -> None:
    thought = Thought(index=1, text="Something is missing.", queries=("Who was it?",), written="")
    assert scene(thought) == "Thought 2 finds something missing, and searches for “Who was it?”"
    assert scene(Critique(complete=True)) == "The critique: enough is known to answer."
    asked = scene(Critique(complete=False, questions=("When?",)))
    assert asked == "The critique: something is missing. Asked next: “When?”"


def test_passages_that_go_to_the_model_are_counted_with_their_evidence() -> None:
    given = tuple(
        ContextPassage(rank=place + 1, score=None, passage=PASSAGES[place], given=place < 2)
        for place in range(3)
    )
    assert (
        scene(Context(passages=given), stars=(1, 2))
        == "2 passages go to the model, 1 of them with evidence ★."
    )
    assert scene(Context(passages=())) == "No passage is left for the model to read."


def test_the_end_tells_whether_the_answer_is_right_and_what_plain_retrieval_finds() -> None:
    ends = {name: narrations(run)[-1] for name, run in RUNS.items()}
    assert ends["recorded-glow 0"] == (
        "The answer is right: “dinoflagellates”; it had the one piece of evidence, "
        "plain retrieval with 6 passages finds none."
    )
    assert ends["recorded-compared 0"].startswith("No answer is given; the right one is “Gannet Holm”")
    right = RUNS["recorded-compared 1"]
    last = max(place for place, one in enumerate(right) if isinstance(getattr(one, "artefact", None), Answer))
    wrong = right[last].model_copy(update={"artefact": Answer(text="In Ternick.")})
    said = narrations([*right[:last], wrong, *right[last + 1 :]])[-1]
    assert said.startswith("The answer is wrong; the right one is “Gannet Holm”")
    assert ends["failed"].startswith("The run fails here: ")
    assert ends["stopped"].startswith("The run was stopped here: ")
    draft = Answer(text="A draft.", final=False)
    assert scene(draft) == "A draft is written, to be judged next: “A draft”"


def test_a_changed_run_says_where_it_was_changed() -> None:
    assert narrations(examples.forked())[1].startswith("Here the run was changed. ")


def test_guesses_stand_beside_what_came_once_their_steps_are_done() -> None:
    events = examples.paused()
    run = record(events)
    titles = node_titles(run.started)
    guesses = {0: "  Five queries ", 1: "", 3: "An answer"}
    assert next_layer(run) == 3
    (one,) = expected(run, titles, lambda layer: guesses.get(layer, ""))
    assert (one.title, one.guess) == (titles["queries"], "Five queries")
    assert one.outcome.startswith("Five queries, the first")
    assert expected(record(events[:1]), titles, lambda _: "Anything") == []


def test_a_stop_names_what_comes_and_how_much_at_once() -> None:
    run = record(examples.paused())
    assert stopped_before(run, {"answer": "Answer"}) == "Stopped before “Answer”"
    run.next = ("retrieve",) * 3
    assert stopped_before(run, {"retrieve": "Retrieve"}) == "Stopped before “Retrieve” (3 at once)"
    run.next = ("a", "b")
    assert stopped_before(run, {}) == "Stopped before “a” and “b” (2 at once)"


def test_every_step_says_what_it_does_in_a_sentence() -> None:
    for key, strategy in strategies().items():
        diagram = strategy.diagram()
        assert diagram.does.keys() == diagram.steps.keys(), key
        assert all(text[0].isupper() and text[-1] in ".?" for text in diagram.does.values()), key
