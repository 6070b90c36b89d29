"""Questions that documents suggest by headings and titles, to have something to begin with.

A rule makes them, no model. Nobody has checked that the documents answer them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, islice, zip_longest

from core.trace.passages import Passage

MOST = 3
LONGEST = 60
"""Characters of a heading or title that is still read as a name."""
_NUMBER = re.compile(
    r"^(?:(?:chapter|section|part)\s+)?(?:\d+|[ivx]+|[a-z])(?:\.\d+)*[.):]\s+|^\d+(?:\.\d+)*\s+", re.I
)
"""The number of a heading."""
_SITE = re.compile(r"(?<!\s)\s+(?:\|\s|[-–—]\s+Wikipedia).*$", re.DOTALL)
"""The name of the site, which web pages put behind their title."""
_OF_EVERY_TEXT = re.compile(
    "about|abstract|acknowledge?ments|agenda|any other business|apologies|appendix|attendance|attendees|author|authors|"
    "bibliography|chair|conclusions?|contact|contents|date|details|discussion|examples?|external links|footnotes|"
    "further reading|gallery|general|index|introduction|items?|minutes|miscellaneous|next "
    "meeting|notes?|other|overview|page|participants|preface|present|purpose|references|related "
    "pages|remarks|results|scope|see also|sources|summary|table of contents|title|untitled|welcome",
    re.IGNORECASE,
)
"""Headings that say nothing about what stands below."""


def suggested_questions(documents: Sequence[Sequence[Passage]]) -> list[str]:
    """Return up to `MOST` English questions, as raw text, about as many of the documents as possible, given as chunks.

    They are headings that are questions themselves, and questions about the headings with the most text below, or about
    the title where a document has no others.
    """
    titles = [_SITE.sub("", chunks[0].title).strip() if chunks else "" for chunks in documents]
    names = [title if _names(title) and not _is_file(title) else "" for title in titles]
    unnamed = "do the documents" if len(documents) > 1 else "does the document"
    sections = [
        _of_sections(chunks, title, f"does “{name}”" if name else unnamed)
        for chunks, title, name in zip(documents, titles, names, strict=True)
    ]
    # What is asked of a section is more easily answered than what is asked of a whole document.
    whole = [
        f"What {unnamed} say about “{name}”?"
        for name, some in zip(names, sections, strict=True)
        if name and not some
    ]
    questions = filter(None, [*chain(*zip_longest(*sections)), *whole])
    return list(islice(dict.fromkeys(questions), MOST))


def _of_sections(chunks: Sequence[Passage], title: str, source: str) -> list[str]:
    """Return questions about one document's sections; `source` names it, as in “does the document”."""
    below: Counter[str] = Counter()
    for chunk in chunks:
        below[_NUMBER.sub("", " ".join(chunk.heading.split()))] += chunk.end - chunk.start
    own = title.casefold()
    names = [name for name, _ in below.most_common() if _names(name) and name.casefold() != own]
    names.sort(key=lambda name: " " not in name)  # a single word rarely says what a section is about
    return [name if name.endswith("?") else f"What {source} say about “{name}”?" for name in names]


def _names(text: str) -> bool:
    """Return True if it reads as the name of something."""
    letters = sum(map(str.isalpha, text))
    return (
        3 <= len(text) <= LONGEST
        and letters > len(text) / 2
        and not _OF_EVERY_TEXT.fullmatch(text.rstrip(":"))
        and not set(text) & set('“”"<>{}[]')
        and not text.endswith((".", ":", ",", ";", "!"))
    )


def _is_file(title: str) -> bool:
    """Return True if a title is the name of a file, as that of a document without one of its own is."""
    return re.search(r"\.\w{1,5}$|_", title) is not None
