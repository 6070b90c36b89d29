"""The data set of the questions that the shipped recording covers whole."""

from __future__ import annotations

from pathlib import Path

from core.corpora.demo import DEMO_CORPUS
from core.evaluation.dataset_catalogue import RECORDED_NAME, recorded_set
from core.evaluation.datasets import sample
from core.models.recordings.covers import recorded_for_all
from core.models.recordings.files import from_lines
from core.models.recordings.items import KeptRun
from core.runs.recordings import LARGEST_SHIPPED, SHIPPED
from core.strategies import strategies
from tests.bench import open_bench


def test_it_holds_the_questions_that_went_through_every_strategy(tmp_path: Path) -> None:
    _, items = from_lines(SHIPPED.name, SHIPPED.read_bytes(), LARGEST_SHIPPED)
    runs = [one for one in items if isinstance(one, KeptRun)]
    whole = recorded_for_all(runs)
    assert all({run.strategy for run in runs if run.question == text} == {*strategies()} for text in whole)
    found = recorded_set(open_bench(tmp_path))
    assert found is not None
    assert {one.text for one in found.questions} == whole
    assert (found.name, found.corpus) == (RECORDED_NAME, DEMO_CORPUS)
    ids = {one.id for one in found.documents}
    assert all(ids >= {*one.gold} and bool(one.answers) == bool(one.gold) for one in found.questions)
    assert sample(found, 1, 0).corpus == DEMO_CORPUS


def test_what_came_of_the_runs_of_the_app_is_known() -> None:
    _, items = from_lines(SHIPPED.name, SHIPPED.read_bytes(), LARGEST_SHIPPED)
    whole = recorded_for_all(one for one in items if isinstance(one, KeptRun))
    runs = [one for one in items if isinstance(one, KeptRun) and one.question in whole]
    assert all(one.calls is not None and one.verdict is not None for one in runs)
