"""What a run did, in one line; and the words of an answer without its formatting."""

from __future__ import annotations

from markdown_it import MarkdownIt

from core.cards.kinds import KINDS
from core.cards.reranking import reranked
from core.runs.record import Record
from core.trace.artefacts import Ranking

_PARSER = MarkdownIt("commonmark", {"html": False})


def gist(record: Record) -> str:
    """What a run has done so far, as the most telling of its artefacts says; raw text, empty before the first."""
    made = {artefact.kind for _, artefact in record.artefacts}
    told = [kind.gist for kind in KINDS.values() if kind.gist and kind.key in made]
    text = next((text for one in sorted(told, key=lambda one: one.order) if (text := one.says(record))), "")
    return f"{text}, hits reranked" if text and any(map(reranked, record.find(Ranking))) else text


def unformatted(text: str) -> str:
    """The words of Markdown, a line per paragraph; what is not formatting stays as it is written."""
    lines: list[str] = []
    bullet = ""
    for token in _PARSER.parse(text):
        if token.type == "list_item_open":
            bullet = "• "
        elif token.type == "inline":
            pieces = (
                " " if child.type in ("softbreak", "hardbreak") else child.content
                for child in token.children or ()
            )
            lines.append(bullet + "".join(pieces))
            bullet = ""
        elif token.type in ("fence", "code_block"):
            lines.append(token.content.rstrip())
    return "\n".join(lines)
