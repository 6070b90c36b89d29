"""The page Evaluate: its form, and evaluations under way, paused, interrupted and finished."""

from __future__ import annotations

import csv
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.errors import LoupeError
from core.evaluation import runner
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.datasets import read_folder
from core.evaluation.oracle import ORACLE
from core.evaluation.plan import Pair, Result
from core.evaluation.runner import evaluations_of
from core.runs.workbench import Workbench
from tests.app.drawings import BETWEEN
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
from tests.examples.evaluations import CHOICE, evaluation, with_budgets
from tests.labelled import small_data_set
from tests.scripted import Rule, ScriptedServer

PAGE = "pages/evaluate.py"
LABEL = "Words <img src=x onerror=alert(1)> ![p](http://attacker.example/p.png) :red[x]"
LABELS = ("Dense", LABEL, "Keyword")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> TakenHome:
    return TakenHome(monkeypatch)


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


def forecast(page: AppTest) -> str:
    return next(one.value for one in page.caption if "Forecast" in one.value)


def rows(page: AppTest) -> list[str]:
    """Keys of the rows of the form."""
    return [str(one.key).removesuffix("label") for one in page.text_input if str(one.key).endswith("-label")]


# The form


def test_plain_retrieval_and_two_strategies_stand_in_the_form_at_first(bench: Workbench) -> None:
    page = evaluate()
    chosen = [page.selectbox(key=f"{row}strategy").value for row in rows(page)]
    assert chosen == ["plain", "multi-query", "rag-fusion"]


def test_the_form_says_what_it_will_take(bench: Workbench) -> None:
    page = evaluate()
    page.selectbox(key="evaluation-lineup").set_value("Dense, keyword, hybrid").run()
    assert "60 runs, no model call" in forecast(page)  # a sample of 20 questions, three searches
    assert has(page, "With 20 questions, a difference below about **18 points of recall** will not be told")
    page.segmented_control(key="evaluation-judge").set_value("Answers too").run()
    page.number_input(key="evaluation-count-demo_world").set_value(8).run()
    page.text_input(key=f"{rows(page)[1]}label").set_value(LABEL).run()
    drawn(page)
    assert "Forecast: 32 runs, 32 model calls" in forecast(page)  # and closed book
    assert LABEL in page.selectbox(key="evaluation-baseline-3").options
    page.toggle(key="evaluation-closed").set_value(False).run()
    assert "Forecast: 24 runs, 24 model calls" in forecast(page)


def test_what_cannot_be_evaluated_is_said_before_it_begins(bench: Workbench) -> None:
    page = evaluate()
    page.selectbox(key=f"{rows(page)[0]}strategy").set_value("closed-book").run()
    assert has(page, "Closed book retrieves nothing")
    assert page.button(key="evaluation-start").disabled
    page.selectbox(key="evaluation-lineup").set_value("Multi-hop: take the question apart").run()
    assert len(rows(drawn(page))) == 4
    first, *others = rows(page)
    click(page, f"{first}remove")
    assert rows(page) == others
    click(page, "evaluation-add")
    assert rows(page)[:3] == others
    assert len(rows(page)) == 4
    assert not page.button(key="evaluation-start").disabled
    assert not page.warning


def test_rows_end_where_there_must_be_two_or_there_are_eight(bench: Workbench) -> None:
    page = evaluate()
    click(page, f"{rows(page)[0]}remove")
    assert len(rows(page)) == 2
    assert not [key for key in keys(page) if key.endswith("-remove")]
    for _ in range(6):
        click(page, "evaluation-add")
    assert len(rows(page)) == 8
    assert page.button(key="evaluation-add").disabled


def test_two_settings_of_one_name_cannot_be_told_apart(bench: Workbench) -> None:
    page = evaluate()
    for row in rows(page)[:2]:
        page.text_input(key=f"{row}label").set_value("The same").run()
    assert page.button(key="evaluation-start").disabled
    assert page.warning
    assert "The same" in page.warning[0].value


# What is stored


def test_an_unknown_evaluation_says_so(bench: Workbench) -> None:
    page = evaluate("<script>")
    assert "No evaluation with the id in this address" in page.warning[0].value
    assert has(page, "Nothing has been evaluated yet")
    assert value(page, "evaluation") == ""


def test_what_was_found_comes_first_in_words_then_in_a_table_and_charts(bench: Workbench) -> None:
    page = evaluate(begun(bench, count=40))
    assert has(page, f"{LABEL} finds 100 % of the evidence, Dense 25 %: 75 points more")
    (shown,) = drawings(page, "groups")
    assert [column["name"] for column in shown["columns"]] == ["Dense", LABEL, "Keyword", ORACLE]
    assert has(page, "Oracle, the best setting of each question, chosen afterwards")
    cells = [cell for group in shown["groups"] for row in group["rows"] for cell in row["cells"]]
    assert {"▲", "≈"} <= {cell["mark"] for cell in cells if cell}
    for title in ("Differences to the baseline", "Means", "Quality against cost", "Question by question",
                  "Per type of question", "Where it failed"):  # fmt: skip
        assert has(page, f"### {title}"), title
    charts = {str(one.key).rpartition("-")[0] for one in page.get("plotly_chart")}
    assert charts >= {"differences", "means", "pareto", "types", "stages"}
    assert "python -m core evaluate --continue" in said(page)


