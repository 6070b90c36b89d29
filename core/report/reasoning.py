"""Cards of what is thought on the way: sub-questions, thoughts, hypothetical passages, grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from core.cards.aids import AIDS
from core.cards.chain import chain_view, sub_questions_view
from core.cards.grades import grade_view, grades_summary, rewrite_view
from core.cards.hyde import passages_view, rankings_of
from core.cards.step_back import step_back_view
from core.cards.thought import summary, thought_view
from core.report.parts import Aid, Beside, Card, Change, Drawing, Heading, Line, Lines, Note, Part
from core.report.scene import Scene, made, passages
from core.report.searching import dropped
from core.trace.artefacts import (
    Artefact,
    Grade,
    Passages,
    Ranking,
    Rewrite,
    StepBack,
    SubAnswer,
    SubQuestions,
    Thought,
)


def chain(items: Sequence[tuple[str, Artefact]], scene: Scene) -> Card:
    """Sub-questions, evidence and answers as one flow.

    Args:
        items: The label of the step and the artefact, in the order of the run.
        scene: The run.
    """
    view = chain_view(items, scene.record.answer)
    first = items[0][1]
    parts: list[Part] = []
    if isinstance(first, SubQuestions):
        parts += [*made(first), *dropped(sub_questions_view(first).dropped), Aid(AIDS["chain"])]
    parts.append(Drawing("chain", view.data() | {"colour": scene.colour}))
    answers = [artefact for _, artefact in items if isinstance(artefact, SubAnswer)]
    if answers:
        parts += made(answers[0], note=False)  # each link has its note with it
    kind = "sub_questions" if isinstance(first, SubQuestions) else "sub_answer"
    return Card(kind, parts, view.progress)


def sub_questions(artefact: SubQuestions, scene: Scene) -> Card:
    """The sub-questions in their order; those that tools answer as a list, since their answers stand elsewhere."""
    if not artefact.by_tools:
        return chain([("", artefact)], scene)
    count = len(artefact.questions)
    aid = (Aid(AIDS["references"]),) if any("#" in question for question in artefact.questions) else ()
    parts = (*aid, Lines([Line(question) for question in artefact.questions]), *made(artefact))
    return Card("sub_questions", parts, "1 question" if count == 1 else f"{count} questions")


def sub_answer(artefact: SubAnswer, scene: Scene) -> Card:
    """One sub-question with its evidence and its answer."""
    return chain([("", artefact)], scene)


def step_back(artefact: StepBack, scene: Scene) -> Card:
    """Both questions with their passages side by side."""
    running = scene.record.state == "running"
    view = step_back_view(artefact, scene.record.find(Ranking), running=running)
    aid = () if view.same else (Aid(AIDS["step_back"]),)
    drawing = Drawing("step_back", view.data() | {"colour": scene.colour})
    both = f"{len(view.shared)} found by both" if view.shared else ""
    return Card("step_back", (*aid, drawing, *made(artefact)), both)


def hypothetical(artefact: Passages, scene: Scene) -> Card:
    """Hypothetical passages, what they found, and what that changed."""
    found, beside = rankings_of(artefact, scene.record.find(Ranking))
    view = passages_view(artefact, found, beside)
    parts: list[Part] = []
    if view.texts:
        texts = [[asdict(sentence) for sentence in sentences] for sentences in view.written]
        written = Heading("Written by the model, perhaps false"), Drawing("support", {"texts": texts})
        real = passages(view.found) if view.found else Note("Not searched yet.")
        parts.append(Beside((written, (Heading("Found: real passages"), real))))
        parts.append(Note(f"Searched with {view.searched_with}."))
        if view.summary:
            parts += [Note(f"{view.summary} ({view.method}, not proof)", "rule"), Aid(AIDS["support"])]
    parts += made(artefact)
    if view.texts and view.moves:
        parts += [
            Heading("What it changed"),
            Note(view.moves.summary),
            Drawing("moves", view.moves.data() | {"colour": scene.colour}),
            Aid(AIDS["moves"]),
        ]
    count = len(artefact.texts)
    subtitle = f"{count or 'no'} {'passage' if count == 1 else 'passages'}, {artefact.style}"
    return Card("passages", parts, subtitle)


def thought(artefact: Thought, scene: Scene) -> Card:
    """All thoughts of the run, at the place of the first."""
    record = scene.record
    thoughts, pool = record.find(Thought) or [artefact], record.context
    searched = {ranking.query for ranking in record.find(Ranking)}
    views = [thought_view(item, pool, searched=item.text in searched) for item in thoughts]
    data = {"colour": scene.colour, "thoughts": [view.data() for view in views]}
    # What is said of a single thought stands beside it.
    parts = (Aid(AIDS["thought"]), Drawing("thought", data), *made(artefact, note=False))
    return Card("thought", parts, summary(thoughts, pool))


def grades(found: Sequence[Grade], scene: Scene) -> Card:
    """The grades of one layer, each with its reason."""
    drawing = Drawing("grades", {"grades": [grade_view(grade).data() for grade in found]})
    notes = dict.fromkeys(part for grade in found for part in made(grade))  # what several share is said once
    return Card("grade", (drawing, *notes), grades_summary(found))


def grade(artefact: Grade, scene: Scene) -> Card:
    """One grade with its reason."""
    return grades([artefact], scene)


def rewrite(artefact: Rewrite, scene: Scene) -> Card:
    """The question before and after, and why."""
    view = rewrite_view(artefact)
    parts = (Change(view.before, view.after), Note(f"Because of {view.cause}"), *made(artefact))
    return Card("rewrite", parts, f"number {artefact.round}")
