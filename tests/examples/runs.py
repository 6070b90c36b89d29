"""Hand-made runs that search once, and ends that are not good."""

from __future__ import annotations

from core.trace.artefacts import (
    Answer,
    Baseline,
    Citation,
    Context,
    ContextPassage,
    Queries,
    Query,
    Ranking,
)
from core.trace.events import (
    EACH_STEP,
    ArtefactMade,
    Event,
    Message,
    ModelFailed,
    ModelStarted,
    Retried,
    RunFailed,
    RunFinished,
    RunForked,
    RunPaused,
    RunResumed,
    RunStarted,
    RunStopped,
    StepFailed,
    StepFinished,
    StepStarted,
    Token,
)
from tests.examples.parts import (
    BASELINE,
    CONTEXT,
    FUSION,
    PASSAGES,
    QUERIES,
    QUESTION,
    TEXTS,
    UNION,
    VARIANTS,
    answer,
    ranking,
    reranked,
)
from tests.examples.script import Script


def answering(script: Script, layer: int, parent: str) -> None:
    script.step("s-answer", "answer", layer, parent)
    script.call("s-answer", "c-answer", "answer", answer().text, seconds=1.4, stream=True)
    script.make("s-answer", answer())
    script.done("s-answer")
    script.add(RunFinished(), after=0.01)


def searching(script: Script, node: str) -> None:
    """Variants and one search per query, all at once."""
    script.step("s-queries", node, 0)
    script.call("s-queries", "c-queries", "search_queries", "\n".join(QUERIES[1:]))
    script.make("s-queries", VARIANTS)
    script.done("s-queries")
    for i, query in enumerate(QUERIES):
        script.step(f"s-retrieve-{i}", "retrieve", 1, "s-queries", query)
    for i in range(len(QUERIES)):
        script.make(f"s-retrieve-{i}", ranking(i))
        script.done(f"s-retrieve-{i}")


def rag_fusion(run: str = "") -> list[Event]:
    """A finished RAG-Fusion run."""
    script = Script()
    script.start("rag-fusion", run=run)
    searching(script, "queries")
    script.step("s-fuse", "fuse", 2, "s-retrieve-4")
    script.make("s-fuse", FUSION)
    script.make("s-fuse", CONTEXT)
    script.done("s-fuse")
    answering(script, 3, "s-fuse")
    return script.events


def forked() -> list[Event]:
    """A RAG-Fusion run that another one's queries were changed for, and that went on from there."""
    events = rag_fusion()
    done = next(event for event in events if event.type == "step_finished" and event.step == "s-queries")
    after = Queries(queries=(Query(text="Something else?", origin="user"),))
    fork = RunForked(parent="example-rag-fusion", place=0, artefact=after, step="s-queries", at=done.at)
    place = events.index(done) + 1
    return [*events[:place], fork, *events[place:]]


def multi_query(run: str = "") -> list[Event]:
    """A finished Multi-Query run."""
    script = Script()
    script.start("multi-query", run=run)
    searching(script, "reword")
    script.step("s-union", "union", 2, "s-retrieve-4")
    script.make("s-union", UNION)
    script.make("s-union", CONTEXT)
    script.done("s-union")
    answering(script, 3, "s-union")
    return script.events


def plain(run: str = "", found: Ranking | None = None) -> list[Event]:
    """A finished plain run of the built-in model: the answer is a sentence copied from a passage."""
    script = Script()
    script.start("plain", builtin=True, run=run)
    script.step("s-retrieve", "retrieve", 0)
    found = found or ranking(0)
    script.make("s-retrieve", found)
    evidence = Context(
        passages=tuple(
            ContextPassage(rank=hit.rank, score=hit.score, passage=hit.passage, given=True)
            for hit in found.hits
        )
    )
    script.make("s-retrieve", evidence)
    script.done("s-retrieve")
    script.step("s-answer", "answer", 1, "s-retrieve")
    quote = TEXTS[0][1].split(". ")[0] + "."
    copied = Answer(
        text=quote, sentences=(quote,),
        citations=(Citation(sentence=0, chunk=PASSAGES[0].chunk, quote=quote),),
        skill="answer", method="extractive",
        note="Copied, not written: the sentence of the passages nearest to the question (cosine 0.71).",
    )  # fmt: skip
    script.make("s-answer", copied)
    script.done("s-answer")
    script.add(RunFinished(), after=0.01)
    return script.events


def plain_reranked(run: str = "example-reranked") -> list[Event]:
    """The same, but the search's hits were put in another order."""
    return plain(run, reranked(0))


def failed(run: str = "") -> list[Event]:
    """A run whose model call was limited, tried again and then failed for good."""
    script = Script()
    script.start("rag-fusion", run=run)
    script.step("s-queries", "queries", 0)
    for attempt in (1, 2):
        call = f"c-{attempt}"
        script.add(
            ModelStarted(
                call=call, skill="search_queries", method="model", model="gpt-example",
                messages=(Message(role="user", content=QUESTION),),
            ),
            "s-queries",
        )  # fmt: skip
        script.add(ModelFailed(call=call, error="rate limit (429)", seconds=0.3), "s-queries", 0.3)
        if attempt == 1:
            script.add(Retried(call=call, attempt=2, wait=2.0, reason="rate limit"), "s-queries")
            script.at += 2.0
    error = "The endpoint keeps refusing: rate limit. Wait a minute, then ask again."
    script.add(StepFailed(error=error), "s-queries", 0.01)
    script.add(RunFailed(error=error), after=0.01)
    return script.events


def stopped(run: str = "") -> list[Event]:
    """A run that the user stopped while the answer was streaming."""
    events = rag_fusion(run)
    last = max(i for i, event in enumerate(events) if isinstance(event, Token))
    kept = events[: last - 4]
    script = Script(kept, kept[-1].at)
    script.add(RunStopped(reason="Stopped by you. What was done so far is kept."), after=0.1)
    return script.events


def paused(run: str = "") -> list[Event]:
    """A run that was gone through step by step, and waits before its answer."""
    events = rag_fusion(run)
    script, layer = Script(), -1
    for event in events:
        if isinstance(event, StepStarted) and event.layer > layer:
            following = [
                one.node for one in events if isinstance(one, StepStarted) and one.layer == event.layer
            ]
            layer = event.layer
            script.add(RunPaused(next=tuple(following)), after=0.01)
            if following == ["answer"]:
                break
            script.add(RunResumed(chat_model="gpt-example", builtin=False, stop_before=EACH_STEP), after=0.01)
        script.add(event, event.step, max(0.0, event.at - script.at))
    started, *others = script.events
    assert isinstance(started, RunStarted)
    return [started.model_copy(update={"stop_before": EACH_STEP}), *others]


def held_against(events: list[Event], made: Baseline = BASELINE) -> list[Event]:
    """A finished run as the engine ends it: what it is compared with comes right before its end."""
    *before, end = events
    step = next(event.step for event in reversed(before) if isinstance(event, StepFinished))
    return [
        *before,
        ArtefactMade(seq=end.seq, at=end.at, step=step, artefact=made),
        end.model_copy(update={"seq": end.seq + 1}),
    ]
