"""Lessons with their explorables and tours, runs and comparisons, as static pages: all, or those chosen for a hand-out.

Each page is a file of its own that needs nothing else: it opens from a disk or from any web space, asks for nothing
anywhere, and its content policy lets nothing run but its own script.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

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
from core.strategies.families import Family, chapters, path
from core.strategies.lessons import INDEXING, lesson, sections, stem
from core.strategies.tutorial import indexing

INDEX = "index.html"
SHOWN = "rag_fusion"
"""The explorable that visitors find first."""
HOME = Back(INDEX, "Overview")
FOLDER = "rag-loupe"
"""The folder in an archive."""


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
    remark: str = ""
    """A few words beside its title."""


@dataclass(frozen=True)
class Report:
    """A run or a comparison as a page of the site."""

    link: Link
    make: Callable[[Back], str]
    """Its HTML, with the way back."""


def gallery_reports() -> list[Report]:
    """List the single runs of the gallery."""
    return [
        Report(run_link(piece.id, piece.title, asked.strategy, asked.question), partial(_gallery_page, piece))
        for piece in PIECES
        if len(piece.requests) == 1 and piece.file.exists()
        for asked in piece.requests
    ]


def _gallery_page(piece: GalleryPiece, back: Back) -> str:
    return run_report(read(piece)[1][0], back=back)


def run_link(run: str, title: str, strategy: str, question: str, remark: str = "") -> Link:
    """Return the link to a stored run, by its id, its title, the key of its strategy and its question."""
    known = strategies().get(strategy)
    named = f"{known.title if known else strategy}: {title}"
    about = question if question != title else ""
    return Link(f"run-{run}.html", named, about, strategy if known else "", remark)


def pages(lessons: Collection[str] | None = None, reports: Sequence[Report] | None = None) -> Iterator[Page]:
    """Yield the pages of a site, the overview last: anyone who finds it finds all the others.

    Args:
        lessons: Keys of the lessons that are in it, each with its explorable and its tour; None: all.
        reports: Runs and comparisons that are in it; None: those of the gallery.
    """
    known, whole = strategies(), lessons is None
    reports = gallery_reports() if reports is None else reports
    numbers = {one.key: number for number, one in enumerate(path(known.values()))}
    chosen = numbers if lessons is None else {key: numbers[key] for key in numbers if key in lessons}
    links = {
        one.key: Link(
            f"{one.key}.html",
            f"{numbers[one.key]} · {one.title}",
            one.idea,
            one.key if one.key in known else "",
            f"{sections.minutes(one.key)} min",
        )
        for one in path(known.values())
        if one.key in chosen
    }
    order, toured = list(links), [key for key in tours() if key in links]
    for place, (key, link) in enumerate(links.items()):
        strategy = known.get(key)
        around = {
            "runs": [report.link for report in reports if report.link.strategy == key],
            "tour": _tour_link(key, known[key].title) if key in toured else None,
            "before": links[order[place - 1]] if place else None,
            "after": links[order[place + 1]] if place + 1 < len(order) else None,
            "script": strategy.tutorial if strategy else indexing() if key == INDEXING else "",
        }
        yield Page(link.file, link.title, partial(_lesson_page, key, numbers[key], link, strategy, **around))
    for key in toured:
        make = partial(strategy_tour, key, back=Back(f"{key}.html", known[key].title))
        yield Page(_tour_link(key, known[key].title).file, f"{known[key].title}: tour of a run", make)
    for report in reports:
        about = links.get(report.link.strategy)
        back = Back(about.file, known[report.link.strategy].title) if about and whole else HOME
        yield Page(report.link.file, report.link.title, partial(report.make, back))
    grouped = [
        (chapter, [links[one.key] for one in members if one.key in links])
        for chapter, members in chapters(known.values()).items()
    ]
    colours = {key: strategy.colour for key, strategy in known.items()}
    shown = [(chapter, members) for chapter, members in grouped if members]
    yield Page(
        INDEX, "Overview", partial(_overview, shown, [report.link for report in reports], colours, whole)
    )


def _lesson_page(key: str, number: int, link: Link, strategy: AnyStrategy | None, **around: Any) -> str:
    """The page of a lesson: `key` is its strategy's if it has one, `around` its script and what it leads to."""
    name = link.title.removeprefix(f"{number} · ")
    return page(
        "site_lesson.html",
        name,
        {"lesson": strategy.colour if strategy else QUIET},
        number=number,
        name=name,
        idea=link.about,
        remark=link.remark,
        written=_written(key),
        explorable=stored(stem(key)),
        strategy=strategy,
        diagram=diagram(strategy) if strategy else None,
        exercise=_exercise(key),
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
    chapters: Sequence[tuple[Family, Sequence[Link]]],
    reports: Sequence[Link],
    colours: Mapping[str, str],
    whole: bool,
) -> str:
    """The page that leads to all lessons, runs and comparisons; that of chosen ones begins with what was chosen."""
    return page(
        "site_index.html",
        "Overview",
        colours,
        chapters=chapters,
        reports=reports,
        reading=to_html(sections.READING),
        explorable=stored(SHOWN) if whole else None,
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
    return Link(f"tour-{key}.html", f"Take the tour: a run of {title}", about, key)


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


def pack(every: Sequence[Page], made: Callable[[int], None]) -> bytes:
    """Return pages as a ZIP archive that holds one folder.

    Args:
        every: The pages.
        made: Called with the number of pages that are done; may raise, which ends the work.
    """
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for place, site_page in enumerate(every, 1):
            archive.writestr(f"{FOLDER}/{site_page.file}", site_page.make())
            made(place)
    return out.getvalue()


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
