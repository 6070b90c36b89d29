"""Views are pure: what is shown of each artefact and of a run."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, get_args

import pytest

from core.cards.grid import list_columns, strength
from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.kinds import KINDS
from core.cards.kinds.evidence import answer_view, context_view, score_name
from core.cards.kinds.fusion import fusion_flow, fusion_grid, order_changes
from core.cards.kinds.union import union_grid
from core.cards.matching import matches
from core.cards.models import methods_chosen
from core.cards.parts import Drawing, Fold, Lines, Part
from core.cards.passages import PassageCard, names, passage_card, pieces, where
from core.cards.status import done_line, status_line
from core.charts.timeline import timeline
from core.drawings.diagram import diagram_svg, node_state
from core.drawings.layout import lanes, layering
from core.retrieval.caches import announce
from core.retrieval.fusion import fuse_again
from core.runs.record import Step, record
from core.skills import SKILLS
from core.skills.answer import cite
from core.strategies import get_strategy
from core.strategies.base import Diagram, Edge
from core.trace.artefacts import Answer, AnyArtefact, Citation, FusedRow, Fusion, RankedList
from core.trace.passages import Passage
from tests import examples
from tests.cases import cases
from tests.examples.chains import self_rag

EVERY = {kind.model_fields["kind"].default for kind in get_args(get_args(AnyArtefact)[0])}
LOOP = Diagram(
    {"__start__": "", "a": "First", "b": "Second", "__end__": ""},
    (Edge("__start__", "a", False), Edge("a", "b", False), Edge("b", "a", True), Edge("b", "__end__", True)),
)


def parts_of(artefact: AnyArtefact) -> list[Part]:
    return list(card_of(artefact, Scene(record([]), "#0072B2", "run")).parts)


def drawn(part: Part) -> Any:
    assert isinstance(part, Drawing)
    return part.data["cards"]


def test_every_kind_has_one_card_one_icon_and_one_title() -> None:
    assert set(KINDS) == EVERY
    for artefact in examples.artefacts():
        card = card_of(artefact, Scene(record([]), "#0072B2", "run"))
        assert card.parts
        assert (card.kind, card.title) == (artefact.kind, KINDS[artefact.kind].title)
    assert {artefact.kind for artefact in examples.artefacts()} == EVERY
    for told in ("title", "icon", "moment"):
        assert len({getattr(kind, told) for kind in KINDS.values()}) == len(KINDS)


def test_quotes_are_marked_and_the_text_stays_whole() -> None:
    cut = pieces("One. Two. Three.", ["Two."])
    assert [(piece.text, piece.marked) for piece in cut] == [
        ("One. ", False),
        ("Two.", True),
        (" Three.", False),
    ]
    assert [piece.text for piece in pieces("One.", ["absent", ""])] == ["One."]
    assert pieces("", ["x"]) == ()


def test_a_passage_says_where_it_is_from() -> None:
    assert where(examples.PASSAGES[0]) == "page 1 · chunk 1"
    assert where(examples.PASSAGES[1]) == "Career · chunk 2"


def test_queries_name_their_origin_and_why_some_were_dropped() -> None:
    used, fold, *_ = parts_of(examples.VARIANTS)
    assert isinstance(used, Lines)
    assert used.lines[0].remark == "the question itself"
    assert isinstance(fold, Fold)
    assert isinstance(fold.parts[0], Lines)
    assert fold.parts[0].lines[1].remark == "a copy of query 5"


def test_a_ranking_keeps_what_is_used_apart_from_the_rest() -> None:
    used, fold, *_ = parts_of(examples.ranking(0))
    assert isinstance(fold, Fold)
    first, rest = drawn(used), drawn(fold.parts[0])
    assert [card["rank"] for card in first] == ["1", "2", "3"]
    assert [card["rank"] for card in rest] == ["4"]
    assert first[0]["score"] == "0.770"


def test_the_matrix_holds_the_rank_of_each_passage_in_each_query() -> None:
    view = union_grid(examples.UNION)
    assert [column.name for column in view.lists] == ["Q1", "Q2", "Q3", "Q4", "Q5"]
    first = view.rows[0]
    assert first.card.title == "Full Moon High"
    assert [cell.text for cell in first.cells] == ["1", "1", "", "4", "1"]
    assert first.leads[0].text == "4 of 5"


def test_better_ranks_are_stronger_in_colour() -> None:
    assert 1 > strength(1) > strength(2) > strength(5) > strength(None) == 0
    assert strength(40) > 0


def test_lists_of_several_retrievers_are_told_apart() -> None:
    dense = examples.LISTS[0]
    columns = list_columns([dense, dense.model_copy(update={"retriever": "keyword"})])
    assert [column.name for column in columns] == ["Q1 dense", "Q1 keyword"]


@pytest.mark.parametrize(("first_rank", "shown"), [(1, ("1", ".01639")), (0, ("0", ".01667"))])
def test_a_cell_holds_the_rank_and_one_over_k_plus_rank(
    first_rank: Literal[0, 1], shown: tuple[str, str]
) -> None:
    rows = fusion_grid(fuse_again(examples.FUSION, k=60, first_rank=first_rank)).rows
    firsts = {(cell.text, cell.small) for row in rows for cell in row.cells if cell.text == str(first_rank)}
    assert firsts == {shown}
    assert any(cell.text == "" and cell.small == "" for row in rows for cell in row.cells)


def test_the_bar_of_the_best_row_is_full_and_made_of_its_cells() -> None:
    rows = fusion_grid(examples.FUSION).rows
    assert sum(rows[0].parts) == pytest.approx(1)
    assert [part > 0 for part in rows[0].parts] == [cell.text != "" for cell in rows[0].cells]
    assert all(sum(row.parts) <= 1 + 1e-9 for row in rows)


def test_another_k_says_what_would_change() -> None:
    assert order_changes(examples.FUSION, examples.FUSION) == []
    assert [column.name for column in fusion_grid(examples.FUSION).leads] == ["Sum"]
    other = fuse_again(examples.FUSION, k=1, first_rank=1)
    assert order_changes(other, examples.FUSION)
    assert any("▲" in row.leads[1].text for row in fusion_grid(other, examples.FUSION).rows)


def test_citations_are_numbered_as_the_passages_were_given() -> None:
    _, chips = answer_view(examples.answer(), examples.CONTEXT)
    assert [chip.number for chip in chips] == sorted(chip.number for chip in chips)
    assert {chip.title for chip in chips} >= {"Full Moon High", "Larry Cohen"}
    assert next(chip for chip in chips if chip.title == "Full Moon High").uses == 2


def test_an_answer_without_marks_gets_them() -> None:
    chunk = examples.CONTEXT.passages[1].passage.chunk
    plain = Answer(
        text="A. B.", sentences=("A.", "B."), citations=(Citation(sentence=1, chunk=chunk, quote="x"),)
    )
    assert answer_view(plain, examples.CONTEXT)[0] == "A. B. [2]"


def test_the_evidence_marks_what_the_answer_used() -> None:
    given, _ = context_view(examples.CONTEXT, examples.answer())
    assert len(given) == 6
    cited = next(card for card in given if card.title == "Full Moon High")
    assert any(piece.marked for piece in cited.pieces)
    assert cited.badge == "cited"


def test_scores_are_named_after_what_made_them() -> None:
    assert score_name(record(examples.rag_fusion())) == "RRF"
    assert score_name(record(examples.plain())) == "cosine similarity"


@pytest.mark.parametrize("across", [False, True])
def test_the_diagram_is_well_formed_and_shows_what_ran(across: bool) -> None:
    run = record(examples.rag_fusion()[:12])
    step = run.steps[0]
    svg = diagram_svg(LOOP, [], "#0072B2", across=across)
    assert len(ET.fromstring(svg).findall(".//rect")) == 2
    assert node_state([step]).state == "finished"
    assert node_state(run.steps[1:]).state == "running"
    assert node_state(run.steps[1:]).remark.startswith("0 of ")


def test_arrows_that_go_back_do_not_move_a_node_down() -> None:
    assert layering(LOOP) == {"__start__": 0, "a": 1, "b": 2, "__end__": 3}


def test_a_node_that_only_leads_back_stands_above_the_end_of_the_loop() -> None:
    diagram = get_strategy("self-rag").diagram()
    layers = layering(diagram)
    assert len(set(layers.values())) == len(layers)
    assert layers["rewrite"] + 1 == layers["answer"]


def test_no_two_arrows_beside_the_nodes_run_on_one_another() -> None:
    diagram = get_strategy("self-rag").diagram()
    layers, beside = layering(diagram), lanes(diagram)
    assert {(edge.source, edge.target) for edge in beside} == {
        ("rewrite", "retrieve"), ("grade_answer", "generate"), ("grade_answer", "answer"),
        ("evidence", "rewrite"), ("evidence", "answer"),
    }  # fmt: skip
    for one, other in combinations(beside, 2):
        backs = [layers[edge.target] < layers[edge.source] for edge in (one, other)]
        spans = [set(range(*sorted((layers[edge.source], layers[edge.target])))) for edge in (one, other)]
        assert backs[0] != backs[1] or beside[one] != beside[other] or not spans[0] & spans[1]


def test_titles_in_the_diagram_are_escaped() -> None:
    diagram = Diagram({"__start__": "", "a": "<script>", "__end__": ""}, (Edge("__start__", "a", False),))
    assert "<script>" not in diagram_svg(diagram, [], "#0072B2")


def test_a_failed_node_says_so() -> None:
    assert node_state(record(examples.failed()).steps).state == "failed"


def test_the_status_line_tells_of_retries_as_they_happen() -> None:
    waiting = [event for event in examples.failed() if event.seq <= 4]
    line = status_line(record(waiting), {"queries": "Write queries"}, attempts=4)
    assert line == "Write queries: waiting 2 s: rate limit, try 2 of 4"


def test_the_status_line_tells_what_a_first_search_waits_for() -> None:
    events = examples.plain()
    run = record(events[:2])
    assert run.started is not None
    assert run.started.corpus
    with announce("another", "counting"):
        assert status_line(run, {"retrieve": "Retrieve"}, attempts=4) == "Retrieve"
    with announce(run.started.corpus, "reading all passages, once"):
        assert (
            status_line(run, {"retrieve": "Retrieve"}, attempts=4) == "Retrieve: reading all passages, once"
        )


@cases("name", list(examples.RUNS))
def test_the_timeline_has_a_lane_per_step_and_call(name: str) -> None:
    run = record(examples.RUNS[name]())
    figure = timeline(run)
    assert figure.layout.yaxis.type == "category"  # the legend's empty bars would make it numeric
    bars = {bar.y[0] for bar in figure.data if bar.y[0] is not None}
    assert len(bars) == len(run.steps) + len(run.calls)


def test_a_node_in_a_loop_took_the_time_of_its_own_executions() -> None:
    def step(start: float, end: float) -> Step:
        return Step("s", "n", "", None, 0, start, end, "finished")

    assert node_state([step(0, 1), step(0.5, 1), step(10, 11)]).remark == "2.00 s for all 3"


def test_a_node_done_by_the_parent_of_a_fork_was_taken_over() -> None:
    run = record(examples.forked())
    (queries,) = [step for step in run.steps if step.node == "queries"]
    assert node_state([queries]).remark == "taken over"
    (answer,) = [step for step in run.steps if step.node == "answer"]
    assert node_state([answer]).remark.endswith(" s")


def test_one_of_several_executions_that_failed_is_counted() -> None:
    good, bad = (Step("s", "n", "", None, 0, 0, 1, state) for state in ("finished", "failed"))
    assert node_state([good, good, bad]).remark == "1 of 3 failed"


def test_the_end_of_a_run_says_what_it_did_itself() -> None:
    asked = done_line(record(examples.rag_fusion()))
    assert re.fullmatch(r"Done in \d\.\d\d s with gpt-example", asked)
    assert done_line(record(examples.plain())).endswith(" s without a model call")
    run = record(examples.forked())
    assert run.fork is not None
    assert done_line(run) == (
        f"Done in {run.seconds - run.fork.at:.2f} s from the change on, with gpt-example; "
        f"what took {run.fork.at:.2f} s before it was taken over"
    )


def chunk(position: int, title: str = "Duck", heading: str = "", text: str = "") -> Passage:
    return Passage(
        chunk=f"{title}-{position}", document=title, title=title, text=text, position=position, start=0, end=1,
        heading=heading,
    )  # fmt: skip


def test_chunks_of_one_document_have_names_of_their_own() -> None:
    assert names([chunk(0), chunk(0, "Goose")]) == {"Duck-0": "Duck", "Goose-0": "Goose"}
    assert list(names([chunk(0, heading="Food"), chunk(3, heading="Nests")]).values()) == [
        "Duck · Food",
        "Duck · Nests",
    ]
    own = names([chunk(0, heading="Duck"), chunk(3, heading="Nests")])
    assert list(own.values()) == ["Duck · chunk 1", "Duck · Nests"]
    same = [chunk(0, heading="Food"), chunk(3, heading="Food"), chunk(0, "Goose")]
    assert list(names(same).values()) == ["Duck · Food · chunk 1", "Duck · Food · chunk 4", "Goose"]
    bare = [chunk(0, heading="Food"), chunk(3), chunk(0, "Goose")]
    assert list(names(bare).values()) == ["Duck · Food", "Duck · chunk 4", "Goose"]
    paged = [one.model_copy(update={"page": page}) for one, page in zip(same, (2, 12, 1), strict=True)]
    assert list(names(paged).values()) == ["Duck · p. 2", "Duck · p. 12", "Goose"]


def test_a_short_name_keeps_what_tells_it_apart() -> None:
    every = [chunk(place, "A very long title of a document", "A rather long heading") for place in (0, 1)]
    short = list(names(every, 20).values())
    assert short == ["A very lo… · chunk 1", "A very lo… · chunk 2"]
    assert list(names(every[:1], 20).values()) == ["A very long title…"]
    headed = [chunk(place, "A long title", heading) for place, heading in enumerate(("Food", "Nests"))]
    assert list(names(headed, 17).values()) == ["A long ti… · Food", "A long t… · Nests"]


def test_pictures_and_tables_tell_chunks_of_one_document_apart() -> None:
    passages = [chunk(place) for place in range(3)]
    order = Fusion(
        k=60, first_rank=1,
        lists=(RankedList(query="q", retriever="dense"),),
        rows=tuple(FusedRow(passage=one, ranks=(rank,), score=1 / rank) for rank, one in enumerate(passages, 1)),
    )  # fmt: skip
    assert [one["name"] for one in fusion_flow(order)["passages"]] == [
        row.card.title for row in fusion_grid(order).rows
    ]
    assert [row.card.title for row in fusion_grid(order).rows] == [
        "Duck · chunk 1",
        "Duck · chunk 2",
        "Duck · chunk 3",
    ]


def test_a_folded_passage_begins_with_what_the_answer_used() -> None:
    before = "Behaviour\n\nFeeding\n\n" + "Something else is said here. " * 8
    text = f"{before}Ducks eat grass. And more."
    card = passage_card(chunk(0, text=text), 1, None, "", quotes=["Ducks eat grass."])
    assert seen(card) == "… Ducks eat grass. And more."
    assert "".join(piece.text for piece in card.pieces) == text
    assert card.where == "Feeding · chunk 1"
    assert seen(passage_card(chunk(0, text="Duck\n\nDucks eat."), 1, None, "")) == "Ducks eat."
    assert passage_card(chunk(0, text="Duck\n\nDucks eat."), 1, None, "").where == "chunk 1"


def test_a_folded_passage_shows_every_sentence_that_was_used() -> None:
    long = "Something else is said here. " * 8
    text = f"Birds. Ducks eat grass. {long}They fly far, too. The end."
    card = passage_card(chunk(0, text=text), 1, None, "", quotes=["fly far", "Ducks eat grass."])
    assert seen(card) == "… Ducks eat grass.… They fly far, too. The end."
    assert [piece.text for piece in card.pieces if piece.marked] == ["Ducks eat grass.", "fly far"]


def test_what_the_answer_did_not_use_begins_with_what_shares_most_with_the_question() -> None:
    text = "Feeding\n\nThe duck is a bird. Ducks eat grass and insects. The end."
    every = [chunk(0, text=text), chunk(1, text="A duck swims."), chunk(2, text="Geese.")]
    found = matches("What does a duck eat?", every)
    assert list(found) == ["Duck-0", "Duck-1"]
    card = passage_card(every[0], 1, None, "", match=found["Duck-0"])
    assert seen(card) == "… Ducks eat grass and insects. The end."
    assert [piece.text for piece in card.pieces if piece.match] == ["Ducks eat grass and insects."]
    used = passage_card(every[0], 1, None, "", match=found["Duck-0"], quotes=["The end."])
    assert seen(used) == "… The end."
    assert not any(piece.match for piece in used.pieces)


@pytest.mark.parametrize(
    ("asked", "text", "sentence"),
    [
        (
            "鴨子吃什麼？",
            "鴨子是一種水鳥。牠們吃水草和昆蟲，鴨子吃得很多。牠們會飛。",
            "牠們吃水草和昆蟲，鴨子吃得很多。",
        ),
        (
            "カモは何を食べますか。",
            "カモは水鳥です。カモは草や虫を食べます。空を飛びます。",
            "カモは草や虫を食べます。",
        ),
        (
            "오리는 무엇을 먹습니까?",
            "오리는 물새입니다. 오리는 풀을 먹습니다. 하늘을 납니다.",
            "오리는 풀을 먹습니다.",
        ),
    ],
)
def test_the_sentence_that_matches_is_found_without_blanks_between_words(
    asked: str, text: str, sentence: str
) -> None:
    start, end = matches(asked, [chunk(0, text=text)])["Duck-0"]
    assert text[start:end] == sentence


def test_a_name_is_not_said_twice() -> None:
    every = [chunk(0, heading="Food", text="They eat."), chunk(1, heading="Nests", text="They nest.")]
    card = passage_card(every[0], 1, None, "", name=names(every)["Duck-0"])
    assert (card.title, card.where) == ("Duck · Food", "chunk 1")


def seen(card: PassageCard) -> str:
    """What a folded card shows."""
    return "".join(piece.instead if piece.early else piece.text for piece in card.pieces)


def test_what_a_run_never_came_to_is_said() -> None:
    run = record(self_rag())
    assert run.started
    chosen = {"answer": "model", "recall": "model"}
    run = replace(run, started=run.started.model_copy(update={"methods": chosen}))
    assert [(one.skill, one.used) for one in methods_chosen(run)] == [
        (SKILLS["answer"].title, True),
        (SKILLS["recall"].title, False),
    ]


def test_the_answer_itself_stands_first_also_where_reasoning_was_written_before_it() -> None:
    made = cite("He was born in 1936 [1].\n\nFull Moon High [1]", [], skill="read", method="model", last=True)
    assert answer_view(made)[0] == "Full Moon High [1]\n\nHe was born in 1936 [1]."
    plain = cite("Full Moon High [1]\n\nHe was born in 1936 [1].", [], skill="answer", method="model")
    assert answer_view(plain)[0] == plain.text


@pytest.mark.parametrize(
    ("kind", "label"),
    [("thought", "Thought 1"), ("sub_answer", "Sub-answer 2"), ("grade", "IsRel, round 1: Full Moon High")],
)
def test_what_is_edited_is_told_from_others_of_its_card(kind: str, label: str) -> None:
    artefact = next(one for one in examples.artefacts() if one.kind == kind)
    edit = KINDS[kind].edit
    assert edit is not None
    assert edit.label is not None
    assert edit.label(artefact) == label
