"""The text of a PDF from the lines of its pages: paragraphs that go on from page to page, with nothing in between."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import TYPE_CHECKING

from core.corpora.documents import TextBuilder
from core.corpora.loaders.pdf_columns import columns
from core.corpora.loaders.pdf_lines import Line, merge_pieces
from core.corpora.loaders.pdf_paragraphs import Paragraph, continues, join, paragraphs
from core.corpora.loaders.pdf_running import PageLines, without_running
from core.corpora.loaders.pdf_words import Words, plain

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument


@dataclass(frozen=True)
class PageText:
    """The lines of one page: its own text, and the text that runs in another direction."""

    body: PageLines
    beside: list[list[Line]]
    """Lines that run another way: stamps at the edge, axes of charts."""


@dataclass
class _PageParts:
    """A page's paragraphs, and what stands apart from them: notes, and what runs another way."""

    body: list[Paragraph]
    apart: list[Paragraph]
    heads: list[Paragraph]
    """Heads and feet whose words stand nowhere else."""


def write_pages(
    builder: TextBuilder, pages: Sequence[PageText], title: str, titles: Mapping[int, Sequence[str]]
) -> None:
    """Write the text of all of a document's pages; `titles`: number of a page, from 0 -> the outline's titles on it.

    Notes at the foot of a page, which would part a paragraph that goes on, stand before that paragraph: so they are on
    their own page, and the paragraph is whole.
    """
    bodies, heads = without_running([page.body for page in pages], title)
    stretches = [columns(body) for body in bodies]
    for number, of_page in enumerate(stretches):
        mark_headings(of_page, titles.get(number, ()))
    lines = [line for of_page in stretches for stretch in of_page for line in stretch]
    size = _usual_size(lines)
    if not titles:
        for of_page in stretches:
            for stretch in of_page:
                mark_larger(stretch, size)
    beside = _beside(pages)
    words = Words(line.text for line in lines)
    writer = _Writer(builder, words)
    for paragraph in _in_order(
        _PageParts(
            body,
            [*notes, *next(beside)],
            [Paragraph([(number, Line(text, 0, 0, 0, 0))]) for text in heads.get(number, ())],
        )
        for number, of_page in enumerate(stretches)
        for body, notes in [paragraphs(of_page, number, size)]
    ):
        writer.write(paragraph)
    writer.finish(len(pages))


def _usual_size(lines: Iterable[Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _beside(pages: Sequence[PageText]) -> Iterator[list[Paragraph]]:
    """Yield, for each page, the lines that run another way, without those of pages before."""
    seen: set[str] = set()
    for number, page in enumerate(pages):
        lines = [line for frame in page.beside for line in merge_pieces(frame)]
        fresh = [line for line in lines if line.text not in seen]
        seen.update(line.text for line in fresh)
        joined = Paragraph([(number, line) for line in fresh], set(range(1, len(fresh))))
        yield [joined] if fresh else []


def _in_order(pages: Iterable[_PageParts]) -> Iterator[Paragraph]:
    last: Paragraph | None = None  # may go on, on the next page
    before: list[Paragraph] = []  # what stands apart on the page where it begins
    after: list[Paragraph] = []  # and on those that it fills
    for page in pages:
        body, apart = page.body, page.apart
        if last is not None and body and continues(last, body[0]):
            join(last, body.pop(0))
            apart = [*page.heads, *apart]
            if not body:
                after += apart
                continue
            yield from _around(last, before, after)
        else:
            yield from [*_around(last, before, after), *page.heads]
        yield from body[:-1]
        last = body[-1] if body else None
        before, after = apart, []
    yield from _around(last, before, after)


def _around(last: Paragraph | None, before: list[Paragraph], after: list[Paragraph]) -> list[Paragraph]:
    """Return a paragraph with what stands apart on its pages: below it, unless it goes on to another page."""
    if last is None:
        return [*before, *after]
    goes_on = last.lines[0][0] != last.lines[-1][0]
    return [*before, last, *after] if goes_on else [last, *before, *after]


class _Writer:
    def __init__(self, builder: TextBuilder, words: Words) -> None:
        self._builder = builder
        self._words = words
        self._pages = 0

    def write(self, paragraph: Paragraph) -> None:
        self.finish(paragraph.lines[0][0] + 1)
        text, pages = paragraph.text(self._words)
        if paragraph.heading:
            self._builder.heading(text)
        else:
            self._builder.block(text, [offset for number, offset in pages if number >= self._pages])
            self._pages = max([self._pages, *(number + 1 for number, _ in pages)])

    def finish(self, pages: int) -> None:
        """Begin pages until there are so many."""
        while self._pages < pages:
            self._builder.page()
            self._pages += 1


# Headings: the lines that the outline (bookmarks) names; where it has none, short lines in larger letters

_MOST = 5000
"""Entries of an outline that are looked at."""
_MOST_LINES = 4
"""Of a heading."""
_LARGER = 1.15
"""Size of a heading, at least, in that of the text."""
_LONGEST = 150
"""Characters of a heading in larger letters."""
_SENTENCE = re.compile(r"[.,;:。，；：]$")
_WORD = re.compile(r"[^\W\d_]{2}|[^\W\d_a-zA-Z]")
"""A mark of headings that a large first letter or a number lacks."""
_NUMBER = re.compile(
    r"(?i)^(?:(?:chapter|section|part|kapitel|teil|chapitre)\s+)?(?:\d+|[ivxlc]+|[a-z])(?:\.\d+)*[.:)]?\s+"
)


def read_outline(document: PdfDocument) -> dict[int, list[str]]:
    """Return the titles of what begins on each page, in order, by its number from 0."""
    titles: dict[int, list[str]] = defaultdict(list)
    for entry in islice(document.get_toc(), _MOST):
        destination = entry.get_dest()
        page = destination.get_index() if destination else None
        if page is not None and (title := plain(entry.get_title())):
            titles[page].append(title)
    return titles


def mark_headings(stretches: Sequence[Sequence[Line]], titles: Sequence[str]) -> None:
    """Note on a page's lines, which are in reading order, what is a heading.

    A heading may go over several lines, and have a number that the outline leaves out, or the other way round.
    """
    for title in titles:
        wanted = {_letters(title), _letters(_NUMBER.sub("", title))} - {""}
        for stretch in stretches:
            if lines := _heading_lines(stretch, wanted):
                for line in lines:
                    line.heading = title
                break


def mark_larger(stretch: Sequence[Line], size: float) -> None:
    """Note on lines that stand below each other what is a heading, by their letters: a few lines of one size, larger
    than the text (`size`), that are no sentence."""
    for larger, group in groupby(stretch, key=lambda line: line.size if line.size >= _LARGER * size else 0):
        lines = list(group)
        text = " ".join(line.text for line in lines)
        if (
            larger
            and len(lines) <= _MOST_LINES
            and len(text) <= _LONGEST
            and all(line.cells == 1 for line in lines)
            and _WORD.search(text)
            and not _SENTENCE.search(text)
        ):
            for line in lines:
                line.heading = text


def _heading_lines(stretch: Sequence[Line], wanted: set[str]) -> Sequence[Line]:
    for start, line in enumerate(stretch):
        if line.heading:
            continue
        for text in {line.text, _NUMBER.sub("", line.text)}:
            letters = _letters(text)
            for end in range(start + 1, start + 1 + _MOST_LINES):
                if letters in wanted:
                    return stretch[start:end]
                if (
                    end >= len(stretch)
                    or not letters
                    or not any(title.startswith(letters) for title in wanted)
                ):
                    break
                letters += _letters(stretch[end].text)
    return ()


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
