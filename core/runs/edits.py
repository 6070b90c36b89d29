"""What a user makes of an artefact: checked, marked as theirs, and fit for the steps that read it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from pydantic import TypeAdapter

from core.errors import InputError
from core.skills.plan_exploration import MOST_STEPS
from core.skills.think import MOST_THOUGHTS, concludes
from core.strict_json import read_json
from core.trace.artefacts import (
    AnyArtefact,
    Artefact,
    Context,
    Grade,
    HypotheticalDocuments,
    Plan,
    PlanStep,
    Queries,
    Query,
    Refinement,
    Rewrite,
    Route,
    StepBack,
    SubAnswer,
    SubQuestions,
    Thought,
    WayName,
)

A = TypeVar("A", bound=Artefact)

YOURS = "Changed by you."
MAX_CHARS = 4000
MAX_LINES = 12
VERDICTS: dict[str, dict[str, bool]] = {
    "IsRel": {"yes": True, "no": False},
    "IsSup": {"fully": True, "partially": True, "no": False},
    "IsUse": {"5": True, "4": True, "3": False, "2": False, "1": False},
    "Holds": {"yes": True, "partly": True, "no": False},
    "Search": {"correct": True, "ambiguous": True, "incorrect": False},
}
"""Verdicts of each grade, and whether they pass; as the strategies take them by default."""


_ARTEFACT: TypeAdapter[AnyArtefact] = TypeAdapter(AnyArtefact)


def read_artefact(text: bytes) -> AnyArtefact:
    """An artefact from JSON as `runs show --json` prints it; the step it came from may be in it.

    Raises:
        InputError: It is none.
    """
    try:
        fields = read_json(text)
        for name in ("step", "node"):
            fields.pop(name, None)
        return _ARTEFACT.validate_python(fields)
    except (ValueError, AttributeError, TypeError):
        raise InputError(
            "The file does not hold an artefact. Take one from `runs show RUN --json`, and change its text."
        ) from None


def lines_of(text: str) -> list[str]:
    """The lines of a text field, without blanks and copies.

    Raises:
        InputError: There is none, or there are too many or too long ones.
    """
    lines = list(dict.fromkeys(" ".join(line.split()) for line in text.splitlines() if line.strip()))
    if not lines:
        raise InputError("At least one line is needed. Write one, or leave the artefact as it is.")
    if len(lines) > MAX_LINES:
        raise InputError(f"There are {len(lines)} lines; at most {MAX_LINES} are possible.")
    return [_text(line) for line in lines]


def _text(text: str) -> str:
    text = text.strip()
    if not text:
        raise InputError("The text is empty. Write something, or leave the artefact as it is.")
    if len(text) > MAX_CHARS:
        raise InputError(f"The text has {len(text):,} characters; at most {MAX_CHARS:,} are possible.")
    return text


def _marked(artefact: A, **values: object) -> A:
    return artefact.model_copy(update={**values, "note": YOURS})


def with_queries(artefact: Queries, text: str) -> Queries:
    """Other queries, one a line, in this order; those that were there keep their origin."""
    known = {query.text: query for query in artefact.queries}
    queries = (known.get(line) or Query(text=line, origin="user") for line in lines_of(text))
    return _marked(artefact, queries=tuple(queries))


def with_sub_questions(artefact: SubQuestions, text: str) -> SubQuestions:
    """Other sub-questions, one a line, in this order."""
    return _marked(artefact, questions=tuple(lines_of(text)))


def with_answer(artefact: SubAnswer, text: str) -> SubAnswer:
    """Another answer; what belonged to the old one is gone: citations, doubt, and what was filled into marks."""
    return _marked(
        artefact, text=_text(text), citations=(), short="", suggested=False, incomplete=False, abstained=False
    )


def with_thought(artefact: Thought, text: str) -> Thought:
    """Another thought; one that no longer gives the answer is searched with, and the chain goes on."""
    text = _text(text)
    ends = "The chain ends: this sentence gives the answer." if concludes(text) else ""
    if artefact.ends.endswith(MOST_THOUGHTS) or artefact.answer:
        ends = artefact.ends
    return _marked(artefact, text=text, written=text, ends=ends)


def with_searches(artefact: Thought, text: str, queries: str, answer: str) -> Thought:
    """Another thought of a reasoning that searches: searches, one a line, or else an answer, which ends the chain.

    Raises:
        InputError: It has neither or both.
    """
    asked = lines_of(queries) if queries.strip() else []
    if bool(asked) == bool(answer.strip()):
        raise InputError("A thought searches or answers: write searches, or an answer and no search.")
    ends = "" if asked else "The chain ends: this thought gives the answer."
    text = _text(text)
    said = _text(answer) if not asked else ""
    return _marked(artefact, text=text, written=text, queries=tuple(asked), answer=said, ends=ends)


def with_general(artefact: StepBack, text: str) -> StepBack:
    """Another step back."""
    return _marked(artefact, general=_text(text))


def with_passages(artefact: HypotheticalDocuments, texts: Sequence[str]) -> HypotheticalDocuments:
    """Other hypothetical passages."""
    return _marked(artefact, texts=tuple(map(_text, texts)))


def with_steps(artefact: Plan, text: str) -> Plan:
    """Another plan: a step a line, each `nodes: …` or `relationships: …`; the same step may be there twice.

    Raises:
        InputError: A line is no step, or there are none or too many.
    """
    steps = []
    for line in filter(None, (" ".join(line.split()) for line in text.splitlines())):
        explore, _, what = line.partition(":")
        if explore.strip().lower() not in ("nodes", "relationships") or not what.strip():
            raise InputError(f"“{line[:60]}” is no step. Write “nodes: …” or “relationships: …”.")
        steps.append(PlanStep.model_validate({"explore": explore.strip().lower(), "text": _text(what)}))
    if not 1 <= len(steps) <= MOST_STEPS:
        raise InputError(f"There are {len(steps)} steps; 1 to {MOST_STEPS} are possible.")
    return _marked(artefact, steps=tuple(steps))


def with_way(artefact: Route, way: WayName) -> Route:
    """Another way; why the router chose as it did is no reason for it."""
    return _marked(artefact, way=way, reason="")


def with_rewrite(artefact: Rewrite, text: str) -> Rewrite:
    """Another wording of the question."""
    return _marked(artefact, after=_text(text))


def with_verdict(artefact: Grade, verdict: str) -> Grade:
    """Another verdict.

    Raises:
        InputError: The grade has no such verdict.
    """
    known = VERDICTS[artefact.what]
    if verdict not in known:
        raise InputError(f"{artefact.what} has no verdict '{verdict}'. Choose one of: {', '.join(known)}.")
    values = {
        "verdict": verdict,
        "passes": known[verdict],
        "score": None,
        "thresholds": None,
        "reason": YOURS,
    }
    return _marked(artefact, **values)


def with_strips(artefact: Refinement, kept: Collection[tuple[str, int]]) -> Refinement:
    """Other strips are kept: by the chunk of their passage, and their place in it from 0."""
    passages = tuple(
        one.model_copy(
            update={
                "strips": tuple(
                    strip.model_copy(update={"kept": (one.passage.chunk, place) in kept})
                    for place, strip in enumerate(one.strips)
                )
            }
        )
        for one in artefact.passages
    )
    return _marked(artefact, passages=passages)


def with_given(artefact: Context, chunks: Sequence[str]) -> Context:
    """These passages are given to the answer, in this order; the others follow and are not."""
    by_chunk = {item.passage.chunk: item for item in artefact.passages}
    order = [chunk for chunk in dict.fromkeys(chunks) if chunk in by_chunk]
    if not order:
        raise InputError("At least one passage is needed for an answer. Choose one.")
    rest = [chunk for chunk in by_chunk if chunk not in order]
    passages = tuple(
        by_chunk[chunk].model_copy(update={"rank": rank, "given": rank <= len(order)})
        for rank, chunk in enumerate([*order, *rest], 1)
    )
    return _marked(artefact, passages=passages)
