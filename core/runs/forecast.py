"""The cost of a run before it begins: its model calls, whoever answers; its tokens, judged from earlier runs; its time
on this machine, judged from the speed of the model; and which parameters would make it shorter.

The page, the evaluation and the command line all ask this.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from statistics import median
from typing import TYPE_CHECKING

from core.errors import InputError
from core.runs.recordings import SHIPPED
from core.runs.request import RunRequest
from core.skills import methods_in_force
from core.skills.answer import ANSWER
from core.skills.answer_step_back import ANSWER_STEP_BACK
from core.skills.read import READ
from core.skills.synthesise import SYNTHESISE
from core.strategies import get_strategy
from core.strategies.base import applies, bounds
from core.strategies.costs import Forecast, Stage, forecast, unknown
from core.wording import counted, rounded, time_span

if TYPE_CHECKING:
    from core.models.chat_models import ChatModel
    from core.models.timing import Speed
    from core.runs.backends import Backends
    from core.runs.store import RunStore, TokenUse

_ANSWERING = frozenset(skill.key for skill in (ANSWER, ANSWER_STEP_BACK, READ, SYNTHESISE))
"""Skills of the node `answer`: retrieval alone ends before it."""
JUDGED_RUNS = 20
"""How many of the newest finished runs are looked at."""


def run_forecast(
    backends: Backends, request: RunRequest, seconds: Callable[[str], float] = unknown
) -> Forecast:
    """Rounds and calls of a run, played ones included, and its seconds, by those of a call of a skill, see
    `call_seconds`. Blocks for a moment.

    Raises:
        InputError: A parameter or a method cannot be used, or the model cannot run the strategy.
    """
    strategy = get_strategy(request.strategy)
    kind = backends.kind(request.chat)
    if lacking := strategy.lacking(kind.builtin):
        raise InputError(lacking)
    methods = methods_in_force(strategy.skills, kind, request.methods)
    expected = forecast(stages_of(request), methods, seconds)
    share = min(1.0, backends.settings.max_calls / max(1, expected.calls_most))  # then the run ends
    return replace(expected, seconds_most=max(expected.seconds, share * expected.seconds_most))


def stages_of(request: RunRequest) -> tuple[Stage, ...]:
    """The model work of a run: without its answer, where the search alone is wanted.

    Raises:
        InputError: A parameter cannot be used.
    """
    strategy = get_strategy(request.strategy)
    stages = strategy.stages(strategy.parse(request.params))
    return stages[:-1] if request.retrieval_only and stages[-1].skill in _ANSWERING else stages


@dataclass(frozen=True)
class PastTokens:
    """The medians of what earlier runs used per model call."""

    runs: int
    """Number of runs that this is estimated from."""
    input: float = 0.0
    """Median over the runs of the tokens sent per call."""
    output: float = 0.0
    """Median over the runs of the tokens written per call."""
    seconds: float = 0.0
    """Median over the runs of the run's seconds per call."""
    other: bool = False
    """True where the model itself has no runs, and these are other models'."""

    @property
    def own(self) -> PastTokens:
        """The same, if the runs are of the model itself; else nothing."""
        return PastTokens(0) if self.other else self

    def of(self, calls: int) -> tuple[int, int]:
        """Estimated input and output tokens of this number of calls, rounded to two digits."""
        return rounded(self.input * calls), rounded(self.output * calls)


def past_tokens(
    store: RunStore, owners: Collection[str], strategy: str, model: str, *, builtin: bool
) -> PastTokens:
    """Judge from the newest finished runs of these owners, forks left out: their calls are only a part.

    Args:
        owners: Whose runs count; pinned ones count whoever asked them.
        model: Name of the chat model; empty: any that is not the built-in one.
        builtin: Whether the built-in model answers; the name is then of no matter.

    Raises:
        StoreError: The store cannot be read.
    """
    return medians(
        [
            use
            for use in store.token_uses(strategy, owners, JUDGED_RUNS)
            if use.builtin == builtin and (builtin or not model or use.model == model)
        ]
    )


def medians(uses: Sequence[TokenUse]) -> PastTokens:
    """The medians of runs; zeros where there are none."""
    if not uses:
        return PastTokens(0)
    return PastTokens(
        len(uses),
        median(use.input / use.calls for use in uses),
        median(use.output / use.calls for use in uses),
        median(use.seconds / use.calls for use in uses),
    )


