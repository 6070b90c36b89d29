"""Preparing a run: its sources and its model are reached, and put together as what its nodes work with."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from core.corpora.demo import DEMO_CORPORA
from core.corpora.filtering import parse_where, where_text
from core.errors import InputError, LoupeError, ServiceError
from core.models.chat_models import BUILTIN, RecordedModel
from core.models.endpoint import name_for_endpoint
from core.models.rerank_endpoint import RerankEndpoint
from core.runs.backends import import_graphs
from core.runs.engine import StepTracer
from core.runs.recordings import kept_run, recorded_share
from core.runs.request import RunRequest
from core.skills import SKILLS, methods_in_force
from core.skills.base import SkillContext, prompt_key
from core.strategies.base import AnyStrategy, RunContext
from core.trace.events import RunStarted
from core.users import User

if TYPE_CHECKING:
    from core.knowledge.explore.explorer import Explorer
    from core.models.embeddings import Embedder
    from core.models.endpoint import ChatEndpoint
    from core.models.recordings.open_recording import OpenRecording
    from core.models.recordings.playing import Tape
    from core.retrieval.retriever import Retriever
    from core.runs.backends import Backends
    from core.runs.recordings import Recordings
    from core.runs.sources.corpora import CorpusService
    from core.runs.sources.sources import Sources


HEAD_START_SECONDS = 0.1
"""How long a request may take to be sent before what is imported competes with it."""


@dataclass(frozen=True)
class RunPlan:
    """A run that is about to begin, or to go on."""

    started: RunStarted
    """Its first event; that of a new run names no model yet."""
    strategy: AnyStrategy
    params: Any
    request: RunRequest

    @property
    def searches(self) -> bool:
        """True if documents are searched."""
        return self.strategy.retrieves and bool(self.request.corpus)

    @property
    def explores(self) -> bool:
        """True if a knowledge graph is explored."""
        return self.strategy.explores and bool(self.request.graph)

    @property
    def embeds(self) -> bool:
        """True if the question is embedded to search documents."""
        return self.searches and self.request.retriever != "keyword"

    @property
    def only_plays(self) -> bool:
        """True if a recording alone replies: it holds rankings, too, and something is embedded only if it lacks one."""
        return self.request.chat.without_recording is None


@dataclass(frozen=True)
class ReadyModel:
    """The chat model of a run, reached."""

    endpoint: ChatEndpoint
    methods: dict[str, str]
    """Skill -> method in force, of the skills that the strategy may use."""


@dataclass(frozen=True)
class ReadySources:
    """The sources of a run, open."""

    embedder: Embedder
    retriever: Retriever | None = None
    """Searches the documents that the filter leaves; None: none are searched."""
    further: Retriever | None = None
    """Searches the further corpus of the strategy; None: it has none."""
    graph: Explorer | None = None


async def prepare(
    plan: RunPlan, tracer: StepTracer, sources: Sources, *, later: bool = False
) -> tuple[RunStarted, RunContext[Any]]:
    """Reach the model and the sources of a run: its first event, which now names the model, and its nodes' context.

    With `later`, a run that asks the model first may begin before its retriever is loaded; see `load_rest`.

    Raises:
        InputError: There is no such corpus or graph, or the filter leaves no document.
        ModelError, ServiceError, StoreError: A backend does not start.
    """
    backends, play = sources.backends, plan.request.chat.play
    # Later only where the run asks a capable model before it needs any source.
    builtin = plan.request.chat.is_builtin(backends.settings)
    later = later and plan.strategy.asks_first and not builtin and not plan.request.graph
    recorded = await asyncio.to_thread(sources.recordings.recorded, play) if play else None
    embedder = _embedder(backends, recorded)
    embeds = plan.embeds and not later
    if embeds and recorded is None:  # a recording would keep the vector, which its rankings do without
        embedder.expect(plan.request.question)
    await asyncio.to_thread(import_graphs)
    model = await open_model(plan, backends)
    opened = await open_sources(plan, sources, embedder, later=later)
    languages = await _prompt_languages(model, opened.retriever, sources.corpora) if opened.retriever else ()
    if not plan.only_plays and (
        embeds or plan.explores or (plan.strategy.retrieves and model.endpoint.builtin)
    ):
        await backends.load_embeddings()
    tape = None
    if play:
        opened, tape = await _by_recording(plan, play, sources.recordings, model, opened)
    skills = await _skills(plan, tracer, backends, model, embedder, tape)
    skills = replace(skills, languages=languages)
    context = RunContext(
        params=plan.params,
        skills=skills,
        tracer=tracer,
        corpus=opened.retriever,
        graph=opened.graph,
        further_corpus=opened.further,
    )
    return _first_event(plan, backends, model, opened.retriever), context


def _embedder(backends: Backends, recorded: OpenRecording | None) -> Embedder:
    """The embedding model, by way of the recording that plays, if one does."""
    if recorded is None:
        return backends.embedder
    from core.models.recordings.open_recording import RecordedEmbeddings

    usual = backends.embedder
    return replace(usual, embeddings=RecordedEmbeddings(usual.embeddings, usual.key, recorded))


async def open_model(plan: RunPlan, backends: Backends) -> ReadyModel:
    """Reach the chat model of a run; the built-in one, or a model file, is started.

    Raises:
        InputError: An address is not valid, or a method cannot be used with this model.
        ModelError, ServiceError: The model cannot be reached.
    """
    chat = plan.request.chat
    endpoint = await chat.open(backends.models)
    kind = await asyncio.to_thread(backends.kind, chat, endpoint)
    used = plan.strategy.skills_with(plan.params)
    return ReadyModel(endpoint, methods_in_force(used, kind, plan.request.methods))


async def open_sources(
    plan: RunPlan, sources: Sources, embedder: Embedder, *, later: bool = False
) -> ReadySources:
    """Open what a run searches and explores: corpus, filter, further corpus and graph; one of the app is made ready.
    With `later`, the corpus is opened with its first search, see `CorpusService.retriever`.

    Raises:
        InputError: There is no such corpus or graph, or the filter leaves no document.
        ModelError, ServiceError, StoreError: A backend does not start.
    """
    request, corpora = plan.request, sources.corpora
    opened = ReadySources(embedder)
    if plan.searches:
        retriever = await corpora.retriever(request.corpus, request.retriever, later=later)
        opened = replace(opened, retriever=await narrow(retriever, request.where))
        if further := plan.strategy.also_searches(plan.params):
            if further in DEMO_CORPORA:  # one of the app may not have been used before
                await corpora.demo(further).ended()
            opened = replace(opened, further=await corpora.retriever(further, request.retriever))
    if plan.explores:
        opened = replace(opened, graph=await sources.graphs.prepare(request.graph or "").ended())
    return opened


async def narrow(retriever: Retriever, where: Sequence[str]) -> Retriever:
    """A retriever among the documents that match a filter.

    Raises:
        InputError: No document matches.
        StoreError: The corpus has been deleted, or the catalogue cannot be read.
    """
    within = retriever.within(parse_where(where))
    if where and not await within.documents():
        names = ", ".join(field.name for field in await retriever.fields())
        known = f"Its documents can be told apart by: {names}." if names else ""
        raise InputError(
            f"The filter ({where_text(where)}) leaves no document of “{retriever.corpus.name}”. {known}".strip()
        )
    return within


async def _prompt_languages(
    model: ReadyModel, retriever: Retriever, corpora: CorpusService
) -> tuple[str, ...]:
    """The languages of the documents, where a prompt names them; the built-in model writes English in any case."""
    names = any("language" in SKILLS[skill].method(method).slots for skill, method in model.methods.items())
    return tuple(await corpora.languages(retriever)) if names and not model.endpoint.builtin else ()


async def _by_recording(
    plan: RunPlan, play: RecordedModel, recordings: Recordings, model: ReadyModel, opened: ReadySources
) -> tuple[ReadySources, Tape]:
    """The sources by way of a recording, searched as it holds them, and its replies.

    Raises:
        InputError: Replies are to be kept, but of another model than the recording's own.
        StoreError: The recordings, or the catalogue, cannot be read.
    """
    from core.retrieval.corpus import mark_of

    started, embedder = plan.started, opened.embedder
    retriever, further, graph = opened.retriever, opened.further, opened.graph
    mark = await asyncio.to_thread(mark_of, retriever.searchable) if retriever else ""
    if retriever and retriever.weighed is not None:
        runs = await asyncio.to_thread(recordings.runs_of, play)
        retriever = replace(retriever, dense_share=recorded_share(runs, started, mark, retriever.weighed))
        further = further and replace(further, dense_share=retriever.dense_share)
    weighed = retriever.weighed if retriever else None
    run = kept_run(started, plan.request.prompts, model.methods, mark, weighed)
    tape = recordings.tape(play, model.endpoint.model, run, forked=started.parent is not None)
    recorded = tape.recorded
    return ReadySources(
        embedder,
        retriever and retriever.recorded_in(recorded, embedder),
        further and further.recorded_in(recorded, embedder),
        graph and graph.recorded_in(embedder),
    ), tape


async def _skills(
    plan: RunPlan,
    tracer: StepTracer,
    backends: Backends,
    model: ReadyModel,
    embedder: Embedder,
    tape: Tape | None,
) -> SkillContext:
    """The model as the skills of a run ask it; where a recording says so, the built-in model does what it lacks."""
    from core.models.calling import CallBudget
    from core.models.chat import Chat
    from core.models.spending import day_budget

    request, settings, endpoint = plan.request, backends.settings, model.endpoint
    servers = request.chat.typed is None and not endpoint.builtin
    by = User(request.account or request.owner, teacher=request.teacher)
    user = name_for_endpoint(by.owner) if servers else ""
    budget = CallBudget(settings.max_calls, day=day_budget(settings, request.chat, by))
    skills = SkillContext(
        chat=Chat(endpoint, tracer, settings, budget, user, tape, backends.models.speeds),
        embedder=embedder,
        tracer=tracer,
        builtin=endpoint.builtin,
        methods=model.methods,
        prompts=request.prompts,
        reranker=RerankEndpoint(settings) if settings.has_reranker else None,
    )
    play = request.chat.play
    if play is None or play.missing != "builtin":
        return skills
    try:
        endpoint = await BUILTIN.open(backends.models)
    except ServiceError:  # it does not run on this machine
        return skills
    fallback = replace(
        skills,
        chat=Chat(endpoint, tracer, settings, budget, speeds=backends.models.speeds),
        builtin=True,
        methods={},
    )
    return replace(skills, fallback=fallback)


def _first_event(
    plan: RunPlan, backends: Backends, model: ReadyModel, retriever: Retriever | None
) -> RunStarted:
    """The first event of a run, with its models, methods, prompts and recording."""
    request, play = plan.request, plan.request.chat.play
    update: Mapping[str, Any] = {
        "chat_model": model.endpoint.model,
        "builtin": model.endpoint.builtin,
        "adapter": model.endpoint.builtin,
        "embedding_model": backends.embedder.name,
        "dense_share": retriever.weighed if retriever else None,
        "methods": model.methods,
        "prompts": _prompts(model.methods, request.prompts),
        "recording": play.recording.name if play else "",
        "missing": play.missing if play else "",
    }
    return plan.started.model_copy(update=update)


def _prompts(methods: Mapping[str, str], edited: Mapping[str, str]) -> dict[str, str]:
    """Prompt key -> text, of the methods that ask a model."""
    texts = {key: text for skill in methods for key, text in SKILLS[skill].prompts().items()}
    keys = (prompt_key(skill, method) for skill, method in methods.items())
    return {key: edited.get(key) or texts[key] for key in keys if key in texts}


async def load_rest(plan: RunPlan, context: RunContext[Any], sources: Sources) -> None:
    """Load what the searches of a run need, while its first model call is under way."""
    await asyncio.sleep(HEAD_START_SECONDS)
    if context.corpus is None:
        return
    with suppress(LoupeError):  # the search that needs it meets the same
        await sources.corpora.open(context.corpus)
        if plan.embeds and not plan.only_plays:
            await sources.backends.load_embeddings()
