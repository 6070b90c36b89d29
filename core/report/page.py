"""Puts a report together: templates, prose, drawings, styles, and a policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from core.cards.parts import Drawing, Prose
from core.cards.texts import visible
from core.drawings import drawing_style
from core.drawings.modules import bundle
from core.skills.answer import split_at_marks


def prose(text: str, chunks: Mapping[int, str] | None = None, evidence: str = "") -> Markup:
    """Render a model's Markdown, perhaps cut off in the middle, with emphasis, lists, quotes, tables and code; links
    keep their words, images their description. `chunks` maps the number of a passage to its id: `[2]` becomes a link
    to it in the drawing with the id `evidence`, other numbers in brackets stay text.
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
_ASSETS = Path(__file__).parent / "assets"
_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&"}
"""Nothing in the data may end the element it stands in, or begin a comment."""


class Back(NamedTuple):
    """The page of a site that another one leads back to."""

    file: str
    title: str


@dataclass
class AssetCollector:
    """Draws for the templates, and collects the drawings and icons that the report needs."""

    drawings: dict[str, None] = field(default_factory=dict)
    icons: dict[str, None] = field(default_factory=dict)

    def draw(self, part: Drawing) -> Markup:
        """A drawing's data, where it is to be drawn."""
        self.drawings[part.name] = None
        frame = '<script type="application/json" class="drawing" data-drawing="{}" data-id="{}">{}</script>'
        return Markup(frame).format(part.name, part.id, Markup(_json(part.data)))  # noqa: S704

    def prose(self, part: Prose) -> Markup:
        """A model's text with its formatting; citations lead to their passages."""
        return prose(part.text, part.chunks, part.evidence)

    def icon(self, name: str) -> Markup:
        """An icon, where there is an outline of it; the words beside it say the same."""
        if name not in _icons():
            return Markup()
        self.icons[name] = None
        return Markup('<svg class="icon" aria-hidden="true"><use href="#icon-{}"/></svg>').format(name)


def page(
    template: str,
    title: str,
    colours: Mapping[str, str],
    *,
    more: str = "",
    library: str = "",
    theme: str = "",
    **values: Any,
) -> str:
    """A whole report.

    Args:
        template: Name of the template of its body.
        title: Raw text.
        colours: Key of a run -> its colour, `#rrggbb`.
        more: Name of a style that follows the report's own, and of a script that imports the report's; empty: none do.
        library: Text of a script that comes before the report's own; empty: none does.
        theme: `light` or `dark` until the reader changes it; empty: the reader's own.
        values: What the template is filled in with; text is raw.
    """
    assets = AssetCollector()
    templates = _templates()
    body = templates.get_template(template).render(assets=assets, **values)
    own = "".join(f".of-{key} {{ --colour: {colour}; }}\n" for key, colour in colours.items())
    style = _style() + own + (_asset(f"{more}.css") if more else "")
    scripts = [library] if library else []
    scripts.append(_script(assets.drawings, f"{more or 'report'}.js"))
    outlines = _icons()
    return templates.get_template("page.html").render(
        title=title,
        theme=theme,
        policy=f"default-src 'none'; script-src {' '.join(map(_hash, scripts))}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'",
        style=Markup(style),  # noqa: S704  # files of our own
        scripts=list(map(Markup, scripts)),
        icons={name: outlines[name] for name in assets.icons},
        body=Markup(body),  # noqa: S704  # filled in by our own templates, which escape
    )


@cache
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )


def _shown(value: Any) -> Any:
    """Text without what cannot be seen; what is HTML already stays."""
    return visible(value) if type(value) is str else value


def _json(data: Mapping[str, object]) -> str:
    """Data that can stand in an element of an HTML page: plain ASCII without angle brackets."""
    return json.dumps(_visible(data), ensure_ascii=True, separators=(",", ":")).translate(_ESCAPES)


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {name: _visible(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_visible(item) for item in value]
    return value


def _style() -> str:
    """The report's rules in the reader's theme, or in the one chosen in the report; on paper it is light."""
    dark = _asset("dark.css")
    themes = (
        "@media screen and (prefers-color-scheme: dark) { :root:not([data-theme]) {\n" + dark + "} }\n"
        '@media screen { :root[data-theme="dark"] {\n' + dark + "} }\n"
    )
    return _asset("report.css") + themes


def _script(names: Collection[str], script: str) -> str:
    """The script of a report, with the drawings of these names."""
    imports = [f'import {name} from "../../drawings/{name}.js"' for name in names]
    drawings = [f"{name}: {{ draw: {name}, css: {json.dumps(drawing_style(name))} }}," for name in names]
    text = "\n".join([*imports, "export const drawings = {", *drawings, "}", ""])
    return '"use strict";\n(() => {\n' + bundle(_ASSETS / script, {_ASSETS / "drawings.js": text}) + "})()"


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


@cache
def _icons() -> dict[str, str]:
    """Name -> outline in a box of 24 by 24."""
    outlines: dict[str, str] = json.loads(_asset("icons.json"))
    return outlines
