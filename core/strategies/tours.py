"""Tours: a recorded run of a strategy told in sentences, in the files of its lesson (.tour.toml)."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib import resources

from pydantic import Field, ValidationError

from core.errors import InputError
from core.strategies import lessons
from core.trace.artefacts import Artefact
from core.trace.passages import Frozen


class Stop(Frozen):
    """A sentence, and what of the run it is about."""

    card: str
    """What the report calls it: a section (`baseline`, `answer`, `totals`, ...) or a kind of artefact, the second of
    its kind as `ranking 2`."""
    part: tuple[str, ...] = ()
    """What of the card, as `list 2 > passage 1` (see `tour.js`); empty: all of it."""
    read: bool = False
    """Whether the words of the parts are shown, where a click shows them."""
    says: str
    """One sentence. `{calls}` and other facts are filled in from the run, see `core.report.tour`."""


class Tour(Frozen):
    """A run of the gallery and what is said about it."""

    piece: str
    """Id in the gallery; of a comparison, the run of the strategy is meant."""
    made: str
    """What the run made when the sentences were written, see `digest`."""
    stops: tuple[Stop, ...] = Field(min_length=1)


@cache
def tour(key: str) -> Tour | None:
    """The tour of a strategy; None: it has none.

    Raises:
        InputError: The file is not as it should be; the sentence names it.
    """
    file = resources.files(lessons) / f"{lessons.stem(key)}.tour.toml"
    if not file.is_file():
        return None
    try:
        return Tour.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, ValidationError) as error:
        raise InputError(f"The tour in '{file.name}' cannot be read: {error}") from None


def digest(artefacts: Sequence[Artefact]) -> str:
    """What a run made, in twelve digits: with others, what was said of it has to be read again."""
    told = json.dumps([one.model_dump(mode="json") for one in artefacts], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:12]
