"""The presenter view's data: what each strategy did, what it found, and who found most."""

from __future__ import annotations

import re

from core.cards.status import gist
from core.cards.texts import unformatted
from core.charts.columns import columns
from core.drawings import FOLDER
from core.drawings.presenter import SHOWN, presentation
from core.drawings.side_by_side import live_columns
from core.runs.record import Record, Step, record
from core.trace.artefacts import (
    AnyArtefact,
    Grade,
    GraphPath,
    HypotheticalDocuments,
    Pair,
    PathTriple,
    Plan,
    PlanStep,
    Queries,
    Query,
    Rewrite,
    StepBack,
    SubAnswer,
    SubQuestions,
    Thought,
    ToolCall,
)
from core.trace.events import Event
from core.trace.gold import Gold, Known
from tests.cases import cases
from tests.examples import RUNS
from tests.examples.parts import QUERIES, QUESTION, UNION, answer, ranking
from tests.examples.runs import failed, held_against, multi_query, plain, rag_fusion, stopped

GOLD = [Gold(document=f"doc{place}", title="") for place in (0, 1, 2, 3)]


def made(*artefacts: AnyArtefact) -> Record:
    return Record(steps=[Step("s", "s", "s", None, 0, 0.0, artefacts=list(artefacts))])


@cases(
    ("artefacts", "did"),
    [
        ((), ""),
        ((answer(),), "No search: the model alone"),
        ((ranking(0),), "1 search with the question as it is"),
        ((Queries(queries=(Query(text="a", origin="question"),)),), "1 query"),
        ((ranking(0), UNION), "5 queries, pooled"),
        (
            (
                HypotheticalDocuments(question="q", style="news", texts=("a", "b"), with_question=True),
                ranking(0),
            ),
            "2 hypothetical passages, searched for real ones like it",
        ),
        ((StepBack(question="q", general="Why?"), ranking(0), ranking(1)), "Stepped back to: “Why?”"),
        (
            (Thought(index=0, text="a", written="a"), ranking(0), Thought(index=1, text="b", written="b")),
            "2 sentences of reasoning, 1 search",
        ),
        (
            (
                SubQuestions(questions=("a", "b", "c")),
                SubAnswer(index=0, question="a", searched="a", text="x"),
                SubAnswer(
                    index=1, question="b", searched="b", text="y", given=(Pair(question="a", answer="x"),)
                ),
            ),
            "3 sub-questions, 2 answered in turn",
        ),
        (
            (
                Grade(what="IsRel", verdict="yes", passes=True),
                Grade(what="IsRel", verdict="no", passes=False),
                Rewrite(before="q", after="r", cause="bad"),
                Grade(what="IsSup", verdict="fully", passes=True),
            ),
            "2 passages graded, 1 relevant; 1 draft graded; question rewritten 1 time",
        ),
        (
            (
                Plan(steps=(PlanStep(explore="nodes", text="a"),)),
                Plan(
                    steps=(PlanStep(explore="nodes", text="a"), PlanStep(explore="relationships", text="b")),
                    attempt=2,
                    cause="nothing",
                ),
                GraphPath(
                    index=1,
                    triples=(PathTriple(hop=1, subject="a", relation="r", object="b"),),
                    verdict="respond",
                ),
            ),
            "A plan of 2 steps through the graph, a path of 1 hop; 1 plan given up",
        ),
        (
            (
                ToolCall(
                    number=1, index=0, asked="a", question="a", tool="search_documents", outcome="found"
                ),
                ToolCall(number=2, round=2, index=0, asked="b", question="b", tool="", outcome="failed"),
            ),
            "2 tool calls in 2 rounds: search_documents",
        ),
    ],
)
def test_what_a_run_did_in_one_line(artefacts: tuple[AnyArtefact, ...], did: str) -> None:
    assert gist(made(*artefacts)) == did


def test_formatting_is_taken_away_and_nothing_else() -> None:
    text = "**Bold** and `code`\nnext line\n\n* one\n* [two](https://evil.example)\n\n    deep\n\n<b>raw</b> 3 * 4"
    assert unformatted(text) == "Bold and code next line\n• one\n• two\ndeep\n<b>raw</b> 3 * 4"


def test_evidence_answer_and_costs_of_each_strategy() -> None:
    shown = presentation(columns([record(rag_fusion("a")), record(plain("b"))]), GOLD, QUESTION)
    first, second = shown.slides
    assert (shown.ask, shown.gold, shown.best) == ("Which strategy finds the evidence?", 4, ("A",))
    assert (first.found, second.found) == (4, 2)
    searched = [search["text"] for search in first.searches]
    assert searched == list(QUERIES)
    added = [line for search in first.searches for line in search["added"]]
    assert sorted(line["number"] for line in added) == [1, 2, 3, 4, 5, 6]
    assert len({line["id"] for line in added}) == 6  # each under the search that was the first to bring it
    assert {line["title"] for line in added if line["gold"]} == {
        "Full Moon High", "Larry Cohen", "Eight on the Lam", "George Marshall (director)"
    }  # fmt: skip
    assert (first.stars, second.stars) == ("★★★★", "★★☆☆")
    assert first.more == (0, 0)
    assert "".join(piece["text"] for piece in first.answer).startswith("Full Moon High has the director")
    assert {piece["text"] for piece in first.answer if piece["mark"]} == {"[1]", "[1, 5]", "[2]", "[4]"}
    assert first.costs == ("2 calls", "2 rounds", "816 tokens", f"{record(rag_fusion()).seconds:.1f} s")
    assert first.did == "5 queries, fused by reciprocal ranks"


