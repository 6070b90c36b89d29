"""The expected calls, tokens, time and cost of an evaluation, estimated from earlier runs; and how much of it the
recording that plays covers, and how many calls are new: looked up, never played."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from core.corpora.catalogue import Catalogue
from core.evaluation.dataset_indexing import NotIndexed, index_for
from core.evaluation.datasets import DataSet
from core.evaluation.pairs import asks_model, request_of
from core.evaluation.plan import Indexed, Setting
from core.evaluation.runner import AT_ONCE, BUILTIN_AT_ONCE
from core.models.chat_models import BUILTIN, CONFIGURED, ChatModel
from core.models.recordings.covers import cover, without_sources
from core.retrieval.corpus import SearchableCorpus, mark_of
from core.runs.forecast import call_seconds, run_forecast, similar_tokens, stages_of
from core.runs.recordings import as_noted
from core.runs.request import EVALUATION, RunRequest
from core.runs.sources.sources import Sources
from core.strategies.costs import asked_with, unknown
from core.wording import counted


@dataclass(frozen=True)
class EvaluationForecast:
    """The expected calls, tokens, time and cost of an evaluation."""

    pairs: int
    calls: int
    """Usual number of model calls, without retries."""
    calls_most: int
    tokens_in: int | None = None
    """None: one of the strategies was never run with this model; so are the others."""
    tokens_out: int | None = None
    seconds: float | None = None
    """None: not known."""
    cost: float | None = None
    """US dollars; None: tokens or prices are not known."""

    def of_new(self, new: int) -> EvaluationForecast:
        """The forecast where only so many of its calls are sent, and a recording gives the other replies."""
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
    sources: Sources,
    settings: Sequence[Setting],
    questions: int,
    *,
    retrieval_only: bool,
    owners: Collection[str],
    chat: ChatModel = CONFIGURED,
) -> EvaluationForecast:
    """The expected cost of questions through settings, estimated from earlier runs. Blocks for a moment.

    Args:
        settings: Valid settings, see `check_settings`.
        owners: Owners whose earlier runs count, besides runs of evaluations.
        chat: Which chat model answers. If its name is not known, runs of any but the built-in one count.

    Raises:
        InputError: The built-in model answers and cannot run one of them.
        StoreError: The runs cannot be read.
    """
    kind, model = sources.backends.kind(chat), chat.name(sources.settings)
    builtin, store, whose = kind.builtin, sources.store, [*owners, EVALUATION]
    calls = most = tokens_in = tokens_out = 0
    seconds, known, timed = 0.0, True, True
    for setting in settings:
        request = RunRequest(
            "",
            setting.strategy,
            setting.params,
            methods=setting.methods,
            chat=chat,
            retrieval_only=retrieval_only,
        )
        similar = similar_tokens(store, whose, setting.strategy, model, builtin=builtin)
        past, here = similar.own, call_seconds(sources.backends, chat, similar)
        estimate = run_forecast(sources.backends, request, here or unknown)
        expected = questions * estimate.calls_expected
        calls += expected
        most += questions * estimate.calls_most
        if not expected:
            continue
        sent, written = past.of(expected)
        tokens_in += sent
        tokens_out += written
        if here:
            seconds += questions * estimate.seconds
        else:
            seconds += past.seconds * expected / (BUILTIN_AT_ONCE if builtin else AT_ONCE)
        known = known and past.runs > 0
        timed = timed and (past.runs > 0 or here is not None)
    pairs = questions * len(settings)
    result = EvaluationForecast(pairs, calls, most, seconds=seconds if timed else None)
    if not known:
        return result
    price = (0.0, 0.0) if builtin or not calls else sources.settings.model_prices.get(model)
    cost = (tokens_in * price[0] + tokens_out * price[1]) / 1e6 if price else None
    return replace(result, tokens_in=tokens_in, tokens_out=tokens_out, cost=cost)


@dataclass(frozen=True)
class Coverage:
    """The part of an evaluation that a recording covers."""

    questions: int
    """Number of questions; 0: the documents are not indexed yet, so nobody knows."""
    whole: int
    """Number of them that it covers through every setting that asks a model."""
    new: int
    """Expected number of new calls, by whoever gives what is new."""


async def coverage_of(
    sources: Sources,
    open_: Callable[[], DataSet],
    settings: Sequence[Setting],
    *,
    retrieval_only: bool,
    chat: ChatModel,
) -> Coverage:
    """Look up how much a recording covers. No model is asked, and nothing is stored.

    Args:
        open_: Gives the data set with the questions of the evaluation; called in a thread.
        settings: Valid settings, see `check_settings`.
        chat: Plays the recording.
    """
    dataset = await asyncio.to_thread(open_)
    asking = [setting for setting in settings if asks_model(setting, retrieval_only)]
    try:
        # Documents of the app are made ready in any case.
        corpus, asking_in = await index_for(dataset, asking, sources.corpora, make=bool(dataset.corpus))
    except NotIndexed:
        return Coverage(0, 0, 0)

    def look() -> Coverage:
        if chat.play is None:
            raise ValueError("only what plays can be looked up")
        runs = sources.recordings.store.runs(chat.play.recording.id)
        lacking, new = set[str](), 0
        for setting in asking_in:
            where = setting.indexed or corpus
            request = request_of(setting, "", where.name, retrieval_only=retrieval_only, chat=chat)
            noted = as_noted(sources.backends.kind(chat), request, _mark(sources.corpora.catalogue, where))
            recorded = [run for run in runs if run.strategy == setting.strategy]
            if (names := asked_with(stages_of(request))) is not None:
                noted, *recorded = (without_sources(run, names) for run in (noted, *recorded))
            missing = {
                question.id
                for question in dataset.questions
                if not cover(recorded, noted.model_copy(update={"question": question.text})).run
            }
            substitute = BUILTIN if chat.play.missing == "builtin" else chat
            estimate = run_forecast(sources.backends, replace(request, chat=substitute))
            lacking |= missing
            new += estimate.calls_expected * len(missing)
        return Coverage(len(dataset.questions), len(dataset.questions) - len(lacking), new)

    return await asyncio.to_thread(look)


def _mark(catalogue: Catalogue, corpus: Indexed) -> str:
    return mark_of(SearchableCorpus(catalogue.corpus(corpus.name), catalogue, ""))


def coverage_sentence(coverage: Coverage, calls: int, chat: ChatModel) -> str:
    """A sentence on what the recording that plays covers of so many expected calls; our own words, but for its name,
    which is raw."""
    play = chat.play
    if play is None:
        return ""
    name = f"the recording “{play.recording.name}”"
    if not coverage.questions:
        return f"The number of calls that {name} lacks is known once the documents are indexed."
    if coverage.whole == coverage.questions:
        questions = "the question" if coverage.questions == 1 else f"all {coverage.questions} questions"
        return f"{name[0].upper()}{name[1:]} covers {questions} through every setting: no call is new."
    total, some = counted(coverage.questions, "question"), coverage.whole or "none"
    whole = f"Of {total}, {name} covers {some} through every setting"
    if play.missing in ("fail", "ask"):
        return f"{whole}: the others end where a reply is missing."
    if play.missing == "builtin":  # its methods need other numbers of calls than those of the recording
        own = f"in about {counted(coverage.new, 'call')}" if coverage.new else "without a call"
        return f"{whole}: the built-in model answers the rest, {own}."
    then = "and sent to the endpoint" + (", whose replies are kept" if play.keeps else "")
    most = max(calls, coverage.new)
    return f"{whole}: about {coverage.new:,} of {counted(most, 'call')} are new, {then}."
