"""The data set that the shipped recording covers whole: demo questions that went through every strategy of it.

With it a first evaluation takes seconds and costs nothing, and its differences are those of a capable model.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import lru_cache

from core.corpora.demo import DEMOS, demo_questions, own_documents
from core.evaluation.dataset_lines import DataDocument, LabelledQuestion
from core.evaluation.datasets import DataSet, data_set
from core.models.choice import Play
from core.models.recordings.covers import recorded_for_all
from core.runs.workbench import Workbench
from core.users import APP

RECORDED = "recorded"
"""Its key among the data sets."""
NAME = "Pellamar, recorded questions"


def recorded_set(bench: Workbench) -> DataSet | None:
    """It; None: no recording comes with the app, or it holds no question through every strategy. Blocks for a moment.

    Raises:
        StoreError: The recordings cannot be read.
    """
    shipped = (one for one in bench.recordings.store.listed([APP.owner]) if one.owner == APP.owner)
    runs = (run for one in shipped for run in bench.recordings.runs_of(Play(one)))
    return _set_of(recorded_for_all(runs))


@lru_cache(maxsize=2)
def _set_of(texts: Collection[str]) -> DataSet | None:
    demo = DEMOS[0]
    questions = tuple(
        LabelledQuestion(
            one.id,
            one.text,
            one.type,
            one.answers,
            dict.fromkeys((evidence.document for evidence in one.evidence), 1),
        )
        for one in demo_questions(demo)
        if one.text in texts
    )
    if not questions:
        return None
    documents = tuple(DataDocument(one.id, one.title or one.name, one.text) for one in own_documents(demo))
    return replace(data_set(NAME, documents, questions), corpus=demo.name)
