"""Equal budgets: each pair is compared with plain retrieval that gives as many passages for the same question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.measures import BEYOND, GIVEN, PASSAGES, WITH_AS_MANY, Scores
from core.evaluation.plan import Budget, Setting
from core.runs.budget import chunks_given, first_of, given_passages, plain_ranking
from core.runs.record import Record
from core.strategies import is_baseline

if TYPE_CHECKING:
    from core.retrieval.retriever import Retriever


async def budget_of(
    run: Record, question: LabelledQuestion, keys: Mapping[str, str], retriever: Retriever | None
) -> Budget | None:
    """The passages that the answer of a run was given, and those of plain retrieval: one search, no model.

    Args:
        keys: Id of a document in the corpus -> its id in the data set.
        retriever: The retriever of the run; None: it searched nothing, and has no budget.

    Raises:
        ModelError, ServiceError, StoreError: Embedding, Chroma or the catalogue fails.
    """
    if retriever is None or run.started is None:
        return None
    given = [one.document for one in given_passages(run)]
    budget = budget_from(question, [keys.get(one, one) for one in given], chunks=chunks_given(run))
    if is_baseline(run.started.strategy, run.started.params):
        return budget
    found = await plain_ranking(retriever, "", question.text, budget.given)
    plain = tuple(keys.get(one, one) for one in found.documents)
    return budget.model_copy(update={"plain": plain, "depth": found.depth})


def budget_from(
    question: LabelledQuestion,
    documents: Sequence[str],
    stored: Budget | None = None,
    *,
    chunks: int | None = None,
) -> Budget:
    """The budget of passages from these documents, one per passage.

    Args:
        documents: Ids of the documents in the data set.
        stored: Budget of another setting with the same question, corpus and retriever; its plain ranking is reused.
        chunks: How many chunks the passages hold; None: one each.
    """
    gold = _relevant(question)
    return Budget(
        given=len(documents) if chunks is None else chunks,
        found=tuple(one for one in dict.fromkeys(documents) if one in gold),
        plain=stored.plain if stored else None,
        depth=stored.depth if stored else 0,
    )


def given_share(budget: Budget, question: LabelledQuestion) -> float | None:
    """Share of the gold documents among the passages that the answer was given; None: no gold document is known."""
    gold = _relevant(question)
    return len(gold & set(budget.found)) / len(gold) if gold else None


def plain_share(budget: Budget, question: LabelledQuestion, setting: Setting) -> float | None:
    """Share of the gold documents among the first passages of plain retrieval, as many as the answer was given.

    Returns:
        None for plain retrieval itself, without a gold document, and where plain retrieval did not search as deep.
    """
    gold = _relevant(question)
    if not gold or budget.plain is None or is_baseline(setting.strategy, setting.params):
        return None
    plain = first_of(budget.plain, budget.depth, setting.retriever, budget.given)
    return None if plain is None else len(gold & set(plain)) / len(gold)


@dataclass(frozen=True)
class BesidePlain:
    """A strategy beside plain retrieval with as many passages: means over the questions that have both."""

    given: float
    """Share of the gold documents among the passages that the strategy gave."""
    plain: float
    """Share of the gold documents among the passages of plain retrieval."""
    passages: float
    """Mean number of passages per question."""
    questions: int


def beside_plain(scores: Scores) -> dict[str, BesidePlain]:
    """Strategy (its label) -> its evidence beside that of plain retrieval; strategies without this comparison are left
    out."""
    found: dict[str, BesidePlain] = {}
    for label, by_question in scores.items():
        held = [values for values in by_question.values() if BEYOND in values]
        if held:
            given, plain, passages = (
                fmean(values[key] for values in held) for key in (GIVEN, WITH_AS_MANY, PASSAGES)
            )
            found[label] = BesidePlain(given, plain, passages, len(held))
    return found


def _relevant(question: LabelledQuestion) -> set[str]:
    return {document for document, relevance in question.gold.items() if relevance > 0}
