"""One question through one setting: checking, running, and the result that is kept."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from core.corpora.writing import to_its_end
from core.errors import InputError, LoupeError, UnknownRun
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.failure_stages import gold_trace_of
from core.evaluation.pair_budget import budget_of, relevant
from core.evaluation.plan import Evaluation, Playing, Result, Setting, Spec, text_hash
from core.evaluation.ranking_scores import ranked_documents
from core.models.chat_models import ChatModel, EndpointModel, RecordedModel
from core.models.endpoint import NO_KEY, ChatEndpoint
from core.retrieval.kinds import RETRIEVERS
from core.runs.beginnings import Beginning
from core.runs.engine import StepTracer, execute
from core.runs.launch import RunLauncher
from core.runs.record import Record, record
from core.runs.request import EVALUATION, RunRequest
from core.skills import check_prompt, methods_in_force
from core.skills.answer import ANSWER
from core.skills.base import ModelKind
from core.skills.rerank import RERANK, TOKENS
from core.strategies import get_strategy
from core.strategies.base import RunContext
from core.trace.artefacts import EVAL_CUTOFF
from core.trace.events import Event, RunStarted, now
from core.users import TEACHER, User

if TYPE_CHECKING:
    from core.retrieval.retriever import Retriever

_ALIVE_POLL_SECONDS = 0.5
_NO_MODEL = EndpointModel(ChatEndpoint("http://localhost/v1", NO_KEY, "none"))
"""Choice of runs that ask no model, so that no model is started for them."""


class PairFailed(LoupeError):
    """A question could not be put through a setting; the message says why."""


def check_settings(settings: Sequence[Setting], retrieval_only: bool, *, builtin: bool = False) -> None:
    """Refuse settings that cannot be evaluated by an `InputError` that says which, and why; `builtin`: the built-in
    model will answer."""
    if not settings:
        raise InputError("Choose at least one strategy.")
    labels = [setting.label for setting in settings]
    if twice := [label for label in dict.fromkeys(labels) if labels.count(label) > 1]:
        raise InputError(f"Two settings are called “{twice[0]}”. Give each its own name.")
    for setting in settings:
        strategy = get_strategy(setting.strategy)
        strategy.parse(setting.params)
        if lacking := strategy.lacking(builtin):
            raise InputError(lacking)
        methods_in_force(
            strategy.skills, ModelKind(builtin=not strategy.lacking(True), reranker=True), setting.methods
        )
        for key, text in setting.prompts.items():
            check_prompt(key, text)
        if setting.retriever not in RETRIEVERS:
            raise InputError(
                f"There is no retriever '{setting.retriever}'. Choose one of: {', '.join(RETRIEVERS)}."
            )
        if strategy.explores and not strategy.retrieves:
            raise InputError(f"{strategy.title} explores a graph; a data set has documents only.")
        if retrieval_only and (strategy.explores or not strategy.retrieves):
            why = "gathers its evidence while it answers" if strategy.retrieves else "retrieves nothing"
            raise InputError(f"{strategy.title} {why}, so there is no retrieval to judge by itself.")


def asks_model(setting: Setting, retrieval_only: bool) -> bool:
    """True if a setting needs a model at all; if not, its runs cost nothing to make again, and are not stored.

    Reranking asks one, unless the method that was chosen for it certainly does not.
    """
    strategy = get_strategy(setting.strategy)
    silent = {ANSWER.key, *([RERANK.key] if setting.methods.get(RERANK.key) == TOKENS else [])}
    return not (retrieval_only and silent.issuperset(strategy.skills_with(strategy.parse(setting.params))))


def request_of(
    setting: Setting,
    question: str,
    corpus: str,
    *,
    retrieval_only: bool,
    chat: ChatModel,
    account: User = TEACHER,
) -> RunRequest:
    """The run of a question through a setting."""
    asks = asks_model(setting, retrieval_only)
    return RunRequest(
        question=question,
        strategy=setting.strategy,
        params=setting.params,
        corpus=corpus,
        retriever=setting.retriever,
        methods=setting.methods,
        prompts=setting.prompts,
        chat=chat if asks else _NO_MODEL,
        owner=EVALUATION,
        account=account.owner,
        teacher=account.teacher,
        retrieval_only=retrieval_only,
    )


def run_of(evaluation: str, label: str, question: str) -> str:
    """Id of the run of a pair: always the same, so that an interrupted run is found again."""
    return hashlib.sha256("\0".join((evaluation, label, question)).encode()).hexdigest()[:16]


def runs_of(evaluation: Evaluation) -> set[str]:
    """Ids of the runs of all pairs, some of which may never have begun."""
    return {
        run_of(evaluation.id, setting.label, question.id)
        for setting in evaluation.spec.settings
        for question in evaluation.questions
    }


async def run_search(prepared: RunStarted, context: RunContext[Any], question: str) -> Record:
    """A question through a strategy that asks no model; nothing of it is stored. `prepared` is the first event of the
    runs of the setting, see `RunLauncher.prepare`."""
    origin = time.monotonic()
    tracer = StepTracer(origin)
    mine = replace(context, tracer=tracer, skills=replace(context.skills, tracer=tracer))
    started = prepared.model_copy(update={"question": question, "created": now()})
    events = execute(get_strategy(prepared.strategy), mine, Beginning(started, started), None, origin)
    return record([event async for event in events])


async def run_stored(launcher: RunLauncher, request: RunRequest, run: str) -> Record:
    """A question as an ordinary stored run; an interrupted or failed run is resumed.

    A cancellation stops the run; its events so far are kept.

    Raises:
        InputError, StoreError: The question cannot be run, or the store cannot be read.
    """
    try:
        entry = await asyncio.to_thread(launcher.sources.store.entry, run)
        while entry.state == "running":  # its process may have been killed a moment ago
            await asyncio.sleep(_ALIVE_POLL_SECONDS)
            entry = await asyncio.to_thread(launcher.sources.store.entry, run)
    except UnknownRun:
        job = await asyncio.to_thread(launcher.start, request, run)
    else:
        if entry.state == "finished":
            return record(await asyncio.to_thread(launcher.sources.store.events, run))
        resume = partial(launcher.resume, teacher=request.teacher)
        job = await asyncio.to_thread(resume, run, request.owner, request.chat, request.account)
    try:
        events: list[Event] = await job.ended()
    except asyncio.CancelledError:
        job.stop()
        await to_its_end(job.ended())
        raise
    return record(events)


async def result_of(
    run: Record,
    question: LabelledQuestion,
    keys: Mapping[str, str],
    stored_as: str,
    retriever: Retriever | None = None,
) -> Result:
    """The result of a run, with plain retrieval of as many passages as the run gave to its answer.

    Args:
        keys: Id of a document in the corpus -> its id in the data set.
        stored_as: Id in the run store; empty: the run is not stored.
        retriever: Retriever of the run; None: it searched nothing.

    Raises:
        PairFailed: The run did not reach its end.
        ModelError, ServiceError, StoreError: Plain retrieval fails.
    """
    if run.state != "finished":
        raise PairFailed(run.error or "The run did not end.")
    ranked = ranked_documents(run.context, keys, relevant(question))[:EVAL_CUTOFF]
    totals = run.totals
    stands_in = run.started is not None and not run.started.builtin
    free = [call for call in run.calls if call.recorded or (stands_in and call.builtin)]
    trail, supported = gold_trace_of(run, question, keys)
    return Result(
        ranking=tuple(dict.fromkeys(ranked)),
        passages=len(ranked),
        answer=run.answer,
        trail=trail,
        supported=supported,
        budget=await budget_of(run, question, keys, retriever),
        calls=totals.calls,
        replaced=totals.replaced,
        rounds=totals.rounds,
        tokens_in=totals.tokens_in,
        tokens_out=totals.tokens_out,
        tokens_known=totals.tokens_known,
        seconds=round(totals.seconds, 4),
        run=stored_as,
        played=sum(bool(call.recorded) for call in free),
        stood_in=sum(not call.recorded for call in free),
        free_in=sum(call.usage.input or 0 for call in free),
        free_out=sum(call.usage.output or 0 for call in free),
    )


Prepared = tuple[RunStarted, RunContext[Any]]
"""The first event of a run, and its context."""


async def prepare(
    launcher: RunLauncher, spec: Spec, question: LabelledQuestion, chat: ChatModel
) -> tuple[Spec, list[Prepared]]:
    """Reach the backends of each setting.

    Args:
        spec: The spec as it was requested or stored.
        question: Any question of the evaluation.

    Returns:
        The spec with the models and prompts now in force, and the preparation of each setting.

    Raises:
        InputError, ModelError, ServiceError, StoreError: A setting cannot be run here.
    """
    only = spec.retrieval_only
    settings: list[Setting] = []
    prepared: list[Prepared] = []
    asking: list[RunStarted] = []
    for setting in spec.settings:
        corpus = spec.corpus_of(setting).name
        request = request_of(setting, question.text, corpus, retrieval_only=only, chat=chat)
        started, context = await launcher.prepare(request)
        hashes = {key: text_hash(text) for key, text in started.prompts.items()}
        in_force = {"params": started.params, "methods": started.methods, "prompt_hashes": hashes}
        settings.append(setting.model_copy(update=in_force))
        prepared.append((started, context))
        asking += [started] if asks_model(setting, only) else []
    update = {
        "settings": tuple(settings),
        "model": asking[0].chat_model if asking else "",
        "builtin": bool(asking) and asking[0].builtin,
        "adapter": bool(asking) and asking[0].adapter,
        "playing": _playing(chat.play) if asking and chat.play else None,
        "embedding_model": prepared[0][0].embedding_model,
    }
    return spec.model_copy(update=update), prepared


def _playing(play: RecordedModel) -> Playing:
    recording = play.recording
    return Playing(name=recording.name, id=recording.id, model=recording.model, missing=play.missing)
