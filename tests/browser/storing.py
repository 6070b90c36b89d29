"""What a test puts into the database of a running app, instead of clicking through the pages until it is there."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from core.corpora.demo import DEMO_CORPUS
from core.evaluation.evaluation_store import EvaluationStore
from core.evaluation.plan import Evaluation, Outcomes
from core.models.chat_models import CONFIGURED, ChatModel
from core.runs.comparisons import Comparison, ComparisonStore
from core.runs.request import RunRequest
from core.runs.store import RunStore
from core.runs.workbench import Workbench
from core.trace.events import Event
from core.trace.gold import Gold
from tests.browser.conftest import App

OWNER = "somebody"


def database(app: App) -> str:
    """Its URL."""
    return f"sqlite:///{app.home}/rag-loupe.sqlite"


def finished_run(
    bench: Workbench, question: str, strategy: str, graph: str | None = None, model: ChatModel = CONFIGURED
) -> list[Event]:
    """The events of a real run on the demo corpus or on a graph, made without a page.

    Args:
        bench: Runs it, in this process.
        question: Its text.
        strategy: Its key.
        graph: Name of the graph that it explores; None: it searches the demo corpus.
        model: Which model answers.
    """
    request = RunRequest(question, strategy, corpus=None if graph else DEMO_CORPUS, graph=graph, chat=model)
    return list(bench.launcher.start(request).result(120))


def store_run(app: App, events: Sequence[Event]) -> str:
    """Id of a run, which everybody can open by its link."""
    run = secrets.token_hex(8)
    started = events[0].model_copy(update={"run": run})
    RunStore(database(app)).append(run, [started, *events[1:]], OWNER)
    return run


def store_comparison(
    app: App, question: str, runs: Sequence[Sequence[Event]], gold: Sequence[Gold] = (), name: str = ""
) -> Comparison:
    """A comparison of these runs."""
    ids = [store_run(app, events) for events in runs]
    return ComparisonStore(database(app)).add(question, ids, OWNER, gold, name=name)


def store_evaluation(app: App, made: Evaluation, outcomes: Outcomes) -> str:
    """Id of a finished evaluation."""
    store = EvaluationStore(database(app))
    key = store.begin(made.spec, made.questions, OWNER)
    assert store.hold(key, "writer", 60)
    store.note(key, "writer", {**outcomes.done, **outcomes.failed})
    store.release(key, "writer")
    store.finish(key, True)
    return key
