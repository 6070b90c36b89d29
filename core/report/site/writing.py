"""All pages of the site, and how they are written into a folder."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from core.errors import InputError
from core.report.page import Back
from core.report.run import run_report
from core.report.site.lessons import Around, Link, lesson_page, overview
from core.report.tour import strategy_tour, tours
from core.runs.gallery import PIECES, GalleryPiece, read
from core.strategies import by_family, strategies
from core.strategies.lessons import INDEXING, STANDALONE
from core.strategies.tutorial import indexing

INDEX = "index.html"


@dataclass(frozen=True)
class Page:
    """A file of the site."""

    file: str
    """Its name; all lie in one folder, so that links hold wherever that is put."""
    title: str
    make: Callable[[], str]
    """Its HTML."""


def pages() -> Iterator[Page]:
    """Every page, the overview last: whoever finds it finds all the others."""
    known, toured = strategies(), tours()
    families = by_family(known.values())
    order = [
        *(Link(f"{one.key}.html", one.title, one.idea) for one in STANDALONE),
        *(
            Link(f"{one.key}.html", one.title, one.idea, one.key)
            for members in families.values()
            for one in members
        ),
    ]
    runs = {piece.id: piece for piece in PIECES if len(piece.requests) == 1 and piece.file.exists()}
    for place, link in enumerate(order):
        key = link.file.removesuffix(".html")
        strategy = known.get(key)
        around = Around(
            runs=[_run_link(piece) for piece in runs.values() if piece.requests[0].strategy == key],
            tour=_tour_link(key, link.title) if key in toured else None,
            before=order[place - 1] if place else None,
            after=order[place + 1] if place + 1 < len(order) else None,
        )
        script = strategy.tutorial if strategy else indexing() if key == INDEXING else ""
        made = partial(lesson_page, key, link.title, strategy, around, script)
        yield Page(link.file, link.title, made)
    for key in toured:
        made = partial(strategy_tour, key, back=Back(f"{key}.html", known[key].title))
        yield Page(_tour_link(key, known[key].title).file, f"{known[key].title}: tour of a run", made)
    for piece in runs.values():
        yield Page(_run_link(piece).file, piece.title, partial(_run_page, piece))
    grouped = [
        (family, [next(link for link in order if link.file == f"{one.key}.html") for one in members])
        for family, members in families.items()
    ]
    colours = {one.key: one.colour for one in known.values()}
    recorded = [_run_link(piece) for piece in runs.values()]
    yield Page(INDEX, "Lessons", partial(overview, grouped, order[: len(STANDALONE)], recorded, colours))


def _tour_link(key: str, title: str) -> Link:
    about = "What plain retrieval would have done, why each step follows, what it cost: a recorded run in sentences."
    return Link(f"tour-{key}.html", f"Tour of a run of {title}", about, key)


def _run_page(piece: GalleryPiece) -> str:
    strategy = strategies()[piece.requests[0].strategy]
    return run_report(read(piece)[1][0], back=Back(f"{strategy.key}.html", strategy.title))


def _run_link(piece: GalleryPiece) -> Link:
    strategy = strategies()[piece.requests[0].strategy]
    title = f"{strategy.title}: {piece.title}"
    return Link(f"run-{piece.id}.html", title, piece.requests[0].question, strategy.key)


def write(folder: Path, wrote: Callable[[str, int, int], None]) -> list[int]:
    """Write the site; files of the same name are replaced, each at once, others are left alone.

    Args:
        folder: Made where it is missing.
        wrote: Called with a title, how many pages are done, and how many there are.

    Returns:
        Bytes of each page.

    Raises:
        InputError: The folder cannot be written.
    """
    every: Sequence[Page] = list(pages())
    sizes = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place, one in enumerate(every, 1):
            data = one.make().encode()
            _replace(folder / one.file, data)
            sizes.append(len(data))
            wrote(one.title, place, len(every))
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"The site cannot be written to '{folder}': {reason}. Choose another folder."
        ) from None
    return sizes


def _replace(file: Path, data: bytes) -> None:
    """Whoever opens it meanwhile has the old page or the new one, never half of it."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        Path(name).chmod(0o644)  # a web server reads it, too
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