def test_ends_that_are_not_good_and_runs_under_way() -> None:
    runs = [record(failed("a")), record(stopped("b")), record(multi_query("c")[:-20])]
    shown = presentation(columns(runs), GOLD, QUESTION)
    assert [slide.state for slide in shown.slides] == ["Failed", "Stopped", "Still running"]
    assert [bool(slide.error) for slide in shown.slides] == [True, True, False]
    assert [slide.running for slide in shown.slides] == [False, False, True]
    assert shown.outcome == ""
    assert shown.best == ()  # the last one may still find more
    assert presentation(columns(runs[:2]), GOLD, QUESTION).best == ("B",)


def test_a_tie_is_called_a_tie() -> None:
    def said(*runs: list[Event]) -> str:
        return presentation(columns([record(run) for run in runs]), GOLD, QUESTION).outcome

    assert said(rag_fusion("a"), plain("b")).startswith(
        "RAG-Fusion found 4 of 4 pieces of evidence, Plain retrieval 2;"
    )
    assert "both found the same 2 of 4 pieces of evidence" in said(plain("a"), plain("b")).lower()
    assert said(plain("a"), failed("b")) == (
        "Plain retrieval found 2 of 4 pieces of evidence; RAG-Fusion failed."
    )
    assert "both found all of the evidence" in said(rag_fusion("a"), rag_fusion("b")).lower()


def test_the_most_evidence_is_held_against_plain_retrieval_with_as_many_passages() -> None:
    shown = columns([record(held_against(rag_fusion("a"))), record(held_against(plain("b")))])
    made = presentation(shown, GOLD, QUESTION)
    assert [slide.plain for slide in made.slides] == [
        "plain retrieval with 6 passages finds 2 of 4",
        "",  # it is plain retrieval itself
    ]
    data = live_columns(shown, Known(tuple(GOLD)))
    assert [column["outcome"]["plain"] for column in data["columns"]] == [
        "plain retrieval with 6 passages finds 2 of 4",
        "",
    ]


def test_where_nobody_knows_the_evidence_the_class_judges() -> None:
    shown = presentation(columns([record(rag_fusion("a")), record(plain("b"))]), (), QUESTION)
    assert (shown.ask, shown.gold, shown.best) == ("Which answer will be best?", 0, ())
    assert not any(
        line["gold"] for slide in shown.slides for search in slide.searches for line in search["added"]
    )


def test_a_column_whose_run_has_not_begun() -> None:
    shown = presentation(columns([Record(), record(plain("b"))]), GOLD, QUESTION)
    assert shown.slides[0].idea == ""
    assert not shown.slides[0].answer
    assert not shown.slides[0].searches


def test_the_last_stage_has_the_right_answer_and_what_nobody_found() -> None:
    runs = [record(held_against(plain("a"))), record(plain("b"))]
    made = presentation(columns(runs), [*GOLD[:1], Gold(document="nowhere", title="Lost")], QUESTION)
    assert (made.right, made.missed) == ("Larry Cohen", ("Lost",))
    under_way = presentation(columns([runs[0], record(plain("b")[:-1])]), GOLD[3:], QUESTION)
    assert (under_way.outcome, under_way.missed) == ("", ())


def test_evidence_is_never_left_out_for_other_passages() -> None:
    made = presentation(columns([record(multi_query("a")), record(plain("b"))]), GOLD, QUESTION)
    for slide in made.slides:
        listed = [line for search in slide.searches for line in search["added"]]
        assert len(listed) <= SHOWN
        assert sum(line["gold"] for line in listed) == slide.found
        assert len(listed) + slide.more[1] >= slide.given


def test_a_slide_has_the_picture_of_its_strategy() -> None:
    plain_one, fusion = presentation(
        columns([record(plain("r1")), record(rag_fusion("r2"))]), GOLD, QUESTION
    ).slides
    assert plain_one.picture is None
    assert fusion.picture is not None
    assert (fusion.picture["name"], fusion.picture["title"]) == ("fusion_flow", "Ranked lists into one")
    assert fusion.picture["data"]["passages"]


def test_the_presenter_holds_every_picture() -> None:
    runs = [record(run()) for run in RUNS.values()]
    slides = [slide for one in runs for slide in presentation(columns([one]), [], QUESTION).slides]
    held = re.search(
        r"^const PICTURES = \{ (.*) \}$", (FOLDER / "presenter.js").read_text("utf-8"), re.MULTILINE
    )
    assert held is not None
    assert {slide.picture["name"] for slide in slides if slide.picture} <= set(held[1].split(", "))


def test_where_no_documents_are_searched_a_column_has_no_evidence() -> None:
    first, *rest = plain("a")
    alone = record([first.model_copy(update={"corpus": None}), *rest])
    (column, *_) = live_columns(columns([alone, record(plain("b"))]), Known(tuple(GOLD)))["columns"]
    assert {key: value for key, value in column["outcome"].items() if value} == {}