def similar_tokens(
    store: RunStore, owners: Collection[str], strategy: str, model: str, *, builtin: bool
) -> PastTokens:
    """The tokens per call in earlier runs with this model, see `past_tokens`; if there are none, with any other, whose
    prompts are much the same. The built-in model has prompts of its own.

    Raises:
        StoreError: The store cannot be read.
    """
    own = past_tokens(store, owners, strategy, model, builtin=builtin)
    if own.runs or builtin:
        return own
    return replace(past_tokens(store, owners, strategy, "", builtin=False), other=True)


@cache
def recorded_tokens() -> Mapping[str, tuple[float, float]]:
    """Skill -> the median tokens, sent and written, of a call in the recording that comes with the app, and under an
    empty name those of all. Blocks for a moment the first time."""
    uses = defaultdict[str, list[tuple[int, int]]](list)
    lines = SHIPPED.read_text(encoding="utf-8").splitlines() if SHIPPED.exists() else []
    for line in lines:
        if line.startswith('{"kind":"reply"'):
            reply = json.loads(line)
            usage = reply["usage"]["input"] or 0, reply["usage"]["output"] or 0
            uses[reply["skill"]].append(usage)
            uses[""].append(usage)
    return {
        skill: (median(sent for sent, _ in counts), median(written for _, written in counts))
        for skill, counts in uses.items()
    }


@dataclass(frozen=True)
class CallSeconds:
    """The seconds of a call on this machine, from the speed of the model and the tokens of a call."""

    speed: Speed
    """Of the model."""
    past: PastTokens
    """Of earlier runs of the strategy; where there are none, the tokens in the app's recording count."""

    def __call__(self, skill: str) -> float:
        """Of a skill, by its key."""
        if self.past.runs:
            return self.speed.seconds(self.past.input, self.past.output)
        recorded = recorded_tokens()
        return self.speed.seconds(*(recorded.get(skill) or recorded.get("", (0.0, 0.0))))


def call_seconds(backends: Backends, chat: ChatModel, past: PastTokens) -> CallSeconds | None:
    """The seconds of a call on this machine; None: no model of it answers, or nothing is known of its speed, or of the
    prompts of the built-in model. Blocks for a moment.

    Raises:
        StoreError: The speeds cannot be read.
    """
    settings = backends.settings
    if chat.play or (chat.is_builtin(settings) and not past.runs):
        return None
    speed = backends.models.speeds.of(chat.server(settings), chat.name(settings))
    return CallSeconds(speed, past) if speed else None


def time_sentence(forecast: Forecast, speed: Speed) -> str:
    """The time of a run on this machine, in words."""
    span = time_span(forecast.seconds, forecast.seconds_most)
    return f"{span} on this machine, measured by {counted(speed.calls, 'call')}"


@dataclass(frozen=True)
class Saving:
    """A parameter that makes a run shorter with a lower value."""

    name: str
    value: int | bool
    """The lower value."""
    usual: float
    """Seconds that it saves as a rule."""
    most: float
    """Seconds that it saves at most."""


LEAST_SAVED = 0.1
"""Part of a run's time; less is not worth a change."""
OFFERED = 3


def savings(backends: Backends, request: RunRequest, seconds: Callable[[str], float]) -> list[Saving]:
    """The parameters that save most, those first that save most; each alone, the others as they are. Blocks for a
    moment, and raises what `run_forecast` does.

    Whole numbers are tried at half their value and at their lowest, what can be on is tried off.
    """
    strategy = get_strategy(request.strategy)
    params = strategy.parse(request.params)
    values = params.model_dump()
    now = run_forecast(backends, request, seconds)
    found = []
    for name, field in strategy.params.model_fields.items():
        if not applies(field, values):
            continue
        for lower in _lower(values[name], bounds(field)[0]):
            try:
                changed = replace(request, params={**values, name: lower})
                then = run_forecast(backends, changed, seconds)
            except InputError:  # beside the other parameters it cannot be so low
                continue
            saving = Saving(name, lower, now.seconds - then.seconds, now.seconds_most - then.seconds_most)
            if min(saving.usual, saving.most) >= 0 and saving.most >= LEAST_SAVED * now.seconds_most:
                found.append(saving)
                break
    return sorted(found, key=lambda saving: -(saving.usual + saving.most))[:OFFERED]


def _lower(value: object, low: float | None) -> list[int | bool]:
    """Lower values of a parameter that are tried, the one nearest to it first."""
    if value is True:
        return [False]
    if isinstance(value, bool) or not isinstance(value, int) or low is None or value <= low:
        return []
    return list(dict.fromkeys([max(int(low), value // 2), int(low)]))
