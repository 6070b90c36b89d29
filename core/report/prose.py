"""A model's answer as HTML: its formatting and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from core.cards.texts import visible
from core.skills.replies import split_at_marks


def prose(text: str, chunks: Mapping[int, str] | None = None, evidence: str = "") -> Markup:
    """The text with emphasis, lists, quotes, tables and code; links keep their words, images their description.

    Args:
        text: Markdown as the model wrote it, perhaps cut off in the middle.
        chunks: Number of a passage -> its id: `[2]` becomes a link to it, other numbers in brackets stay text.
        evidence: `id` of the drawing that holds the passages.
    """
    tokens = _PARSER.parse(visible(text))
    for token in _all(tokens):
        # Addresses and styles are attributes; the number that a list begins with is all that is kept.
        token.attrs = {name: value for name, value in token.attrs.items() if name == "start"}
    environment = {"chunks": chunks or {}, "evidence": evidence}
    # Every rule escapes the text that it renders, and the parser takes no HTML.
    return Markup(_PARSER.renderer.render(tokens, _PARSER.options, environment))  # noqa: S704


def _all(tokens: Sequence[Token]) -> list[Token]:
    return [inner for token in tokens for inner in (token, *_all(token.children or []))]


def _text(
    _renderer: RendererHTML, tokens: Sequence[Token], index: int, _options: Any, environment: Any
) -> str:
    """Text as it is, except for citation marks of known passages."""
    text, chunks = tokens[index].content, environment["chunks"]
    return "".join(
        escape(piece) + Markup("").join(_link(number, environment) for number in numbers)
        for piece, numbers in split_at_marks(text, chunks)
    )


def _link(number: int, environment: Any) -> str:
    chunk, evidence = environment["chunks"][number], environment["evidence"]
    return Markup(' <a class="cite" href="#{0}" data-evidence="{0}" data-chunk="{1}">{2}</a>').format(
        evidence, visible(chunk), number
    )


def _words(_renderer: RendererHTML, tokens: Sequence[Token], index: int, *_: Any) -> str:
    return escape(tokens[index].content)


def _code(_renderer: RendererHTML, tokens: Sequence[Token], index: int, *_: Any) -> str:
    return Markup("<pre>{}</pre>").format(tokens[index].content)


def _rule(html: str) -> Any:
    return lambda *_: html


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")
    rules = {
        "text": _text,
        "image": _words,
        "fence": _code,
        "code_block": _code,
        "link_open": _rule(""),
        "link_close": _rule(""),
        "heading_open": _rule("<p><strong>"),
        "heading_close": _rule("</strong></p>"),
        "table_open": _rule('<div class="wide"><table>'),
        "table_close": _rule("</table></div>"),
    }
    for name, rule in rules.items():
        parser.add_render_rule(name, rule)
    return parser


_PARSER = _parser()
