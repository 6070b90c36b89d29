"""What a run works with: the backends that it needs are reached, and local ones started."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from core.corpora.demo import DEMO_CORPORA
from core.corpora.filtering import in_words, parse_where
from core.errors import InputError, LoupeError, ServiceError
from core.models.chat_models import BUILTIN
from core.models.recordings.items import KeptRun
from core.models.recordings.keys import digest
from core.models.rerank_endpoint import rerank_endpoint
from core.runs.backends import import_graphs
from core.runs.engine import StepTracer
from core.runs.request import RunRequest
from core.skills import SKILLS, methods_in_force
from core.skills.base import SkillContext, builtin_prompt, prompt_key
from core.skills.model_kind import kind_of
from core.strategies.base import AnyStrategy, RunContext
from core.trace.events import RunStarted
from core.users import told_name

if TYPE_CHECKING:
    from core.models.calling import CallBudget
    from core.retrieval.retriever import Retriever
    from core.runs.backends import Backends
    from core.runs.recordings import Recordings
    from core.runs.sources.corpora import CorpusService
    from core.runs.sources.graphs import GraphService
    from core.settings import Settings


HEAD_START_SECONDS = 0.1
"""How long a request may take to be sent before what is imported competes with it."""


class Sources(Protocol):
    """What runs work with: the part of `core.runs.workbench.Workbench` that beginning one needs."""

    @property
    def settings(self) -> Settings:
        """The settings of the process."""

    @property
    def backends(self) -> Backends:
        """Models and servers."""

    @property
    def corpora(self) -> CorpusService:
        """The corpora."""

    @property
    def graphs(self) -> GraphService:
        """The knowledge graphs."""

    @property
    def recordings(self) -> Recordings:
        """Replies of models that are kept."""


@dataclass(frozen=True)
class Plan:
    """A run that is about to begin, or to go on."""

    started: RunStarted
    """Its first event; that of a new run names no model yet."""
    strategy: AnyStrategy
    params: Any
    request: RunRequest


async def prepare(
    plan: Plan, tracer: StepTracer, bench: Sources, *, later: bool = False
) -> tuple[RunStarted, RunContext[Any]]:
    """A run's first event with its models, and what its nodes work with.

    With `later`, a run that asks the model first may begin before what searches is loaded; see `load_rest`.

    Raises:
        InputError: There is no such corpus or graph.
        ModelError, ServiceError, StoreError: A backend that it needs does not start.
    """
    from core.models.calling import CallBudget
    from core.models.chat import Chat
    from core.models.recordings.recorded import recorded_embedder

    started, strategy, request, backends = plan.started, plan.strategy, plan.request, bench.backends
    searches = strategy.retrieves and bool(request.corpus)
    dense = searches and request.retriever != "keyword"
    kind = kind_of(request.chat, backends.settings)
    later = later and strategy.asks_first and not kind.builtin and not request.graph
    play, embedder = request.chat.play, backends.embedder
    if play:
        recorded = await asyncio.to_thread(bench.recordings.recorded, play)
        embedder = recorded_embedder(embedder, recorded)
    if dense and not later:
        embedder.expect(request.question)
    await asyncio.to_thread(import_graphs)
    endpoint = await request.chat.open(backends.models)
    if not kind.builtin:
        kind = await asyncio.to_thread(backends.kind, request.chat, endpoint)
    used = strategy.skills_with(plan.params)
    methods = methods_in_force(used, kind, request.methods)
    retriever = further = None
    languages: tuple[str, ...] = ()
    if searches:
        retriever = await bench.corpora.retriever(request.corpus, request.retriever, later=later)
        retriever = await narrowed(retriever, request.where)
        if also := strategy.also_searches(plan.params):
            if also in DEMO_CORPORA:  # one of the app may not have been used before
                await bench.corpora.demo(also).ended()
            further = await bench.corpora.retriever(also, request.retriever)
        if not kind.builtin and _names_language(methods):  # the built-in model writes English in any case
            languages = tuple(await bench.corpora.languages(retriever))
    explores = strategy.explores and request.graph
    graph = await bench.graphs.prepare(request.graph or "").ended() if explores else None
    if (dense and not later) or explores or (strategy.retrieves and kind.builtin):
        await backends.load_embeddings()
    tape = None
    if play:
        mark = await retriever.mark() if retriever else ""
        if retriever and retriever.weighed is not None:
            runs = await asyncio.to_thread(bench.recordings.runs_of, play)
            retriever = retriever.weighing(recorded_share(runs, started, mark, retriever.weighed))
            further = further and further.weighing(retriever.dense_share)
        run = kept_run(started, request.prompts, methods, mark, retriever.weighed if retriever else None)
        forked = started.parent is not None
        tape = bench.recordings.tape(play, endpoint.model, run, forked=forked)
        retriever = retriever and retriever.recorded_in(recorded, embedder)
        further = further and further.recorded_in(recorded, embedder)
        graph = graph and graph.recorded_in(embedder)
    own = request.chat.typed is None and not endpoint.builtin
    user = told_name(request.account or request.owner) if own else ""
    budget = CallBudget(backends.settings.max_calls)
    skills = SkillContext(
        chat=Chat(endpoint, tracer, backends.settings, budget, user, tape),
        embedder=embedder,
        tracer=tracer,
        builtin=endpoint.builtin,
        methods=methods | {skill: method for skill, method in request.former.items() if skill in methods},
        prompts=request.prompts,
        reranker=rerank_endpoint(backends.settings),
        languages=languages,
    )
    if play and play.missing == "builtin":
        skills = replace(skills, fallback=await _builtin_too(skills, backends, budget))
    prompted = (prompt_key(skill, method) for skill, method in methods.items())
    texts = {key: text for skill in used for key, text in SKILLS[skill].prompts().items()}
    started = started.model_copy(
        update={
            "chat_model": endpoint.model,
            "builtin": endpoint.builtin,
            "adapter": endpoint.builtin,
            "embedding_model": backends.embedder.name,
            "dense_share": retriever.weighed if retriever else None,
            "methods": methods,
            "prompts": {key: request.prompts.get(key) or texts[key] for key in prompted if key in texts},
            "recording": play.recording.name if play else "",
            "missing": play.missing if play else "",
        }
    )
    context = RunContext(
        params=plan.params,
        skills=skills,
        tracer=tracer,
        corpus=retriever,
        graph=graph,
        further_corpus=further,
    )
    return started, context


def kept_run(
    started: RunStarted,
    prompts: Mapping[str, str],
    methods: Mapping[str, str],
    mark: str,
    dense_share: float | None = None,
) -> KeptRun:
    """How a question is asked, as a recording notes it.

    Args:
        started: First event of the run.
        prompts: Prompts that were given, which may be as they come with the app.
        methods: Method of each skill.
        mark: What is searched, see `core.retrieval.recorded.mark_of`; empty: nothing is.
        dense_share: Weight of the dense scores; None: none are added up.
    """
    how: dict[str, Any] = {
        "question": started.question,
        "strategy": started.strategy,
        "params": started.params,
        "corpus": started.corpus or "",
        "mark": mark,
        "retriever": started.retriever or "",
        "where": started.where,
        "graph": started.graph or "",
        "methods": dict(methods),
        "edited": tuple(sorted(key for key, text in prompts.items() if text != builtin_prompt(key))),
    }
    if dense_share is not None:
        how["dense_share"] = dense_share
    if started.retrieval_only:
        how["searched_only"] = True
    return KeptRun(key=digest("run", how), **how)


def recorded_share(
    runs: Iterable[KeptRun], started: RunStarted, mark: str, dense_share: float
) -> float | None:
    """The weight with which a recording holds this question's searches; today's where it holds none.

    Args:
        runs: How questions were asked while it was made.
        started: Of the run.
        mark: What is searched, see `core.retrieval.recorded.mark_of`.
        dense_share: Today's weight of the dense scores.
    """
    asked = started.question, started.retriever, mark
    known = [run.dense_share for run in runs if (run.question, run.retriever, run.mark) == asked]
    return dense_share if not known or dense_share in known else known[0]


async def _builtin_too(skills: SkillContext, backends: Backends, budget: CallBudget) -> SkillContext | None:
    """The same with the built-in model and its own methods; None: it does not run here."""
    from core.models.chat import Chat

    try:
        endpoint = await BUILTIN.open(backends.models)
    except ServiceError:
        return None
    chat = Chat(endpoint, skills.tracer, backends.settings, budget)
    return replace(skills, chat=chat, builtin=True, methods={}, languages=())


async def narrowed(retriever: Retriever, where: Sequence[str]) -> Retriever:
    """A retriever among the documents that match a filter.

    Raises:
        InputError: No document matches.
        StoreError: The corpus has been deleted, or the catalogue cannot be read.
    """
    found = retriever.within(parse_where(where))
    if where and not await found.documents():
        names = ", ".join(field.name for field in await retriever.fields())
        known = f"Its documents can be told apart by: {names}." if names else ""
        raise InputError(
            f"The filter ({in_words(where)}) leaves no document of “{retriever.corpus.name}”. {known}".strip()
        )
    return found


def _names_language(methods: Mapping[str, str]) -> bool:
    """Whether a prompt in force names the language of the documents."""
    return any("language" in SKILLS[skill].method(method).slots for skill, method in methods.items())


async def load_rest(request: RunRequest, context: RunContext[Any], bench: Sources) -> None:
    """Load what the searches of a run need, while its first model call is under way."""
    await asyncio.sleep(HEAD_START_SECONDS)
    if context.corpus is None:
        return
    with suppress(LoupeError):  # the search that needs it meets the same
        await bench.corpora.open(context.corpus)
        if request.retriever != "keyword":
            await bench.backends.load_embeddings()
