"""The expected calls, tokens, time and cost of an evaluation, estimated from earlier runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from core.evaluation.plan import Setting
from core.evaluation.runner import AT_ONCE, BUILTIN_AT_ONCE
from core.models.choice import AS_CONFIGURED, ChatChoice, model_name
from core.runs.forecast import run_forecast
from core.runs.past_tokens import past_tokens
from core.runs.request import EVALUATION, RunRequest
from core.runs.workbench import Workbench


@dataclass(frozen=True)
class EvaluationForecast:
    """The expected calls, tokens, time and cost of an evaluation."""

    pairs: int
    calls: int
    """Usual number of model calls, without retries."""
    calls_most: int
    tokens_in: int | None
    """None: one of the strategies was never run with this model."""
    tokens_out: int | None
    seconds: float | None
    cost: float | None
    """US dollars; None: tokens or prices are not known."""

    def of_new(self, new: int) -> EvaluationForecast:
        """The same where only so many of its calls are sent, and a recording gives the other replies."""
        share = min(1.0, new / self.calls) if self.calls else 0.0
        return replace(
            self,
            calls=new,
            tokens_in=None if self.tokens_in is None else round(share * self.tokens_in),
            tokens_out=None if self.tokens_out is None else round(share * self.tokens_out),
            seconds=None if self.seconds is None else share * self.seconds,
            cost=None if self.cost is None else share * self.cost,
        )


def forecast(
    bench: Workbench,
    settings: Sequence[Setting],
    questions: int,
    *,
    retrieval_only: bool,
    owners: Collection[str],
    chat: ChatChoice = AS_CONFIGURED,
) -> EvaluationForecast:
    """The expected cost of questions through settings, estimated from earlier runs. Blocks for a moment.

    Args:
        settings: Valid settings, see `check_settings`.
        retrieval_only: Whether the answer is left out.
        owners: Owners whose earlier runs count, besides runs of evaluations.
        chat: Which chat model answers. If its name is not known, runs of any but the built-in one count.

    Raises:
        InputError: The built-in model answers and cannot run one of them.
        StoreError: The runs cannot be read.
    """
    kind, model = bench.backends.kind(chat), model_name(bench.settings, chat)
    builtin = kind.builtin
    calls = most = 0
    tokens_in: int | None = 0
    tokens_out: int | None = 0
    seconds: float | None = 0.0
    for setting in settings:
        usual, at_most = calls_of(bench, setting, retrieval_only=retrieval_only, chat=chat)
        expected = questions * usual
        calls += expected
        most += questions * at_most
        if not expected:
            continue
        past = past_tokens(bench.store, [*owners, EVALUATION], setting.strategy, model, builtin=builtin)
        sent, written = past.of(expected)
        known = past.runs > 0
        tokens_in = tokens_in + sent if known and tokens_in is not None else None
        tokens_out = tokens_out + written if known and tokens_out is not None else None
        seconds = seconds + past.seconds * expected if known and seconds is not None else None
    at_once = BUILTIN_AT_ONCE if builtin else AT_ONCE
    price = (0.0, 0.0) if builtin or not calls else bench.settings.model_prices.get(model)
    cost = None
    if price is not None and tokens_in is not None and tokens_out is not None:
        cost = (tokens_in * price[0] + tokens_out * price[1]) / 1e6
    return EvaluationForecast(
        pairs=questions * len(settings),
        calls=calls,
        calls_most=most,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        seconds=None if seconds is None else seconds / at_once,
        cost=cost,
    )


def calls_of(
    bench: Workbench, setting: Setting, *, retrieval_only: bool, chat: ChatChoice
) -> tuple[int, int]:
    """Usual and largest number of model calls of one question through a setting, without retries.

    Raises:
        InputError: The built-in model answers and cannot run it.
    """
    one = run_forecast(
        bench,
        RunRequest(
            question="",
            strategy=setting.strategy,
            params=setting.params,
            methods=setting.methods,
            chat=chat,
            retrieval_only=retrieval_only,
        ),
    )
    return one.calls_expected, one.calls_most
