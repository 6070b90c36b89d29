"""Shared by explorables: runs of the gallery, and passages as their drawings show them."""

from __future__ import annotations

import re
from collections.abc import Collection, Coroutine, Iterable
from dataclasses import asdict
from functools import cache
from typing import Any, TypeVar

from core.cards.models import model_described
from core.cards.passages import named_apart, names, passage_card, stars_of
from core.cards.texts import unformatted
from core.runs.gallery import PIECES, read
from core.runs.record import Record, record
from core.trace.passages import Passage

T = TypeVar("T")


def gallery_run(piece: str) -> Record:
    """A run of the gallery; of a comparison the first one."""
    _, runs = read(next(one for one in PIECES if one.id == piece))
    return record(runs[0])


def head(run: Record, how: str) -> dict[str, str]:
    """Return the texts above the handles.

    Args:
        run: Where the data is from.
        how: What can be moved, and what to look at, in a sentence or two.
    """
    started = run.started
    if started is None:
        raise ValueError("a run begins with run_started")
    model = model_described(started.chat_model, recording=started.recording)
    about = f"A recorded run on {started.corpus or started.graph}, with {model}."
    return {"question": started.question, "about": about, "how": how}


def answered(run: Record) -> str:
    """The answer as one line of sentences, without citation marks; a line without its full stop gets one."""
    lines = unformatted(run.answer.text if run.answer else "").splitlines()
    plain = [re.sub(r"(?:(?<!\s)\s+)?\[\d+\]", "", line).strip() for line in lines]
    return " ".join(line if line[-1] in ".!?…" else f"{line}." for line in plain if line)


def shown(
    passages: Iterable[Passage], run: Record | None, stars: Collection[str] | None = None
) -> list[dict[str, Any]]:
    """Passages as drawings take them: `card`, `name` and `detail`; with stars where the run's labels say so.

    Args:
        run: Where they are from; None: no run found them.
        stars: Ids of the passages that hold evidence, where others are shown than those that the run has found.
    """
    every = list(passages)
    if stars is None:
        stars = stars_of(run) if run else ()
    called, details = names(every), named_apart(every)
    made = []
    for place, passage in enumerate(every, 1):
        card = asdict(passage_card(passage, place, None, "", stars=frozenset(stars)))
        made.append({"card": card, "name": called[passage.chunk], "detail": details[passage.chunk]})
    return made


@cache
def numbered(place: int) -> Passage:
    """A passage of which only its number matters, which is its id."""
    return Passage(chunk=str(place), document="", title="", text="", position=0, start=0, end=0)


def done(work: Coroutine[Any, Any, T]) -> T:
    """Return the value of a node that waits for nothing, without a loop."""
    try:
        work.send(None)
    except StopIteration as end:
        made: T = end.value
        return made
    raise RuntimeError("it waits for something")
