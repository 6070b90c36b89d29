"""All tasks."""

from __future__ import annotations

from research.skills import answering, chaining, deciding, extracting, following, judging, querying, walking
from research.skills.ground import Task

TASKS: tuple[Task, ...] = (
    *judging.TASKS,
    *answering.TASKS,
    *chaining.TASKS,
    *deciding.TASKS,
    *following.TASKS,
    *walking.TASKS,
    *extracting.TASKS,
    *querying.TASKS,
)
