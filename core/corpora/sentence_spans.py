"""The sentences of a text, in any language: its smallest chunks, and what is quoted of it.

A splitter finds them in a copy of the text of the same length. In that copy, blanks take the place of line ends that a
margin made, and commas that of full stops that end no sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import groupby

import sentencex

from core.corpora.rows import row_cells
from core.wording import words_beside

_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)
_ALPHABETS = (("ru", re.compile("[\u0400-\u04ff]")), ("el", re.compile("[\u0370-\u03ff\u1f00-\u1fff]")))
_LINES = 200
"""Characters of lines that go together: a few rows, and no more than a long sentence."""
_BLANK_LINE = re.compile(r"\n\s*\n")
_STOPS = ".!?…。！？｡﹒．‼‽⁇⁈⁉։؝؞؟۔܀-܂߹।॥၊။።፧፨᙮᠃᠉᥄᥅᭚᭛᭞᭟᰻᰼᱾᱿។៕།༎\u037e"
"""Marks that end a sentence in some script: Unicode's sentence terminals, as far as they are used in running text."""
_END = re.compile(rf"(?:[{_STOPS}]|(?<=[\u0370-\u03ff\u1f00-\u1fff]);)[)\]\"'”’»›」』]{{0,3}}\Z")
_UNKNOWN = str.maketrans("។៕།༎", "....")
"""Sentence ends that the splitter does not know, and what it takes for them."""
_DATE_END = re.compile(r"\b\d{4}\.\s?\d{1,2}\.\s?\d{1,2}\.\Z")

Span = tuple[int, int]
"""First character, and one past the last."""


def language(text: str) -> str:
    """Return the language whose sentence rules fit the script of a text: ja, ko, zh, else en."""
    return next((code for code, pattern in _SCRIPTS if pattern.search(text)), "en")


def segments(line: str) -> list[str]:
    """Return the sentences of a line; joined they are the line. Languages of the Latin script share one set of rules,
    since the language of a few words cannot be told for certain; see `without_abbreviations`."""
    masked = without_abbreviations(line).translate(_UNKNOWN)
    parts, at = list[str](), 0
    for part in sentencex.segment(_rules(line), masked):
        parts.append(line[at : at + len(part)])
        at += len(part)
    return parts


def _rules(line: str) -> str:
    """Return the language whose rules the splitter has for the script that most of a line is in."""
    if line.isascii():
        return "en"
    code = language(line)
    if code == "en":
        for own, letters in _ALPHABETS:
            if letters.search(line) and 2 * len(letters.findall(line)) > sum(map(str.isalpha, line)):
                return own
    return code


