"""The quality of rankings, judged by gold documents as trec_eval does, at depth 10 for every strategy."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from core.evaluation.measures import RANKING_METRICS
from core.evaluation.pair_budget import judged_as
from core.trace.artefacts import EVAL_CUTOFF, Context


def ranking_scores(
    rankings: Mapping[str, Sequence[str]], gold: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, float]]:
    """The ranking metrics of each question.

    nDCG takes the relevance itself as the gain, as trec_eval does.

    Args:
        rankings: Question -> ids of documents, best first. A document that was cut into chunks may come several
            times: its best rank counts, and later documents move up.
        gold: Question -> id of a document -> relevance. Documents above 0 are relevant, all other documents are not.

    Returns:
        Question -> metric -> value from 0 to 1, for the questions that have a relevant document; where nothing
        was found for one of them, all values are 0.
    """
    import ir_measures  # imports pandas: not before it is needed

    judged = {
        question: dict(documents)
        for question, documents in gold.items()
        if any(relevance > 0 for relevance in documents.values())
    }
    # trec_eval sorts by score, so ranks are turned into scores.
    run = {
        question: {document: -float(rank) for rank, document in enumerate(documents)}
        for question in judged
        for documents in [list(dict.fromkeys(rankings.get(question, ())))[:EVAL_CUTOFF]]
    }
    scores: dict[str, dict[str, float]] = {
        question: dict.fromkeys(RANKING_METRICS, 0.0) for question in judged
    }
    measures = [ir_measures.parse_measure(key) for key in RANKING_METRICS]
    for value in ir_measures.iter_calc(measures, judged, run):
        scores[value.query_id][str(value.measure)] = float(value.value)
    return scores


def means(scores: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each metric over the questions that have a value."""
    values: dict[str, list[float]] = {}
    for question in scores:
        for key, value in question.items():
            values.setdefault(key, []).append(value)
    return {key: sum(numbers) / len(numbers) for key, numbers in values.items()}


def ranked_documents(
    context: Context | None, keys: Mapping[str, str], gold: Collection[str] = ()
) -> tuple[str, ...]:
    """The documents of evidence, best first, a document as often as it has chunks there."""
    ordered = sorted(context.passages, key=lambda hit: hit.rank) if context else ()
    return tuple(document for hit in ordered for document in judged_as(hit.passage, keys, gold))
