"""The page Evaluate with what is stored: evaluations that go on elsewhere, were interrupted, or are finished."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import LoupeError
from core.evaluation.oracle import ORACLE
from core.evaluation.plan import Pair, Result
from core.evaluation.runner import evaluations_of
from core.runs.workbench import Workbench
from tests.app.opening import (
    TakenHome,
    click,
    click_row,
    drawings,
    drawn,
    harmless,
    has,
    keys,
    links,
    opened,
    table,
    value,
)
from tests.app.pages import said
from tests.app.test_evaluate import LABEL, PAGE
from tests.examples.evaluations import CHOICE, evaluation, with_budgets

LABELS = ("Dense", LABEL, "Keyword")


def begun(
    bench: Workbench,
    owner: str = "me",
    *,
    count: int = 8,
    only: Sequence[Pair] | None = None,
    text: str = "Who?",
    unclear: int = 0,
    budgets: bool = False,
) -> str:
    """Id of a stored evaluation of three settings, of which one run failed; `only` these pairs were tried, and with
    `budgets` it is noted what they were given. See `tests.examples.evaluations`."""
    made, outcomes = evaluation(text, labels=LABELS, count=count, unclear=unclear)
    outcomes = with_budgets(outcomes) if budgets else outcomes
    store = evaluations_of(bench).store
    key = store.begin(made.spec, made.questions, owner)
    assert store.hold(key, "writer", 60)
    every: dict[Pair, Result | str] = {**outcomes.done, **outcomes.failed}
    tried = {pair: found for pair, found in every.items() if only is None or pair in only}
    if tried:
        store.note(key, "writer", tried)
    store.release(key, "writer")
    store.finish(key, only is None)
    return key


def evaluate(evaluation: str = "", owner: str = "me") -> AppTest:
    return opened(PAGE, owner, **({"evaluation": evaluation} if evaluation else {}))


def charts(page: AppTest) -> set[str]:
    """The names of the charts that are drawn."""
    return {str(one.key).rpartition("-")[0] for one in page.get("plotly_chart")}


def test_an_unknown_evaluation_says_so(bench: Workbench) -> None:
    page = evaluate("<script>")
    assert "No evaluation with the id in this address" in page.warning[0].value
    assert has(page, "Nothing has been evaluated yet")
    assert value(page, "evaluation") == ""


def test_what_was_found_comes_first_in_words_then_in_a_table_and_charts(bench: Workbench) -> None:
    key = begun(bench, count=40)
    page = evaluate(key)
    assert has(page, f"{LABEL} finds 100 % of the gold documents, Dense 25 %: 75 points more")
    (shown,) = drawings(page, "groups")
    assert [column["name"] for column in shown["columns"]] == ["Dense", LABEL, "Keyword"]
    page.toggle(key=next(key for key in keys(page, "toggle") if key.startswith("all-"))).set_value(True).run()
    (shown,) = drawings(page, "groups")
    assert [column["name"] for column in shown["columns"]] == ["Dense", LABEL, "Keyword", ORACLE]
    assert has(page, "The oracle takes the best setting of each question, chosen afterwards")
    cells = [cell for group in shown["groups"] for row in group["rows"] for cell in row["cells"]]
    assert {"▲", "≈"} <= {cell["mark"] for cell in cells if cell}
    for title in ("Differences to the baseline", "Means", "Quality against cost", "Question by question",
                  "Where it failed"):  # fmt: skip
        assert has(page, f"### {title}"), title
    assert charts(page) >= {"differences", "means", "pareto", "stages"}
    assert "types" not in charts(page)
    assert "python -m core evaluate --continue" in said(page)
    page.session_state[f"by-type-{key}"] = True
    assert "types" in charts(drawn(page.run()))


def test_it_says_what_is_left_at_equal_budgets(bench: Workbench) -> None:
    key = begun(bench, count=40, budgets=True)
    page = evaluate(key)
    assert has(
        page,
        f"{LABEL} was given 100 % of the gold documents in 8.0 passages per question, plain retrieval with as many "
        "passages 25 %",
    )
    assert "75 points more" in page.subheader[0].value
    assert has(page, "different numbers of passages per question")
    (shown,) = drawings(page, "groups")
    row = shown["groups"][0]["rows"][0]
    assert row["title"] == "Gold documents beyond plain"
    assert [cell and cell["mean"] for cell in row["cells"]] == [
        None,
        "1.000, plain 0.250",
        "0.256, plain 0.256",
    ]
    page.selectbox(key=f"metric-{key}").set_value("evidence_beyond").run()
    assert has(drawn(page), "### Differences to plain retrieval with as many passages")
    assert harmless(page)


def test_hostile_names_stay_text(bench: Workbench) -> None:
    page = evaluate(begun(bench))
    assert harmless(page)


def test_another_baseline_is_computed_from_the_same_runs(bench: Workbench) -> None:
    key = begun(bench, count=40)
    page = evaluate(key)
    page.selectbox(key=f"baseline-{key}").set_value("Keyword").run()
    assert has(drawn(page), f"{LABEL} finds 100 % of the gold documents, Keyword")
    assert drawings(page, "groups")[0]["columns"][0]["name"] == "Keyword"


def test_a_failure_leads_to_what_became_of_the_question_and_to_its_runs(bench: Workbench) -> None:
    key = begun(bench, count=40)
    page = evaluate(key)
    shown = table(page, f"failures-{key}-None")
    place = shown["Setting"].index("Dense")
    click_row(page, f"failures-{key}-None", place)
    assert has(page, f"**{shown['Question'][place]}**")
    assert has(page, "Right answer: Larry Cohen")
    assert has(page, "★ gold")
    assert any(re.search(r"runs\?run=run-\d+$", link) for link in links(page))
    assert has(page, "No model was asked, so no run was stored")
    # Its documents were never indexed here, so that there is nothing to compare on.
    assert has(page, "no longer indexed in this app")
    assert not [one for one in keys(page) if one.startswith("to-compare")]


def test_a_tile_opens_its_question(bench: Workbench) -> None:
    key = begun(bench)
    page = evaluate(key)
    tiles = page.selectbox(key=f"metric-{key}").value
    points = [{"customdata": ["q2", "Keyword"]}]
    page.session_state[f"tiles-{key}-{tiles}"] = {"selection": {"points": points, "point_indices": []}}
    page.run()
    assert has(drawn(page), "**Who? 2**")
    for unknown in (["q2", "Nobody"], ["q99", "Keyword"], "q2", [[], {}, 3]):
        page.session_state[f"tiles-{key}-{tiles}"] = {"selection": {"points": [{"customdata": unknown}]}}
        page.run()
        assert not has(drawn(page), "Right answer")


def test_what_cannot_be_judged_is_said_and_its_tile_too(bench: Workbench) -> None:
    key = begun(bench, text=CHOICE, unclear=3)
    page = evaluate(key)
    assert has(page, "Cannot be judged: 3 of 8 (Dense).")
    page.selectbox(key=f"metric-{key}").set_value("unclear")
    page.session_state[f"tiles-{key}-unclear"] = {"selection": {"points": [{"customdata": ["q2", "Dense"]}]}}
    page.run()
    assert has(drawn(page), "cannot be judged by its words")


def test_an_evaluation_is_taken_home(bench: Workbench, taken: TakenHome) -> None:
    key = begun(bench)
    evaluate(key)
    report = taken.text("evaluation-report")
    assert "<img" not in report
    assert "&lt;img src=x onerror=alert(1)&gt;" in report
    listed = list(csv.DictReader(taken.text("evaluation-csv").splitlines()))
    assert len(listed) == 24
    assert {row["setting"] for row in listed} == set(LABELS)
    assert all(row["nDCG@10"] for row in listed if row["setting"] == LABEL)
    assert [row["run"] for row in listed if row["setting"] == "Dense"] == [f"run-{i}" for i in range(8)]
    assert "no significant difference" in taken.text("evaluation-summary")
    assert taken.name("evaluation-report") == f"evaluation-{key}.html"


def test_what_failed_can_be_tried_again_and_what_is_left_asked(bench: Workbench) -> None:
    page = evaluate(begun(bench))
    assert page.button(key="evaluation-continue").label == "Try the 1 failed again"
    assert any("1 failed: no metric counts them" in one.label for one in page.expander)
    pairs = [(0, "q0"), (1, "q0"), (2, "q3")]
    page = evaluate(begun(bench, "another", only=pairs), "another")
    assert page.button(key="evaluation-continue").label == "Continue: 21 runs left, and try 1 failed again"


def test_one_that_has_not_begun_to_ask_says_so(bench: Workbench) -> None:
    page = evaluate(begun(bench, only=()))
    assert has(page, "Nothing is done yet")
    assert page.button(key="evaluation-continue").label == "Continue: 24 runs left"


def test_a_lost_process_is_an_interruption_and_a_living_one_is_watched(bench: Workbench) -> None:
    key, store = begun(bench, only=[(0, "q0")]), evaluations_of(bench).store
    assert store.hold(key, "elsewhere", 60)
    page = evaluate(key)
    assert has(page, "Another process is working on this evaluation")
    assert "evaluation-continue" not in keys(page)
    assert page.get("progress")[0].proto.text == "1 of 24 done"
    assert store.hold(key, "elsewhere", -1)
    page.run()
    assert has(drawn(page), "It was interrupted")
    assert page.button(key="evaluation-continue").label == "Continue: 23 runs left"


def test_what_cannot_go_on_says_why(bench: Workbench) -> None:
    key = begun(bench, only=[(0, "q0")])
    page = evaluate(key)
    page.button(key="evaluation-continue").click().run()
    job = evaluations_of(bench).job(key)
    assert job is not None
    with pytest.raises(LoupeError):
        job.result(60)
    page.run()
    assert page.error
    assert has(page, "There is no corpus named “Data set: Set”")
    assert page.button(key="evaluation-continue")


def test_it_is_named_listed_and_deleted(bench: Workbench) -> None:
    key = begun(bench)
    page = evaluate(key)
    page.text_input(key=f"evaluation-name-{key}").set_value(LABEL)
    click(page, "evaluation-rename-save")
    assert has(page, f"**{LABEL}**")
    assert harmless(page)
    click(page, "evaluation-new")
    listed = table(page, "evaluations")
    assert (listed["Name, or what was compared"], listed["Runs done"]) == ([LABEL], ["23 of 24"])
    assert listed["State"] == ["✓ finished"]
    click_row(page, "evaluations", 0)
    assert value(page, "evaluation") == key
    click(page, "evaluation-delete-sure")
    assert value(page, "evaluation") == ""
    assert has(page, "Nothing has been evaluated yet")


def test_it_is_listed_for_whoever_began_it_and_its_link_works_for_all(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = begun(bench)
    assert has(evaluate(owner="somebody else"), "Nothing has been evaluated yet")
    page = evaluate(key, "somebody else")
    assert "evaluation-continue" not in keys(page)
    evaluations_of(bench).store.pin(key, True)
    assert table(evaluate(owner="somebody else"), "evaluations")["Pinned"] == ["✓"]