def sentence_spans(text: str, headings: Collection[int] = ()) -> Iterator[Span]:
    """Yield the sentences of a text in order, with nothing but white space between them.

    The end of a line ends a sentence, too, unless a margin made it. But lines that end none, such as the fields of a
    record, the rows of a table and the items of a list, go together, up to `_LINES` characters. A heading, which says
    nothing by itself, goes with the sentence below it, as does a line that stands alone like one, and a bare number;
    what has neither letter nor number, such as a ruler or a closing quotation mark, with the sentence before it.
    `headings` are the places where headings begin.
    """
    begun: int | None = None  # where headings begin that wait for their sentence
    last: Span | None = None  # what may go on
    ended = False  # whether that is a whole sentence
    for start, end in _pieces(without_false_borders(text), headings):
        piece, heading = text[start:end], start in headings or _stands_alone(text, start, end)
        mute = not any(map(str.isalnum, piece))
        goes_on = not heading and not ended and last is not None and _near(text, last, start, end)
        ended = ended if mute else _ends(text, start, end)
        if last is not None and (mute or goes_on):
            last = last[0], end
            continue
        if last is not None:
            yield last
        first = start if begun is None else begun
        if (heading or not any(map(str.isalpha, piece))) and end - first <= _LINES:
            last, begun = None, first
        else:
            last, begun = (first, end), None
    if last is not None:
        yield last
    if begun is not None:
        yield begun, len(text.rstrip())


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return True if a piece that ends no sentence is all there is between two empty lines."""
    if not _BLANK_LINE.match(text, end) or _ends(text, start, end):
        return False
    return start == 0 or bool(_BLANK_LINE.search(text, max(0, start - 8), start))


def _near(text: str, last: Span, start: int, end: int) -> bool:
    """Return True if a piece can go with the lines before it."""
    return end - last[0] <= _LINES and not _BLANK_LINE.search(text, last[1], start)


def _ends(text: str, start: int, end: int) -> bool:
    """Return True if a piece ends a sentence; one that ends with a date as Koreans write it (1998. 3. 5.) does not."""
    return bool(_END.search(text, start, end)) and not _DATE_END.search(text, start, end)


def _pieces(flat: str, headings: Collection[int]) -> Iterator[Span]:
    """Yield headings, and the pieces of each other line, without the white space around them."""
    offset = 0
    for line in flat.split("\n"):
        at = offset
        for part in [line] if offset in headings else segments(line):
            if bare := part.strip():
                start = at + part.index(bare)
                yield start, start + len(bare)
            at += len(part)
        offset += len(line) + 1


# Line ends that a margin made, and full stops within tables, quotations and dates

_NARROWEST = 20
"""Characters; lines that are all shorter are a list or a verse."""
_FULL = 0.7
"""Share of the longest line's length from which on a line counts as full, so that its end is the margin's."""
_SENTENCE = 300
"""Characters; prose ends a sentence at least that often."""

_SENTENCE_END = re.compile(r"[.!?…][)\]\"'”’]{0,3}(?=\s|$)|[。！？]")
_MARKER = re.compile(r"\s*(?:[#>|•‣◦・*+–—-]|\(?(?:\d{1,2}|[A-Za-z])[.)]\s|[①-⑳])")
"""Begins an item of a list, a heading or a row of a table."""
_IN_ROW = re.compile(r"[.!?…](?=[)\]\"'”’]{0,3}\s)|[。！？](?!$)")
"""Ends a sentence in a cell."""
_QUOTED = re.compile(r"[.!?。！？…](?=[」』”’\"')）]{1,3}[\u3041-\u309f\uac00-\ud7af])")
"""Ends a quotation inside a Japanese or Korean sentence: what follows it directly is a particle."""
_DATE = re.compile(
    r"(?<=\b\d{4})\.(?=\s?\d{1,2}\.)|(?<=\b\d{4}\.\s\d)\.(?=\s\d)|(?<=\b\d{4}\.\s\d\d)\.(?=\s\d)"
)
"""The inner full stops of a date such as `1998. 3. 5.`"""


def without_false_borders(text: str) -> str:
    """Return the text with blanks for line ends that a margin made, and commas for full stops that end no sentence.

    Splitters prefer the end of a line to the end of a sentence. In texts with a fixed margin, as most PDFs have,
    that would cut nearly every chunk in the middle of a sentence. A row of a table is a line, whatever stands in it.
    """
    if " |" not in text:
        return _without_margins(text)
    groups = groupby(text.split("\n"), key=lambda line: bool(row_cells(line)))
    return "\n".join(
        "\n".join(_IN_ROW.sub(",", line) for line in lines) if is_row else _without_margins("\n".join(lines))
        for is_row, lines in groups
    )


def _without_margins(text: str) -> str:
    return _DATE.sub(",", _QUOTED.sub(",", _unwrapped(text) if "\n" in text else text))


def _unwrapped(text: str) -> str:
    parts: list[str] = []
    for blank, group in groupby(text.split("\n"), key=lambda line: not line.strip()):
        lines = list(group)
        parts += lines if blank else _paragraph(lines)
    return "\n".join(parts)


def _paragraph(lines: list[str]) -> list[str]:
    """Return the lines between two empty ones, those that continue each other joined by a blank."""
    widest = max(map(len, lines))
    if len(lines) == 1 or widest < _NARROWEST:
        return lines
    if sum(len(_SENTENCE_END.findall(line)) for line in lines) * _SENTENCE < sum(map(len, lines)):
        return lines
    joined: list[list[str]] = []
    full = False
    for line in lines:
        if full and not _MARKER.match(line):
            joined[-1].append(line)
        else:
            joined.append([line])
        full = len(line) >= _FULL * widest
    return [" ".join(parts) for parts in joined]


# Full stops of abbreviations and ordinal numbers. Splitters know these of one language, and what language a few words
# are in cannot be told for certain. So this asks for no language: what is listed abbreviates something wherever it
# stands, or does where a number, a name or a word in lower case follows.

_CANDIDATE = re.compile(
    r"(?<![^\s(\[{“”„«»‘\"'/–—])"
    r"(?P<word>[^\s.]{1,20}(?:\.[^\s.]{1,20}){0,6})\.(?=[ \t\u00a0\u2009\u202f]+(?P<next>\S{1,20}))"
)
"""A word with a full stop behind it, and the next word."""
_LISTS = words_beside(__file__)
TITLES, NUMBERED, LOWER, NAMED, AFTER_DAY, UNITS = (
    frozenset(_LISTS[name].split()) for name in ("titles", "numbered", "lower", "named", "after_day", "units")
)
"""Abbreviations by what follows them; those of units are none behind a number."""
_ROMAN = re.compile(r"[IVXLC]+\b")
_COUNTED = frozenset(f"{_LISTS['months']} {_LISTS['counted']}".split())
"""German nouns before which a number is an ordinal."""
_BEFORE_ORDINAL = re.compile(
    r"(?:\b(?:im|der|den|dem|des|vom|zum|zur|beim|(?:ein|sein|ihr|unser|jed|dies)e[mnrs]?)|(?<!\bI )\b[Aa]m|\b[Dd]ie|"
    r"\b[Dd]as)\s\Z"
)
"""German words between which and its noun a number is an ordinal."""
_VOWEL = re.compile("[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýаеиоуыэюяёіїє]")


def without_abbreviations(line: str) -> str:
    """Return a line with commas for the full stops that end no sentence; its length stays."""
    if "." not in line:
        return line
    danda = "।" in line

    def mask(match: re.Match[str]) -> str:
        before = line[max(0, match.start() - 12) : match.start()]
        ends = _stop_ends(match["word"], match["next"], before, danda=danda)
        return match[0] if ends else f"{match['word']},"

    return _CANDIDATE.sub(mask, line)


def _stop_ends(word: str, following: str, before: str, *, danda: bool) -> bool:
    """Return True if the full stop after a word ends a sentence, judged by the word, by the next one and by what stands
    before; `danda`: sentences of the line end with another mark."""
    plain = word.casefold()
    last = re.split(r"[.-]", plain)[-1]
    first = following[0]
    behind_number = before[-2:-1].isdigit()
    if behind_number and (last in UNITS or (first.isdigit() and len(last) < 3)):
        return True  # “5 m. 3 ships”
    if last in AFTER_DAY and behind_number and first.isdigit():
        return False
    if plain in NAMED or (last in TITLES and first.isalpha()):
        return False
    if last in NUMBERED and _starts_number(following):
        return False
    if len(plain) == 1 and plain.isalpha():
        return _initial_ends(word, following, before)
    if danda and not plain.isascii() and len(plain) <= 3:
        return False
    if word.isdigit() or _ROMAN.fullmatch(word):
        return _number_ends(word, following, before)
    if first.islower():
        # Without a vowel it is no word: “Str. von”, “vgl. dazu”. With full stops in it, it is none either.
        consonants = plain.isalpha() and len(plain) <= 5 and not _VOWEL.search(plain)
        return not (last in LOWER or consonants or "." in plain)
    return True


def _starts_number(text: str) -> bool:
    return text[0].isdigit() or (text[0] in "(№#§" and text[1:2].isdigit()) or bool(_ROMAN.match(text))


def _number_ends(word: str, following: str, before: str) -> bool:
    """Return True if the full stop after a number ends a sentence; otherwise it makes an ordinal of it."""
    if following[0].islower():
        return len(word) > 4
    noun = re.match(r"\w+", following)
    counted = bool(noun and noun[0].casefold() in _COUNTED)
    ordinal = following[0].isupper() and (counted or _BEFORE_ORDINAL.search(before))
    return len(word) > (2 if word.isdigit() else 5) or not ordinal


def _initial_ends(letter: str, following: str, before: str) -> bool:
    """Return True if the full stop after a single letter, as in an initial or “Plan B.”, ends a sentence."""
    if following[0].isdigit():
        return letter.isupper() and letter != "S"
    if following[0].islower() or "\u0600" <= letter <= "\u06ff":  # “د. أحمد”
        return False
    return not letter.islower() or letter.isascii() or before[-2:-1].isdigit()


_CLAUSE = re.compile(r"(\A\s*|(?<=[.!?;:]\s))\(([^\W_]{1,4})\)(?=\s)")
"""The number of a clause, such as “(2)”: splitters take what begins with it for one parenthesis to its end."""
_LINE_END = re.compile(r"(?<![^\S\n])[^\S\n]*\n\s*")
_BROKEN = 20
"""Characters of a line that may be a broken one; those of lists and verses are mostly shorter."""
_ENDED = re.compile(r"[.!?…。！？:;|][)\]\"'”’]{0,3}\Z")
_ITEM = re.compile(r"[^:\n|]{1,40}[:|]|\w{1,2}[.)]\s")
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_FOREIGN = 0.3
"""Share of letters outside the Latin script from which a text counts as not English."""


def not_latin(text: str) -> bool:
    """Return True if a text is written in another script than the Latin one: certainly not in English."""
    letters = [char for char in text if char.isalpha()]
    others = sum(not unicodedata.name(char, "").startswith("LATIN") for char in letters)
    return others > _FOREIGN * len(letters)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, trimmed, none empty; a line's end within one is a blank, and a row of a
    table with names of columns is one."""
    return [_LINE_END.sub(" ", text[start:end]) for start, end in _spans(text)]


