"""Text from documents, models and users, made fit for Streamlit's Markdown.

Streamlit renders Markdown nearly everywhere, labels and tooltips included, and an image in it makes the
browser fetch a foreign address: a model's output could carry data out. So labels show text literally, and
answers are parsed and written again from a short list of harmless constructs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from markdown_it import MarkdownIt
from markdown_it.token import Token

from core.cards.texts import visible
from core.skills.answer import split_at_marks
from core.wording import shortened

JOINER = "\u2060"
"""Word joiner: invisible and without width. Escaping alone is not enough, because links, emoji and arrows are
also looked for in text whose escapes are already resolved; a joiner inside the pattern keeps them apart."""

_PUNCTUATION = re.compile(r"([!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~])")
_PATTERNS = re.compile(r"(?<=:)(?=\S)|(?<=@)(?=\S)|(?<=www)(?=\.)|(?<=[<>~-])(?=[-=>])", re.IGNORECASE)
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")
_INLINE = {"strong": "**", "em": "*", "s": "~~"}


def literal(text: str, limit: int | None = None) -> str:
    """Text as one line that Markdown shows character for character.

    Args:
        text: Anything.
        limit: Longest result in characters of `text`; what is cut is replaced by an ellipsis.
    """
    line = " ".join(visible(text).split())
    if limit is not None:
        line = shortened(line, limit)
    return _PUNCTUATION.sub(r"\\\1", _PATTERNS.sub(JOINER, line))


def code(text: str) -> str:
    """Text as one line of inline code; nothing inside is interpreted."""
    line = " ".join(visible(text).split())
    if not line:
        return ""
    fence = _fence(line, 1)
    return f"{fence} {line} {fence}"


OPENS = "#open-"
"""Begins the address of a link of our own, which opens something on the page: see `core.ui.run.citations`."""


def opening(words: str, what: str) -> str:
    """Our own words as a link that opens something on the page."""
    return f"[{words}]({OPENS}{what})"


def answer_markdown(text: str, marks: Collection[int] = (), *, leads: bool = False) -> str:
    """A model's answer with its formatting and nothing else.

    Emphasis, lists, quotes, tables, headings (as bold lines) and code stay; links keep their words, images
    their description; HTML, formulas, directives and diagrams are shown as the characters they are made of.

    Args:
        text: Markdown as the model wrote it, perhaps cut off in the middle.
        marks: Numbers that are citations: `[2]` becomes a badge, other numbers in brackets stay text.
        leads: True if a mark is a link that opens its passage instead.
    """
    own = {number: f" {opening(str(number), str(number))}" if leads else badge(number) for number in marks}
    return "\n\n".join(_blocks(_PARSER.parse(visible(text)), own))


def _blocks(tokens: list[Token], marks: Mapping[int, str]) -> Iterator[str]:
    """Top-level blocks, written again."""
    index = 0
    while index < len(tokens):
        token, end = tokens[index], index
        if token.nesting == 1:
            depth = 1
            while depth:
                end += 1
                depth += tokens[end].nesting
        inner = tokens[index + 1 : end]
        match token.type:
            case "paragraph_open":
                yield _inline(inner[0], marks)
            case "heading_open":
                yield f"**{_inline(inner[0], marks)}**"
            case "bullet_list_open" | "ordered_list_open":
                yield _list(inner, token, marks)
            case "blockquote_open":
                yield _indented("> ", "> ", _blocks(inner, marks))
            case "table_open":
                yield _table(inner, marks)
            case "fence" | "code_block":
                # No language: a diagram language would be drawn instead of shown.
                yield _code_block(token.content)
            case "hr":
                yield "---"
            case _:
                yield literal(token.content)
        index = end + 1


def _list(tokens: list[Token], opening: Token, marks: Mapping[int, str]) -> str:
    number = int(opening.attrGet("start") or 1) if opening.type == "ordered_list_open" else None
    items: list[str] = []
    start, depth = 0, 0
    for index, token in enumerate(tokens):
        if token.type == "list_item_open" and depth == 0:
            start = index + 1
        depth += token.nesting
        if token.type == "list_item_close" and depth == 0:
            bullet = "- " if number is None else f"{number + len(items)}. "
            items.append(_indented(bullet, " " * len(bullet), _blocks(tokens[start:index], marks)))
    return "\n".join(items)


def _indented(first: str, rest: str, blocks: Iterator[str]) -> str:
    lines = "\n\n".join(blocks).split("\n")
    return "\n".join((first if i == 0 else rest) + line for i, line in enumerate(lines))


def _table(tokens: list[Token], marks: Mapping[int, str]) -> str:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_inline(token, marks).replace("\n", " "))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|" + " --- |" * len(rows[0]))
    return "\n".join(lines)


def _inline(token: Token, marks: Mapping[int, str]) -> str:
    parts: list[str] = []
    for child in token.children or []:
        name = child.type.removesuffix("_open").removesuffix("_close")
        if child.type == "text":
            parts.append(_cited(child.content, marks))
        elif child.type == "code_inline":
            parts.append(code(child.content))
        elif name in _INLINE:
            parts.append(_INLINE[name])
        elif child.type in ("softbreak", "hardbreak"):
            parts.append("\n" if child.type == "softbreak" else "\\\n")
        elif child.type == "image":
            parts.append(_spaced(child.content))
    return "".join(parts)


def _cited(text: str, marks: Mapping[int, str]) -> str:
    """Text shown literally, except for citation marks of known passages."""
    return "".join(
        _spaced(piece) + "".join(marks[number] for number in numbers)
        for piece, numbers in split_at_marks(text, marks)
    )


def badge(number: int) -> str:
    """The mark of a passage that is cited in a draft."""
    return f" :gray-badge[{number}]"  # it leads nowhere: blue is what can be clicked


def _spaced(text: str) -> str:
    """`literal`, with the blanks at both ends kept: the text continues a line."""
    inner = literal(text)
    before, after = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' if before else ''}{inner}{' ' if after and inner else ''}"


def _code_block(content: str) -> str:
    fence = _fence(content, 3)
    return f"{fence}text\n{content.rstrip()}\n{fence}"


def _fence(content: str, least: int) -> str:
    longest = max((len(run) for run in re.findall(r"`+", content)), default=0)
    return "`" * max(least, longest + 1)
