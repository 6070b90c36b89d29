"""One question through one setting, with everything that its metrics are computed from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from core.evaluation.answers import Verdict, judged_text, verdict
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.pair_budget import given_share, plain_share
from core.evaluation.plan import Result, Setting


@dataclass(frozen=True)
class JudgedPair:
    """A pair that is done. Every property is None where the pair has no such value."""

    result: Result
    question: LabelledQuestion
    setting: Setting
    searches: bool = True
    """Whether the strategy searches documents at all."""
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
        held = self.result.supported
        return None if held is None or self.abstained else float(held)

    @property
    def passages_given(self) -> float | None:
        """Number of different passages in prompts that asked for an answer."""
        budget = self.result.budget
        return float(budget.given) if budget and self.searches else None

    @property
    def given_share(self) -> float | None:
        """Share of the gold documents among the passages that the answer was given, from 0 to 1."""
        budget = self.result.budget
        return given_share(budget, self.question) if budget and self.searches else None

    @cached_property
    def plain_share(self) -> float | None:
        """`given_share` for plain retrieval with as many passages; plain retrieval itself has none."""
        budget = self.result.budget
        return plain_share(budget, self.question, self.setting) if budget and self.searches else None

    @property
    def beyond_plain(self) -> float | None:
        """Share given minus that of plain retrieval, from -1 to 1."""
        given, plain = self.given_share, self.plain_share
        return None if given is None or plain is None else given - plain

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

    @property
    def seconds(self) -> float | None:
        """Time of the run, where no reply was played: that takes the seconds of a pace, and is no measurement."""
        return None if self.result.played else self.result.seconds
