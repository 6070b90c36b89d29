"""Asking a class from another page: its questions go to the class that is open, or to a new one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.classroom.questions import Question
from core.classroom.store import Classroom, ClassStore, class_store
from core.errors import InputError
from core.runs.workbench import Workbench
from core.ui.shell import address, session
from core.ui.shell.navigation import leave_for

ONLY_THE_TEACHER = "On this server only the teacher opens classes: sign in as the teacher in the sidebar."


def store(bench: Workbench) -> ClassStore:
    """Return the classes of this process."""
    return class_store(bench.settings.database)


def may_teach(bench: Workbench) -> bool:
    """Return True if this browser may open a class."""
    return session.user(bench).teacher


def open_class(bench: Workbench, name: str, questions: Sequence[Question]) -> Classroom:
    """Open a class.

    Raises:
        InputError: Its name is too long, there are too many questions, or only the teacher may.
        StoreError: The database cannot be written.
    """
    if not may_teach(bench):
        raise InputError(ONLY_THE_TEACHER)
    return store(bench).open(session.owner(), name, questions)


def current(bench: Workbench) -> Classroom | None:
    """Return the class of this browser that was opened last and is not over; None: there is none."""
    return next((one for one in store(bench).list([session.owner()], 1) if one.phase != "ended"), None)


def ask(bench: Workbench, name: str, questions: Sequence[Question]) -> tuple[Classroom, int]:
    """Add questions to the open class, or open one with this name; returns it, and the number of the first of them.

    Raises:
        InputError, StoreError: As of `open_class`.
    """
    classroom = current(bench)
    if classroom is None:
        return open_class(bench, name, questions), 0
    known = [question for question, _ in store(bench).questions(classroom.id)]
    if questions and questions[0] in known:  # asked for twice: it is shown again
        return classroom, known.index(questions[0])
    return classroom, store(bench).add(classroom.id, questions)


def go_to(classroom: Classroom) -> None:
    """Leave for the page of a class."""
    address.show(address.CLASS, classroom.id)
    st.session_state[f"view-{classroom.id}"] = "Projector"
    leave_for("pages/classroom.py")