def sentence_at(text: str, start: int) -> str:
    """Return the sentence of a text that holds the character at `start`; the whole line where none does."""
    for begin, end in _spans(text):
        if begin <= start < end:
            return _LINE_END.sub(" ", text[begin:end])
    return text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0].strip()


def _spans(text: str) -> Iterator[Span]:
    """Yield the span of each sentence, which ends with its line at the latest, unless it goes on in the next."""
    at, last = 0, (0, 0)
    for line in without_false_borders(text).splitlines(keepends=True):
        for part in [line] if row_cells(line) else segments(_CLAUSE.sub(r"\1N\2N", line)):
            if bare := part.strip():
                start = at + part.index(bare)
                if not _goes_on(text, last, start):
                    if last[1]:
                        yield last
                    last = start, start
                last = last[0], start + len(bare)
            at += len(part)
    if last[1]:
        yield last


def _goes_on(text: str, last: Span, start: int) -> bool:
    """Return True if a sentence goes on in the next line, although no margin broke it: in lower case, and not as a
    field of a record or another item of a list does."""
    return (
        last[1] - text.rfind("\n", 0, last[1]) > _BROKEN
        and text[start].islower()
        and text[last[1] : start].count("\n") == 1
        and not _ENDED.search(text, last[0], last[1])
        and not _ITEM.match(text, start)
    )


def copied_sentences(text: str, *names: str) -> list[str]:
    """Return the sentences of a text that can be copied as an answer or a thought. A heading states nothing: a line
    that is one in Markdown, or that only repeats one of the names of a passage (its title, the heading above it)."""
    bare = {" ".join(name.casefold().split()) for name in names}
    return sentences(
        "\n".join(
            line
            for line in text.splitlines()
            if not (_HEADING.match(line) or (line.strip() and " ".join(line.casefold().split()) in bare))
        )
    )
