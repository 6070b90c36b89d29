"""The oracle of an evaluation: for each question the best of the settings, chosen afterwards with the labels.

It is no strategy, but an upper bound: what a router that never errs would have, were it to choose among them. Settings
that choose a way themselves are not among those that it picks from; they are compared with it. It is not compared with
the baseline by a test: the maximum of several is never below one of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from core.evaluation.measures import COSTS, LEADING, Scores, metric, present
from core.evaluation.plan import Evaluation
from core.evaluation.statistics import Interval, intervals
from core.strategies import strategies

ORACLE = "Oracle, chosen afterwards"
"""Its name where settings are listed."""
LEAST = 2
"""Settings that there have to be for a choice."""
_CHEAP = ("calls", "rounds", "tokens", "seconds")
"""Metrics by which one of equally good settings is cheaper, the most important first."""


@dataclass(frozen=True)
class Oracle:
    """The best setting of each question."""

    scores: Scores
    among: tuple[str, ...]
    """Labels of the settings that it picks from."""
    routers: tuple[str, ...]
    """Labels of those that choose themselves."""
    lead: str
    """Key of the metric by which it picks; its costs are those of these picks."""

    def picks(self, key: str = "") -> dict[str, str]:
        """Id of a question that has a value with all of them -> label of its best setting by the metric with this key
        (empty: `lead`); of equals the cheapest."""
        key = key or self.lead
        sign = -1 if metric(key).good == "low" else 1
        # Who searches nothing has no ranking to be judged, and is no choice there.
        having = {
            label: {question for question, values in self.scores[label].items() if key in values}
            for label in self.among
        }
        among = [label for label, questions in having.items() if questions]
        if len(among) < LEAST:
            return {}
        shared = set.intersection(*(having[label] for label in among))

        def worth(label: str, question: str) -> tuple[float, ...]:
            values = self.scores[label][question]
            # Rounded, since of what is equally fast not the clock should choose, but the order of the settings.
            return (sign * values[key], *(-round(values.get(cost, 0.0)) for cost in _CHEAP))

        return {question: max(among, key=lambda label: worth(label, question)) for question in sorted(shared)}

    def counts(self, key: str = "") -> dict[str, int]:
        """Label of a setting -> number of questions for which it is picked, the most frequent first."""
        return dict(Counter(self.picks(key).values()).most_common())

    def values(self, key: str, by: str = "") -> dict[str, float]:
        """Id of a question -> the value of its best setting; costs are those of what is picked by the metric `by`
        (empty: `lead`). A metric that is neither good nor bad, or a difference, has none."""
        measure = metric(key)
        if measure.against or measure.good == "neither":
            return {}
        picks = self.picks(by if measure.group == COSTS else key)
        values = {question: self.scores[label][question] for question, label in picks.items()}
        return {question: metrics[key] for question, metrics in values.items() if key in metrics}

    def mean(self, key: str, by: str = "") -> Interval | None:
        """The mean of its values; None: it has none."""
        values = {question: {key: value} for question, value in self.values(key, by).items()}
        return intervals({ORACLE: values}, key).get(ORACLE)

    def both(self, quality: str, cost: str) -> tuple[Interval, Interval] | None:
        """Its means of a metric and of what the settings cost that are picked by it; None: it lacks one of them."""
        good, paid = self.mean(quality), self.mean(cost, quality)
        return (good, paid) if good and paid else None

    def distances(self, key: str) -> dict[str, Interval]:
        """Label of each setting -> its value minus the oracle's, over the questions that both have."""
        best = self.values(key)
        apart = {
            label: {
                question: {key: values[key] - best[question]}
                for question, values in by_question.items()
                if key in values and question in best
            }
            for label, by_question in self.scores.items()
        }
        return intervals(apart, key)


def oracle_of(evaluation: Evaluation, scores: Scores) -> Oracle | None:
    """The oracle of an evaluation, as far as it is done.

    Returns:
        None where there is nothing to choose: a sweep of one strategy, fewer than two settings that choose no way
        themselves, or no question that all of them have a value of.
    """
    routing = {key for key, strategy in strategies().items() if strategy.routes}
    routers = {setting.label for setting in evaluation.spec.settings if setting.strategy in routing}
    among = tuple(label for label in scores if label not in routers)
    lead = next((key for key in reversed(LEADING) if key in present(scores)), "")
    if evaluation.spec.sweep or len(among) < LEAST or not lead:
        return None
    oracle = Oracle(scores, among, tuple(label for label in scores if label in routers), lead)
    return oracle if oracle.picks() else None
