"""The text of a lesson, which is our own Markdown, as HTML; formulas as MathML, which browsers draw by themselves."""

from __future__ import annotations

from functools import cache
from typing import Any

from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markupsafe import Markup
from mdit_py_plugins.dollarmath import dollarmath_plugin


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
