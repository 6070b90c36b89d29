"""Hand-made runs of several rounds."""

from __future__ import annotations

from core.trace.artefacts import (
    Context,
    ContextPassage,
    Grade,
    HypotheticalDocuments,
    Rewrite,
    StepBack,
    Thought,
)
from core.trace.events import (
    Event,
    RunFinished,
)
from core.trace.passages import Passage
from tests.examples.parts import (
    CONTEXT,
    QUERIES,
    QUESTION,
    answer,
    ranking,
)
from tests.examples.runs import answering
from tests.examples.script import Script

THOUGHTS = (
    "Full Moon High was directed by Larry Cohen.",
    "Larry Cohen was born in 1936.",
    "So the answer is: Full Moon High.",
)


def ircot(run: str = "") -> list[Event]:
    """A finished IRCoT run: two thoughts that search, and one that ends the chain."""
    script = Script()
    script.start("ircot", run=run)
    script.step("s-retrieve", "retrieve", 0)
    first = ranking(0).model_copy(update={"query": QUESTION})
    script.make("s-retrieve", first)
    script.done("s-retrieve")
    pool = [
        ContextPassage(
            rank=rank, score=hit.score, passage=hit.passage, given=True, source="the question"
        )
        for rank, hit in enumerate(first.used, 1)
    ]  # fmt: skip
    for index, text in enumerate(THOUGHTS):
        script.step(f"s-think-{index}", "think", 1 + 2 * index, "s-retrieve")
        written = f"{text} And more that is not used."
        script.call(f"s-think-{index}", f"c-think-{index}", "think", written)
        thought = Thought(
            index=index, text=text, written=written, skill="think", method="model"
        )  # fmt: skip
        ends = "The chain ends: the model gives its answer." if index == len(THOUGHTS) - 1 else ""
        script.make(f"s-think-{index}", thought.model_copy(update={"ends": ends}))
        script.done(f"s-think-{index}")
        if index < len(THOUGHTS) - 1:
            found = ranking(index + 1).model_copy(update={"query": text})
            new = [hit for hit in found.used if hit.passage not in {item.passage for item in pool}]
            pool += [
                ContextPassage(
                    rank=rank, score=hit.score, passage=hit.passage, given=True, source=thought.source
                )
                for rank, hit in enumerate(new, len(pool) + 1)
            ]
            script.step(f"s-more-{index}", "retrieve_more", 2 + 2 * index, f"s-think-{index}")
            script.make(f"s-more-{index}", found)
            script.make(f"s-more-{index}", Context(passages=tuple(pool)))
            script.done(f"s-more-{index}")
    answering(script, 6, "s-think-2")
    return script.events


def step_back(run: str = "") -> list[Event]:
    """A finished step-back run: two searches that share a passage."""
    script = Script()
    script.start("step-back", run=run)
    general = "What is known about the directors of both films?"
    script.step("s-step", "step_back", 0)
    script.step("s-retrieve", "retrieve", 0)
    script.make("s-retrieve", ranking(0))
    script.done("s-retrieve")
    script.call("s-step", "c-step", "step_back", general)
    made = StepBack(question=QUESTION, general=general, skill="step_back", method="model", note="A note.")
    script.make("s-step", made)
    script.done("s-step")
    script.step("s-general", "retrieve_general", 1, "s-step")
    script.make("s-general", ranking(1).model_copy(update={"query": general}))
    script.done("s-general")
    script.step("s-join", "join", 2, "s-general")
    script.make("s-join", CONTEXT)
    script.done("s-join")
    answering(script, 3, "s-join")
    return script.events


HYPOTHETICAL = HypotheticalDocuments(
    question=QUESTION,
    style="encyclopedia",
    texts=(
        "Full Moon High is a 1981 horror comedy film by Larry Cohen, who was born in Boston in 1941. "
        "Penguins live near the equator.",
    ),
    with_question=True,
    skill="passage",
    method="model",
)


def hyde(run: str = "") -> list[Event]:
    """A finished HyDE run: what the question finds, a passage, and what both find together."""
    script = Script()
    script.start("hyde", run=run)
    script.step("s-question", "question", 0)
    script.step("s-write", "write", 0)
    script.make("s-question", ranking(0))
    script.done("s-question")
    script.call("s-write", "c-write", "passage", HYPOTHETICAL.texts[0])
    script.make("s-write", HYPOTHETICAL)
    script.done("s-write")
    script.step("s-search", "search", 1, "s-write")
    found = ranking(1).model_copy(update={"query": "the mean of the question and the passage"})
    script.make("s-search", found)
    script.make("s-search", CONTEXT)
    script.done("s-search")
    answering(script, 2, "s-search")
    return script.events


def self_rag(run: str = "") -> list[Event]:
    """A Self-RAG run that searched again, wrote again, and ended at a cap."""
    script = Script()
    script.start("self-rag", run=run)
    laid = (("retrieve", ranking(0)), ("grade_chunks", None), ("evidence", CONTEXT))
    rewritten = Rewrite(before=QUESTION, after=QUERIES[1], cause="IsRel: none of the 3 passages is relevant.")
    for lap, verdict in ((0, "no"), (1, "yes")):
        for node, artefact in laid:
            step = f"s-{node}-{lap}"
            script.step(step, node, 4 * lap + len(script.events) % 3)
            for place, hit in enumerate(ranking(0).used if artefact is None else ()):
                script.call(step, f"c-{lap}-{place}", "grade_relevance", verdict, seconds=0.1)
                script.make(step, _grade("IsRel", verdict, lap + 1, hit.passage))
            if artefact is not None:
                script.make(step, artefact)
            script.done(step)
        if lap == 0:
            script.step("s-rewrite", "rewrite", 3)
            script.make("s-rewrite", rewritten)
            script.done("s-rewrite")
    for number, support in enumerate(("no", "partially")):
        script.step(f"s-generate-{number}", "generate", 7 + 2 * number)
        script.call(f"s-generate-{number}", f"c-draft-{number}", "answer", answer().text, stream=True)
        script.make(f"s-generate-{number}", answer().model_copy(update={"final": False}))
        script.done(f"s-generate-{number}")
        script.step(f"s-grade-{number}", "grade_answer", 8 + 2 * number)
        script.make(f"s-grade-{number}", _grade("IsSup", support, 2))
        script.make(f"s-grade-{number}", _grade("IsUse", "2", 2))
        script.done(f"s-grade-{number}")
    script.step("s-answer", "answer", 11)
    script.make("s-answer", answer().model_copy(update={"note": "Limit reached: at most 1 rewrite allowed."}))
    script.done("s-answer")
    script.add(RunFinished(), after=0.01)
    return script.events


def _grade(what: str, verdict: str, number: int, passage: Passage | None = None) -> Grade:
    passes = verdict in ("yes", "partially")
    values = {"what": what, "verdict": verdict, "passes": passes, "passage": passage, "round": number}
    return Grade.model_validate(values | {"reason": "So the grader says.", "skill": "grade_relevance"})
