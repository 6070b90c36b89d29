"""Equal budgets: each pair is compared with plain retrieval that gives as many passages for the same question."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.plan import Budget, Setting
from core.runs.budget import chunks_given, depth_for, first_of, given_passages, plain_search
from core.runs.record import Record
from core.strategies import is_baseline
from core.trace.passages import Passage

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
    budget = budget_from(question, given_passages(run), keys, chunks=chunks_given(run))
    if is_baseline(run.started.strategy, run.started.params):
        return budget
    count = max(1, budget.given)  # a strategy may find nothing good enough for its answer
    ranking = await plain_search(retriever, question.text, count)
    plain = tuple(judged_as(hit.passage, keys, relevant(question))[0] for hit in ranking.places)
    return budget.model_copy(update={"plain": plain, "depth": depth_for(retriever.kind, count)})


def budget_from(
    question: LabelledQuestion,
    passages: Sequence[Passage],
    keys: Mapping[str, str],
    stored: Budget | None = None,
    *,
    chunks: int | None = None,
) -> Budget:
    """The budget of passages.

    Args:
        passages: That the answer was given.
        keys: Id of a document in the corpus -> its id in the data set; other documents keep their id.
        stored: Budget of another setting with the same question, corpus and retriever; its plain ranking is reused.
        chunks: How many chunks the passages hold; None: one each.
    """
    gold = relevant(question)
    documents = dict.fromkeys(document for passage in passages for document in judged_as(passage, keys, gold))
    return Budget(
        given=len(passages) if chunks is None else chunks,
        found=tuple(document for document in documents if document in gold),
        plain=stored.plain if stored else None,
        depth=stored.depth if stored else 0,
    )


def given_share(budget: Budget, question: LabelledQuestion) -> float | None:
    """Share of the gold documents among the passages that the answer was given; None: no gold document is known."""
    gold = relevant(question)
    return len(gold & set(budget.found)) / len(gold) if gold else None


def plain_share(budget: Budget, question: LabelledQuestion, setting: Setting) -> float | None:
    """Share of the gold documents among the first passages of plain retrieval, as many as the answer was given.

    Returns:
        None for plain retrieval itself, without a gold document, and where plain retrieval did not search as deep.
    """
    gold = relevant(question)
    if not gold or budget.plain is None or is_baseline(setting.strategy, setting.params):
        return None
    plain = first_of(budget.plain, budget.depth, setting.retriever, budget.given)
    return None if plain is None else len(gold & set(plain)) / len(gold)


def relevant(question: LabelledQuestion) -> set[str]:
    """The gold documents of a question: those above 0."""
    return {document for document, relevance in question.gold.items() if relevance > 0}


def judged_as(passage: Passage, keys: Mapping[str, str], gold: Collection[str]) -> list[str]:
    """The documents that a passage counts as: the gold ones among its own and those it stands for, else its own.

    A near-duplicate that was left out costs no rank, and counts as found if it is gold.
    """
    documents = [keys.get(document, document) for document in passage.documents]
    return [document for document in documents if document in gold] or documents[:1]
