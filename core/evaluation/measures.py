"""The metrics: `measures.toml` has the name, meaning and group of each, this file how the value of a pair is computed,
and what is counted over the scores of an evaluation beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean
from typing import Literal

from core.evaluation.answers import Verdict, judged_text, verdict
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.pair_budget import given_share, plain_share
from core.evaluation.plan import Budget, Result, Setting
from core.evaluation.words import squad_match, token_f1
from core.wording import words_beside


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
_COMPUTED: Mapping[str, Callable[[JudgedPair], float | None]] = {
    BEYOND: lambda pair: pair.beyond_plain,
    GIVEN: lambda pair: pair.given_share,
    PASSAGES: lambda pair: float(pair.budget.given) if pair.budget else None,
    WITH_AS_MANY: lambda pair: pair.plain_share,
    "EM": lambda pair: pair.best(squad_match),
    "F1": lambda pair: pair.best(token_f1),
    "accuracy": lambda pair: pair.is_one_of("right"),
    "abstained": lambda pair: pair.abstained,
    "unclear": lambda pair: pair.unclear,
    "hallucination": lambda pair: pair.is_one_of("wrong"),
    "hallucination_abstained": lambda pair: pair.is_one_of("wrong", "refusal"),
    "supported": lambda pair: pair.supported,
    "calls": lambda pair: float(pair.result.calls),
    "rounds": lambda pair: float(pair.result.rounds),
    "tokens": lambda pair: pair.tokens,
    "seconds": lambda pair: None if pair.result.played else pair.result.seconds,
    "cost": lambda pair: pair.cost,
}
"""The functions that compute metrics, but for those of rankings, which ir_measures computes."""


def _ranking(key: str) -> Callable[[JudgedPair], float | None]:
    return lambda pair: pair.ranking.get(key)


METRICS: Mapping[str, Metric] = {
    row["key"]: Metric(**row, compute=_COMPUTED.get(row["key"]) or _ranking(row["key"]))
    for row in words_beside(__file__)["metrics"]
}
RANKING_METRICS = tuple(key for key in METRICS if key not in _COMPUTED)
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
