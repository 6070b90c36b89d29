"""A class with runs, a comparison and a data set of its members, on a workbench without services."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from core.classroom.questions import Option, Question
from core.classroom.store import Classroom, class_store
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.dataset_lines import DataDocument, LabelledQuestion
from core.evaluation.datasets import data_set
from core.runs.workbench import Workbench
from core.trace.events import Event, RunStarted
from core.users import User
from tests import examples

TEACHER, MIA, BEN = (letter * 32 for letter in "abc")
"""Owner ids of browsers."""
THE_TEACHER = User(TEACHER)


def question(text: str = "Which one finds it?", right: str = "A", **more: str) -> Question:
    options = (("A", "plain"), ("B", "RAG-Fusion"), ("C", "neither"))
    return Question(
        text=text,
        options=tuple(Option(key=key, text=words, right=key in right) for key, words in options),
        **more,
    )


def a_class(bench: Workbench, *questions: Question, name: str = "Class 1") -> Classroom:
    """A class of a teacher's, without members."""
    return class_store(bench.settings.database).open(TEACHER, name, questions)


def join(bench: Workbench, classroom: Classroom, member: str, nickname: str = "") -> None:
    class_store(bench.settings.database).join(classroom.id, member, nickname)


def end(bench: Workbench, classroom: Classroom) -> Classroom:
    """The class, which is over."""
    return class_store(bench.settings.database).show(classroom.id, -1, "ended")


def run(
    bench: Workbench,
    owner: str,
    example: str = "plain",
    question: str = "",
    minutes: float = 0.0,
    count: int | None = None,
) -> str:
    """Store a hand-made run that was begun now, or so many minutes later; returns its id."""
    events: list[Event] = examples.RUNS[example]()[:count]
    key = f"{owner[0]}-{example}-{len(bench.store.list(limit=10_000))}"
    started = events[0]
    assert isinstance(started, RunStarted)
    change = {"run": key, "created": datetime.now(UTC) + timedelta(minutes=minutes)}
    events[0] = started.model_copy(update=change | ({"question": question} if question else {}))
    bench.store.append(key, events, owner)
    return key


def comparison(bench: Workbench, owner: str, question: str = "Compared?") -> str:
    runs = [run(bench, owner, example, question) for example in ("plain", "rag-fusion")]
    return bench.comparisons.add(question, runs, owner).id


def data_set_of(bench: Workbench, owner: str, name: str = "Wrens") -> str:
    documents = (DataDocument("d1", "Wren", "The wren weighs nine grams."),)
    questions = (LabelledQuestion("q1", "How heavy is a wren?", "", ("nine grams",), {"d1": 1}),)
    return data_sets_of(bench).store.add(data_set(name, documents, questions), owner)
