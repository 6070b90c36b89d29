"""The metrics: each declares its name, meaning and group, and how the value of a pair is computed; and what is counted
over the scores of an evaluation beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from statistics import fmean
from typing import Literal

from core.evaluation.answers import Verdict, judged_text, verdict
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.pair_budget import given_share, plain_share
from core.evaluation.plan import Budget, Result, Setting
from core.evaluation.words import squad_match, token_f1


@dataclass(frozen=True)
class JudgedPair:
    """A pair that is done. Every property is None where the pair has no such value."""

    result: Result
    question: LabelledQuestion
    setting: Setting
    searches: bool = True
    """True if the strategy searches documents at all."""
    ranking: Mapping[str, float] = field(default_factory=dict)
    """Ranking metric -> value, computed for all questions of a setting at once; see `ranking_scores`."""
    price: tuple[float, float] | None = None
    """US dollars per million tokens sent and written; None: not known."""

    @cached_property
    def verdict(self) -> Verdict | None:
        """The verdict on the answer; without gold answers, `wrong` stands for everything that is no refusal."""
        if self.result.answer is None:
            return None
        return verdict(self.result.answer, self.question.answers, self.question.text)

    @property
    def abstained(self) -> float | None:
        """1 if the answer is a refusal, else 0."""
        return None if self.verdict is None else float(self.verdict == "refusal")

    @property
    def unclear(self) -> float | None:
        """1 if the words of the answer do not tell whether it is right, else 0."""
        return float(self.verdict == "unclear") if self.verdict and self.question.answers else None

    def is_one_of(self, *verdicts: Verdict) -> float | None:
        """1 if the verdict is one of these, else 0, for an answer that can be judged."""
        return None if self.unclear is None or self.unclear else float(self.verdict in verdicts)

    def best(self, similarity: Callable[[str, str], float]) -> float | None:
        """The answer's highest similarity to a gold answer, 0 for a refusal, for an answer that can be judged."""
        if self.result.answer is None or self.unclear is None or self.unclear:
            return None
        text = judged_text(self.result.answer)
        return 0.0 if self.abstained else max(similarity(text, gold) for gold in self.question.answers)

    @property
    def supported(self) -> float | None:
        """1 if the passages given to the answer hold its words, else 0; abstentions have no value."""
        return None if self.result.supported is None or self.abstained else float(self.result.supported)

    @property
    def budget(self) -> Budget | None:
        """The passages that a strategy which searches gave to its answer."""
        return self.result.budget if self.searches else None

    @property
    def given_share(self) -> float | None:
        """Share of the gold documents among the passages that the answer was given, from 0 to 1."""
        return given_share(self.budget, self.question) if self.budget else None

    @cached_property
    def plain_share(self) -> float | None:
        """`given_share` for plain retrieval with as many passages; plain retrieval itself has none."""
        return plain_share(self.budget, self.question, self.setting) if self.budget else None

    @property
    def beyond_plain(self) -> float | None:
        """Share given minus that of plain retrieval, from -1 to 1."""
        own, plain = self.given_share, self.plain_share
        return None if own is None or plain is None else own - plain

    @property
    def tokens(self) -> float | None:
        """Tokens that the chat model read and wrote."""
        result = self.result
        return float(result.tokens_in + result.tokens_out) if result.tokens_known else None

    @property
    def cost(self) -> float | None:
        """US dollars for calls that were sent and have a price; 0 where tokens are free, whether or not they were
        counted."""
        result, price = self.result, self.price
        if result.calls == result.played + result.stood_in:
            price = (0.0, 0.0) if result.calls else price
        if price is None or (any(price) and not result.tokens_known):
            return None
        sent, written = result.tokens_in - result.free_in, result.tokens_out - result.free_out
        return (sent * price[0] + written * price[1]) / 1e6