def test_it_says_what_is_left_at_equal_budgets(bench: Workbench) -> None:
    key = begun(bench, count=40, budgets=True)
    page = evaluate(key)
    assert has(
        page,
        f"{LABEL} was given 100 % of the evidence in 8.0 passages per question, plain retrieval with as many passages "
        "25 %",
    )
    assert "75 points more" in page.subheader[0].value
    assert has(page, "Not given equally many passages")
    (shown,) = drawings(page, "groups")
    row = shown["groups"][0]["rows"][0]
    assert row["title"] == "Evidence beyond plain"
    assert [cell and cell["mean"] for cell in row["cells"]] == [
        None,
        "1.000, plain 0.250",
        "0.256, plain 0.256",
        None,  # of what is a difference already there is no best
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
    assert has(drawn(page), f"{LABEL} finds 100 % of the evidence, Keyword")
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
    assert has(page, "not indexed here any more")
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
    assert has(page, "1 failed: they count in no metric") or [
        one for one in page.expander if "1 failed: they count in no metric" in one.label
    ]
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


# One that is run


def test_an_evaluation_is_run_paused_gone_on_with_and_compared(
    ready: Workbench, scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    dataset = replace(read_folder(small_data_set(tmp_path / "small", 6)), name="Small")
    data = data_sets_of(ready).store.add(dataset, "runner")
    page = evaluate(owner="runner")
    page.selectbox(key="evaluation-data").set_value(data).run()
    page.selectbox(key="evaluation-lineup").set_value("Dense, keyword, hybrid").run()
    page.segmented_control(key="evaluation-judge").set_value("Answers too").run()
    page.text_input(key=f"{rows(page)[1]}label").set_value(LABEL).run()
    assert "Forecast: 24 runs, 24 model calls" in forecast(page)

    # Fast at first, so that there is something to see; then one by one, so slow that it is paused before it is over.
    monkeypatch.setattr(runner, "AT_ONCE", 1)
    scripted.script(Rule(times=9), Rule(delay=2.0))
    click(page, "evaluation-start")
    evaluations = evaluations_of(ready)
    (job,) = evaluations.running()
    while not (job.done or (job.pairs_done >= 8 and has(page, "### Interim differences"))):
        time.sleep(BETWEEN)
        page.run()  # what is found so far is not counted again with every redraw
    drawn(page)
    key = value(page, "evaluation")
    assert key == job.id
    assert LABEL in [column["name"] for column in drawings(page, "groups")[0]["columns"]]
    click(page, "evaluation-pause")
    paused = job.result(60)
    assert paused.state == "paused"
    done = len(evaluations.store.outcomes(key).done)
    page.run()
    left = 24 - done
    assert page.button(key="evaluation-continue").label == f"Continue: {left} runs left"

    # One question is refused; what was done is not asked again.
    monkeypatch.undo()
    refused = re.escape(dataset.questions[-1].text)
    scripted.script(Rule(skill="answer", told={"question": refused}, status=400, reply=f"No. {LABEL}"))
    finish(page, ready, key)
    assert page.button(key="evaluation-continue").label == "Try the 3 failed again"
    assert [one for one in page.expander if "3 failed: they count in no metric" in one.label]
    scripted.script()
    finish(page, ready, key)
    assert "evaluation-continue" not in keys(page)
    assert len(evaluations.store.outcomes(key).done) == 24
    assert has(page, "of the questions rightly")
    assert has(page, "Closed book answers without documents")

    # A tile leads to the stored runs, and to Compare with everything filled in.
    metric = page.selectbox(key=f"metric-{key}").value
    points = [{"customdata": [dataset.questions[0].id, LABEL]}]
    page.session_state[f"tiles-{key}-{metric}"] = {"selection": {"points": points}}
    page.run()
    assert sum("runs?run=" in link for link in links(page)) == 4
    assert has(page, "★")
    click(page, "to-compare-tile")
    assert page.text_area(key="question").value == dataset.questions[0].text
    assert (
        len([one for one in page.selectbox if re.search(r"compare-column-\d+-strategy", str(one.key))]) == 4
    )
    click(page, "compare-ask")
    for run in ready.comparisons.get(value(page, "comparison")).runs:
        found = ready.launcher.job(run)
        assert found is not None
        found.result(60)
    page.run()
    shown = drawings(page, "columns")[0]["columns"]
    assert any("of evidence" in column["outcome"]["evidence"] for column in shown)


def finish(page: AppTest, bench: Workbench, key: str) -> None:
    """Go on, to the end."""
    page.button(key="evaluation-continue").click().run()
    job = evaluations_of(bench).job(key)
    assert job is not None
    assert job.result(60).state == "finished"
    drawn(page.run())
