"""What a run works with: the backends that it needs are reached, and local ones started."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Any

from core.models.endpoint import resolve_chat
from core.runs.backends import import_heavy
from core.runs.engine import StepTracer
from core.runs.request import RunRequest
from core.runs.sources.corpora import CorpusService
from core.runs.sources.graphs import GraphService
from core.skills import SKILLS, methods_in_force
from core.skills.base import SkillContext, prompt_key
from core.strategies.base import RunContext, Strategy
from core.trace.events import RunStarted
from core.users import told_name


@dataclass(frozen=True)
class Plan:
    """A run that is about to begin, or to go on."""

    started: RunStarted
    """Its first event; that of a new run names no model yet."""
    strategy: Strategy[Any]
    params: Any
    request: RunRequest


async def prepare(
    plan: Plan, tracer: StepTracer, corpora: CorpusService, graphs: GraphService
) -> tuple[RunStarted, RunContext[Any]]:
    """A run's first event with its models, and what its nodes work with.

    Args:
        plan: What is run.
        tracer: Takes the events of its nodes.
        corpora: Where its documents are.
        graphs: Where its graph is.

    Raises:
        InputError: There is no such corpus or graph.
        ModelError, ServiceError, StoreError: A backend that it needs does not start.
    """
    from core.models.chat import CallBudget, Chat

    await asyncio.to_thread(import_heavy)
    started, strategy, request, backends = plan.started, plan.strategy, plan.request, corpora.backends
    searches = strategy.retrieves and bool(request.corpus)
    dense = searches and request.retriever != "keyword"
    if dense:
        backends.embedder.expect(request.question)
    endpoint = await resolve_chat(backends.settings, backends.supervisor, request.endpoint, request.model)
    as_it_came = request.as_it_came or not backends.adapter
    methods = methods_in_force(strategy.skills, endpoint.builtin, request.methods, as_it_came)
    own = request.endpoint is None and not endpoint.builtin
    user = told_name(request.account or request.owner) if own else ""
    skills = SkillContext(
        chat=Chat(endpoint, tracer, backends.settings, CallBudget(backends.settings.max_calls), user),
        embedder=backends.embedder,
        tracer=tracer,
        builtin=endpoint.builtin,
        methods=methods,
        prompts=request.prompts,
        as_it_came=as_it_came,
    )
    searcher = await corpora.searcher(request.corpus or "", request.retriever) if searches else None
    if searcher and not endpoint.builtin:  # which writes English in any case
        skills = replace(skills, languages=await searcher.languages())
    explores = strategy.explores and request.graph
    graph = await graphs.prepare(request.graph or "").ended() if explores else None
    if dense or explores or (strategy.retrieves and endpoint.builtin):
        await backends.load_embeddings()
    used = (prompt_key(skill, method) for skill, method in methods.items())
    texts = {key: text for skill in strategy.skills for key, text in SKILLS[skill].prompts().items()}
    started = started.model_copy(
        update={
            "chat_model": endpoint.model,
            "builtin": endpoint.builtin,
            "adapter": endpoint.builtin and not as_it_came,
            "embedding_model": backends.embedder.name,
            "methods": methods,
            "prompts": {key: request.prompts.get(key) or texts[key] for key in used if key in texts},
        }
    )
    context = RunContext(params=plan.params, skills=skills, tracer=tracer, retriever=searcher, graph=graph)
    return started, context
