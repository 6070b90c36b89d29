"""What is measured per question: the name of each metric, what it says, and whether more of it is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Scores = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Strategy (its label) -> id of a question -> metric -> value. A metric that could not be computed is missing."""


@dataclass(frozen=True)
class Metric:
    """One metric; our own text."""

    key: str
    title: str
    help: str
    """How it comes about, as a sentence."""
    good: Literal["high", "low", "neither"]
    share: bool
    """Whether it lies between 0 and 1, or is a difference of two that do."""
    unit: str = ""
    against: str = ""
    """Set where it is a difference already: what to. It is held against 0 then, whatever the baseline is."""


def _evidence(key: str, title: str, text: str) -> Metric:
    return Metric(key, title, f"{text} Only the first 10 documents of a ranking count.", "high", share=True)


BEYOND, GIVEN, PASSAGES, WITH_AS_MANY = (
    "evidence_beyond",
    "evidence_given",
    "passages_given",
    "evidence_plain",
)
"""Metrics of what the answer was given; see `core.evaluation.budget`."""
PLAIN_WITH_AS_MANY = "plain retrieval with as many passages"
_JUDGED = "Judged is the answer in few words, where its method gives one, else the whole text."
_ALL = (
    Metric(
        BEYOND, "Evidence beyond plain", "Share of the gold documents among the passages that the answer was given, "
        "minus their share among the first passages of plain retrieval: as many, for the same question, by the same "
        "retriever. Above 0 the strategy's searches, and not its larger budget, found more. From -1 to 1.",
        "high", share=True, against=PLAIN_WITH_AS_MANY,
    ),
    Metric(
        GIVEN, "Evidence given", "Share of the gold documents among the passages that the answer was given, drafts and "
        "answers of sub-questions included. Who gives more passages has more of them for that alone.",
        "high", share=True,
    ),
    Metric(
        PASSAGES, "Passages given", "How many different passages were in any prompt that asked for an answer.",
        "neither", share=False,
    ),
    Metric(
        WITH_AS_MANY, "Evidence of plain, as many", "Share of the gold documents among the first passages of plain "
        "retrieval, as many as this strategy gave on that question.", "neither", share=True,
    ),
    _evidence("R@5", "Recall@5", "Share of the gold documents that are among the first 5."),
    _evidence("R@10", "Recall@10", "Share of the gold documents that are among the first 10."),
    _evidence(
        "nDCG@10",
        "nDCG@10",
        "Relevance of the first 10 documents, each divided by log2(rank + 1), as a share of the best possible sum.",
    ),
    _evidence("RR@10", "Reciprocal rank", "1 / rank of the first gold document; its mean is called MRR."),
    _evidence(
        "AP@10",
        "Average precision",
        "Precision at the rank of each gold document, averaged over all of them; its mean is called MAP.",
    ),
    _evidence("Success@1", "Success@1", "Whether the first document is gold."),
    _evidence("Success@5", "Success@5", "Whether one of the first 5 documents is gold."),
    _evidence("Success@10", "Success@10", "Whether one of the first 10 documents is gold."),
    Metric(
        "EM", "Exact match", f"Whether the answer is a gold answer, but for case, punctuation and articles. {_JUDGED}",
        "high", share=True,
    ),
    Metric(
        "F1", "Token F1", f"How much the words of the answer and of the nearest gold answer overlap. {_JUDGED}",
        "high", share=True,
    ),
    Metric(
        "accuracy", "Accuracy",
        "Whether the answer contains a gold answer; for yes and no, whether it says so at its beginning or end; for “A "
        f"or B?”, whether it chooses the right one. An abstention is never right. {_JUDGED}",
        "high", share=True,
    ),
    Metric(
        "abstained", "Abstained", "Whether it said that it does not know, instead of answering: as its method says, "
        "else by usual words in English, German, Korean, Japanese and Chinese.",
        "neither", share=True,
    ),
    Metric(
        "unclear", "Cannot be judged", "Whether its words do not tell if it is right: an answer to “A or B?” that "
        "names both, or none in full. It is left out of the other metrics of answers.", "neither", share=True,
    ),
    Metric(
        "hallucination", "Hallucination", "Whether it gave an answer, and a wrong one. An abstention is none.",
        "low", share=True,
    ),
    Metric(
        "hallucination_abstained", "Hallucination, abstentions counted",
        "Whether it gave a wrong answer or none: the definition of the KG-RAG paper.", "low", share=True,
    ),
    Metric(
        "supported", "Supported", "Whether the passages given to the answer hold its words and numbers, sentence by "
        "sentence; no model is asked. Abstentions, and answers in another language than their passages, are left out.",
        "high", share=True,
    ),
    Metric("calls", "Model calls", "Calls sent to the chat model.", "low", share=False),
    Metric("rounds", "Rounds", "Model calls that had to wait for one another.", "low", share=False),
    Metric("tokens", "Tokens", "Tokens that the chat model read and wrote.", "low", share=False),
    Metric(
        "seconds", "Seconds", "Time from the question to the end of the run.", "low", share=False, unit="s"
    ),
    Metric(
        "cost", "Cost", "Price of the tokens, as the server's settings give it.", "low", share=False, unit="$"
    ),
)  # fmt: skip
METRICS: Mapping[str, Metric] = {metric.key: metric for metric in _ALL}


def metric(key: str) -> Metric:
    """What a metric is; one that is not known here is called by its key, and has no good direction."""
    return METRICS.get(key) or Metric(key, key, "", "neither", share=False)


def present(scores: Scores) -> tuple[str, ...]:
    """The metrics that at least one question has, in the order of `METRICS`, unknown ones last by name."""
    found = {key for by_question in scores.values() for values in by_question.values() for key in values}
    return (*(key for key in METRICS if key in found), *sorted(found - METRICS.keys()))
