"""Lessons with their explorables, and the recorded runs, as static pages.

Each page is a file of its own that needs nothing else: it opens from a disk or from any web space, asks for nothing
anywhere, and its content policy lets nothing run but its own script.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markupsafe import Markup
from mdit_py_plugins.dollarmath import dollarmath_plugin

from core.cards.texts import QUIET
from core.errors import InputError
from core.explorables import stored
from core.report.page import Back, page
from core.report.run import diagram, run_report
from core.report.tour import strategy_tour, tours
from core.runs.gallery import PIECES, GalleryPiece, read
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.strategies.families import Family, by_family
from core.strategies.lessons import INDEXING, STANDALONE, lesson, sections, stem
from core.strategies.tutorial import indexing

INDEX = "index.html"
SHOWN = "rag_fusion"
"""The explorable that visitors find first."""


@dataclass(frozen=True)
class Page:
    """A file of the site."""

    file: str
    """Its name; all lie in one folder, so that links hold wherever that is put."""
    title: str
    make: Callable[[], str]
    """Its HTML."""


@dataclass(frozen=True)
class Link:
    """Another page of the site."""

    file: str
    title: str
    about: str = ""
    """Its content, in a sentence."""
    strategy: str = ""
    """Key of the strategy that it is about, whose colour it has; empty: it is about none."""


def pages() -> Iterator[Page]:
    """Every page, the overview last: anyone who finds it finds all the others."""
    known, toured = strategies(), tours()
    families = by_family(known.values())
    order = [
        *(Link(f"{alone.key}.html", alone.title, alone.idea) for alone in STANDALONE),
        *(
            Link(f"{strategy.key}.html", strategy.title, strategy.idea, strategy.key)
            for members in families.values()
            for strategy in members
        ),
    ]
    runs = {piece.id: piece for piece in PIECES if len(piece.requests) == 1 and piece.file.exists()}
    for place, link in enumerate(order):
        key = link.file.removesuffix(".html")
        strategy = known.get(key)
        around = {
            "runs": [_run_link(piece) for piece in runs.values() if piece.requests[0].strategy == key],
            "tour": _tour_link(key, link.title) if key in toured else None,
            "before": order[place - 1] if place else None,
            "after": order[place + 1] if place + 1 < len(order) else None,
            "script": strategy.tutorial if strategy else indexing() if key == INDEXING else "",
        }
        make = partial(_lesson_page, key, link.title, link.about, strategy, **around)
        yield Page(link.file, link.title, make)
    for key in toured:
        make = partial(strategy_tour, key, back=Back(f"{key}.html", known[key].title))
        yield Page(_tour_link(key, known[key].title).file, f"{known[key].title}: tour of a run", make)
    for piece in runs.values():
        yield Page(_run_link(piece).file, piece.title, partial(_run_page, piece))
    grouped = [
        (family, [next(link for link in order if link.file == f"{member.key}.html") for member in members])
        for family, members in families.items()
    ]
    colours = {key: strategy.colour for key, strategy in known.items()}
    recorded = [_run_link(piece) for piece in runs.values()]
    yield Page(INDEX, "Lessons", partial(_overview, grouped, order[: len(STANDALONE)], recorded, colours))


def _lesson_page(key: str, title: str, idea: str, strategy: AnyStrategy | None, **around: Any) -> str:
    """The page of a lesson: `key` is its strategy's if it has one, `around` its script and what it leads to."""
    return page(
        "site_lesson.html",
        title,
        {"lesson": strategy.colour if strategy else QUIET},
        name=title,
        idea=idea,
        written=_written(key),
        explorable=stored(stem(key)),
        strategy=strategy,
        diagram=diagram(strategy) if strategy else None,
        exercise=_exercise(key),
        settings=strategy.params.model_fields if strategy else {},
        **around,
    )


def _written(key: str) -> dict[str, Any]:
    """The text of a lesson as HTML, by the places that it has on the page."""
    written = sections.lesson_text(key)
    return {
        "case": to_html(written.case),
        "explained": to_html(written.under_headings(sections.EXPLAINED)),
        "by_hand": to_html(written.under_headings((sections.BY_HAND,))),
        "reference": {title: to_html(part) for title in sections.REFERENCE if (part := written.part(title))},
        "when_not": to_html(written.under_headings((sections.WHEN_NOT,))),
        "try": to_html(written.under_headings((sections.TRY,))),
    }


def _exercise(key: str) -> dict[str, Any] | None:
    """The exercise of a lesson as the page shows it: each option with what is said to it."""
    task = lesson(key).exercise
    if task is None:
        return None
    options = [
        {"text": text, "right": option == task.right, "tempting": task.tempting.get(option, "")}
        for option, text in task.options.items()
    ]
    return {
        "question": to_html(task.question),
        "options": options,
        "right": task.options[task.right],
        "explanation": to_html(task.explanation),
        "working": task.working,
    }


def _overview(
    families: Sequence[tuple[Family, Sequence[Link]]],
    first: Sequence[Link],
    runs: Sequence[Link],
    colours: Mapping[str, str],
) -> str:
    """The page that leads to all lessons, those that belong to no strategy `first`, and to recorded runs."""
    return page(
        "site_index.html",
        "Lessons",
        colours,
        families=families,
        first=first,
        runs=runs,
        reading=to_html(sections.READING),
        explorable=stored(SHOWN),
    )


def to_html(text: str) -> Markup:
    """Headings, emphasis, lists, links, tables, code and formulas between dollar signs; HTML in it stays text."""
    return Markup(_parser().render(text))  # noqa: S704  # files of our own


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table").use(
        dollarmath_plugin, renderer=_formula, double_inline=True
    )  # fmt: skip


def _formula(latex: str, options: dict[str, Any]) -> str:
    """A formula; readers of a screen have the source of it as its text."""
    return convert(latex, display="block" if options.get("display_mode") else "inline")


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
        for place, site_page in enumerate(every, 1):
            data = site_page.make().encode()
            _replace(folder / site_page.file, data)
            sizes.append(len(data))
            wrote(site_page.title, place, len(every))
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            f"The site cannot be written to '{folder}': {reason}. Choose another folder."
        ) from None
    return sizes


def _replace(file: Path, data: bytes) -> None:
    """Write a file at once: anyone who opens it meanwhile has the old page or the new one, never half of it."""
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        Path(name).chmod(0o644)  # a web server reads it, too
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