Scores = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Strategy (its label) -> id of a question -> metric -> value. A metric that could not be computed is missing."""

Group = Literal["Gold documents found", "Answers", "Cost per question", "Others"]
EVIDENCE: Group = "Gold documents found"
ANSWERS: Group = "Answers"
COSTS: Group = "Cost per question"
OTHERS: Group = "Others"
"""Group of metrics that this version does not know."""


@dataclass(frozen=True)
class Metric:
    """One metric; all texts are our own."""

    key: str
    title: str
    help: str
    """A sentence on how the metric is computed."""
    group: Group
    good: Literal["high", "low", "neither"]
    compute: Callable[[JudgedPair], float | None]
    """The value of one pair; None: this pair has none."""
    share: bool = True
    """True if the value lies between 0 and 1, or is a difference of two such metrics."""
    unit: str = ""
    digits: int = 3
    """Number of decimal places that are shown."""
    against: str = ""
    """The thing that the value is a difference to: it is compared with 0, not the baseline. Empty: no difference."""
    judged: bool = False
    """True if an answer that cannot be judged has no value of it."""
    sentence: str = ""
    """The value of a strategy in words, with braces for its percentage; only the leading metric of a group has it."""


BEYOND, GIVEN = "evidence_beyond", "evidence_given"
PASSAGES, WITH_AS_MANY = "passages_given", "evidence_plain"
"""Metrics of the passages that the answer was given; see `core.evaluation.pair_budget`."""
_WHY_UNJUDGED = (
    "Such an answer names both options of a question like “A or B?”, or neither in full; or it shares words with the "
    "right answer and may mean the same. A reader has to decide. These answers are left out of the metrics of "
    "answers, and a difference counts only the questions where both answers can be judged."
)
_JUDGED_TEXT = "The short answer is judged where the method gives one, else the whole text."

_evidence = partial(Metric, group=EVIDENCE)
_answer = partial(Metric, group=ANSWERS)
_cost = partial(Metric, group=COSTS, good="low", share=False, digits=2)


def _ranking(key: str, title: str, text: str, sentence: str = "") -> Metric:
    """A metric of a ranking; its key is also its name in ir_measures, which computes it."""
    text = f"{text} Only the first 10 documents of a ranking count."
    return _evidence(
        key, title, text, good="high", compute=lambda pair: pair.ranking.get(key), sentence=sentence
    )


_GIVEN = (
    _evidence(
        BEYOND,
        "Gold documents beyond plain",
        "Share of the gold documents among the passages that the answer was given, minus their share among the first "
        "passages of plain retrieval: as many, for the same question, by the same retriever. Above 0 the strategy's "
        "searches, and not its larger budget, found more. From -1 to 1.",
        good="high",
        compute=lambda pair: pair.beyond_plain,
        against="plain retrieval with as many passages",
    ),
    _evidence(
        GIVEN,
        "Gold documents given",
        "Share of the gold documents among the passages that the answer was given, drafts and answers of "
        "sub-questions included. More passages alone already hold more of them.",
        good="high",
        compute=lambda pair: pair.given_share,
    ),
    _evidence(
        PASSAGES,
        "Passages given",
        "Number of different passages in all prompts that asked for an answer; of passages that were given with "
        "their surroundings, each chunk counts.",
        good="neither",
        compute=lambda pair: float(pair.budget.given) if pair.budget else None,
        share=False,
        digits=2,
    ),
    _evidence(
        WITH_AS_MANY,
        "Gold documents of plain, as many",
        "Share of the gold documents among the first passages of plain retrieval, as many as this strategy gave to "
        "the answer of that question.",
        good="neither",
        compute=lambda pair: pair.plain_share,
    ),
)
_RANKING = (
    _ranking("R@5", "Recall@5", "Share of the gold documents that are among the first 5."),
    _ranking(
        "R@10",
        "Recall@10",
        "Share of the gold documents that are among the first 10.",
        sentence="finds {} of the gold documents",
    ),
    _ranking(
        "nDCG@10",
        "nDCG@10",
        "Relevance of the first 10 documents, each divided by log2(rank + 1), as a share of the best possible sum.",
    ),
    _ranking("RR@10", "Reciprocal rank", "1 / rank of the first gold document; its mean is called MRR."),
    _ranking(
        "AP@10",
        "Average precision",
        "Precision at the rank of each gold document, averaged over all of them; its mean is called MAP.",
    ),
    _ranking("Success@1", "Success@1", "1 if the first document is gold, else 0."),
    _ranking("Success@5", "Success@5", "1 if one of the first 5 documents is gold, else 0."),
    _ranking("Success@10", "Success@10", "1 if one of the first 10 documents is gold, else 0."),
)
_ANSWERS = (
    _answer(
        "EM",
        "Exact match",
        "Share of answers that are a gold answer, but for case, punctuation and articles, as SQuAD defines it: “3.14” "
        f"counts as “314”. {_JUDGED_TEXT}",
        good="high",
        compute=lambda pair: pair.best(squad_match),
        judged=True,
    ),
    _answer(
        "F1",
        "Token F1",
        f"How much the words of the answer and of the nearest gold answer overlap. {_JUDGED_TEXT}",
        good="high",
        compute=lambda pair: pair.best(token_f1),
        judged=True,
    ),
    _answer(
        "accuracy",
        "Accuracy",
        "Share of answers that contain a gold answer, or its number without the unit; for yes and no, that say so "
        "at its beginning or end; for “A or B?”, whether it chooses the right one. An abstention is never right. "
        f"{_JUDGED_TEXT}",
        good="high",
        compute=lambda pair: pair.is_one_of("right"),
        judged=True,
        sentence="answers {} of the questions correctly",
    ),
    _answer(
        "abstained",
        "Abstained",
        "Share of answers that say they do not know: as their method says, else by usual words in English, German, "
        "Korean, Japanese and Chinese.",
        good="neither",
        compute=lambda pair: pair.abstained,
    ),
    _answer(
        "unclear",
        "Cannot be judged",
        "Share of answers whose words do not tell if they are right: those to “A or B?” that name both, or neither "
        "in full, and those that share words with the right answer and may mean the same. They are left out of the "
        "other metrics of answers.",
        good="neither",
        compute=lambda pair: pair.unclear,
    ),
    _answer(
        "hallucination",
        "Hallucination",
        "Share of answers that are given, and wrong. An abstention is none.",
        good="low",
        compute=lambda pair: pair.is_one_of("wrong"),
        judged=True,
    ),
    _answer(
        "hallucination_abstained",
        "Hallucination, abstentions counted",
        "Share of answers that are wrong or missing: the definition of the KG-RAG paper.",
        good="low",
        compute=lambda pair: pair.is_one_of("wrong", "refusal"),
        judged=True,
    ),
    _answer(
        "supported",
        "Supported",
        "Share of answers whose words and numbers stand in the passages they were given, sentence by sentence; no "
        "model is asked. Abstentions, and answers in another language than their passages, are left out.",
        good="high",
        compute=lambda pair: pair.supported,
    ),
)
_COSTS = (
    _cost(
        "calls",
        "Model calls",
        "Calls of the chat model, sent or played from a recording.",
        compute=lambda pair: float(pair.result.calls),
    ),
    _cost(
        "rounds",
        "Rounds",
        "Model calls that had to wait for one another.",
        compute=lambda pair: float(pair.result.rounds),
    ),
    _cost(
        "tokens",
        "Tokens",
        "Tokens that the chat model read and wrote.",
        compute=lambda pair: pair.tokens,
        digits=0,
    ),
    _cost(
        "seconds",
        "Seconds",
        "Time from the question to the end of the run. Runs with replies from a recording have none, since these "
        "come at a chosen pace.",
        compute=lambda pair: None if pair.result.played else pair.result.seconds,
        unit="s",
    ),
    _cost(
        "cost",
        "Cost",
        "Price of the tokens, as the server's settings give it. Replies from a recording cost nothing.",
        compute=lambda pair: pair.cost,
        unit="$",
        digits=5,
    ),
)
METRICS: Mapping[str, Metric] = {measure.key: measure for measure in (*_GIVEN, *_RANKING, *_ANSWERS, *_COSTS)}
RANKING_METRICS = tuple(measure.key for measure in _RANKING)
JUDGED = tuple(key for key, measure in METRICS.items() if measure.judged)
"""Metrics that an answer which cannot be judged lacks."""
LEADING = tuple(key for key, measure in METRICS.items() if measure.sentence)
"""The leading metrics; a table is ordered by the first of them that it has."""


def metric(key: str) -> Metric:
    """The metric with this key; one that this version does not know is called by its key and has no good direction."""
    return METRICS.get(key) or Metric(key, key, "", OTHERS, "neither", lambda _: None, share=False, digits=2)


def scores_of(pair: JudgedPair) -> dict[str, float]:
    """Metric -> value of one pair, without the metrics that it has no value of."""
    values = ((key, measure.compute(pair)) for key, measure in METRICS.items())
    return {key: value for key, value in values if value is not None}


def present(scores: Scores) -> tuple[str, ...]:
    """The metrics that at least one question has, in the order of `METRICS`, unknown ones last by name."""
    keys = {key for by_question in scores.values() for values in by_question.values() for key in values}
    return (*(key for key in METRICS if key in keys), *sorted(keys - METRICS.keys()))


def unjudged(scores: Scores) -> dict[str, tuple[int, int]]:
    """Setting -> number of answers that cannot be judged, and of all answers with a known right one. Settings whose
    answers can all be judged are left out."""
    by_setting = {
        label: [values["unclear"] for values in by_question.values() if "unclear" in values]
        for label, by_question in scores.items()
    }
    return {label: (round(sum(values)), len(values)) for label, values in by_setting.items() if any(values)}


def unjudged_sentence(counts: Mapping[str, tuple[int, int]]) -> str:
    """A sentence with the number of answers that cannot be judged and the reason; empty if all can. Raw text."""
    shares = ", ".join(f"{unclear} of {answers} ({label})" for label, (unclear, answers) in counts.items())
    return f"Cannot be judged: {shares}. {_WHY_UNJUDGED}" if counts else ""


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
    """Strategy (its label) -> its gold documents beside those of plain retrieval; others are left out."""
    comparisons: dict[str, BesidePlain] = {}
    for label, by_question in scores.items():
        if compared := [values for values in by_question.values() if BEYOND in values]:
            own, plain, passages = (
                fmean(values[key] for values in compared) for key in (GIVEN, WITH_AS_MANY, PASSAGES)
            )
            comparisons[label] = BesidePlain(own, plain, passages, len(compared))
    return comparisons
