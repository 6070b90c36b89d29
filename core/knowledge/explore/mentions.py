"""Finds the entities that a text names word for word: the longest names first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.errors import InputError
from core.knowledge.explore.chain_scoring import STOP
from core.knowledge.records import NodeRecord
from core.knowledge.triples import entity_id

LONGEST = 24
"""Words and signs of the longest name that is looked for."""
_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+|[^\w\s]")
_EXTRA = re.compile(r"(?:(?<!\s)\s+)?(?:\([^()]*\)|, .*)$", re.DOTALL)
"""What is added to a name to tell it from others: “(1943 film)”, “, West Sussex”."""


@dataclass(frozen=True)
class Mention:
    """A name in a text."""

    node: NodeRecord
    text: str
    """The name as the text has it."""
    exact: bool
    """True if it is written as the entity's own name, with a capital letter or a number: hardly a mere word."""


_Called = tuple[str, NodeRecord]
"""A name, and the entity that has it."""


class Names:
    """The names of a graph's entities, ready to be found in texts."""

    def __init__(self, nodes: Iterable[NodeRecord], lost: Iterable[tuple[str, NodeRecord]] = ()) -> None:
        """Take the names of entities, and those that some of them had before they were merged, in their order."""
        self._nodes: dict[str, list[_Called]] = defaultdict(list)
        former: dict[str, list[_Called]] = defaultdict(list)
        short: dict[str, list[_Called]] = defaultdict(list)
        for node in nodes:
            self._nodes[_form(node.name)].append((node.name, node))
            if (bare := _EXTRA.sub("", node.name)) and bare != node.name:
                short[_form(bare)].append((bare, node))
        for name, node in lost:
            if node not in [other for _, other in former[_form(name)]]:
                former[_form(name)].append((name, node))
        for others in (former, short):  # they give way to who is called so
            for form, called in others.items():
                if form and form not in self._nodes:
                    self._nodes[form] = called

    def mentioned(self, text: str, words: Collection[str] = ()) -> list[Mention]:
        """Return the entities that a text names, no two at the same place; proper names first, then the longest.

        `words` do not count as names where they stand alone in lower case.
        """
        tokens = [match.span() for match in _TOKEN.finditer(text)]
        places: list[tuple[int, int, list[_Called]]] = []
        for first in range(len(tokens)):
            for last in range(first, min(len(tokens), first + LONGEST)):
                start, end = tokens[first][0], tokens[last][1]
                named = self._nodes.get(_form(text[start:end]))
                if named and not _mere_word(text[start:end], words):
                    places.append((start, end, named))
        taken: list[tuple[int, int]] = []
        mentions: list[Mention] = []
        for start, end, named in sorted(places, key=lambda item: (-_weight(text, item), item[0])):
            if all(end <= a or start >= b for a, b in taken):
                taken.append((start, end))
                written = text[start:end]
                mentions += [Mention(node, written, _proper(written)) for _, node in named]
        return mentions


def _form(text: str) -> str:
    try:
        return entity_id(text)
    except InputError:
        return ""


def _proper(written: str) -> bool:
    return any(char.isupper() or char.isdigit() for char in written)


def _weight(text: str, item: tuple[int, int, list[_Called]]) -> int:
    """Return the rank of a mention: longer is better, and a proper name comes before a mere word of any length."""
    start, end, named = item
    written = text[start:end]
    exact = _proper(written) and any(name.startswith(written) for name, _ in named)
    return end - start + (1000 if exact else 0)


def _mere_word(written: str, words: Collection[str]) -> bool:
    low = written.lower()
    return not _proper(written) and (low in STOP or low in words or not any(char.isalnum() for char in low))
