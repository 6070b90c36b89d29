"""Triples, what they are about, and where they come from."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from core.corpora.look_alikes import without_invisible
from core.errors import InputError
from core.trace.passages import Frozen

NAME_CHARS = 300
"""Longest name of an entity or a relation; the rest is cut off."""
QUOTE_CHARS = 2000
STATEMENT = "Statement"
"""Kind of the entities that are whole triples."""
PARTS = ("SUBJECT", "OBJECT")
"""Types of the edges that join a hypernode to its own ends."""
MAX_NESTING = 4
"""Statements about statements about ...: as deep as this."""
_BIDI = {chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}


def clean(text: str, longest: int = NAME_CHARS) -> str:
    """Return text in one line without control characters, composed, and cut to `longest` characters."""
    text = unicodedata.normalize("NFC", text)
    characters = (" " if char.isspace() else char for char in text if char.isspace() or not _is_control(char))
    return " ".join("".join(characters).split())[:longest].rstrip()


def entity_id(name: str) -> str:
    """Return the normalised name, by which mentions of one entity are recognised: without case, width, odd blanks, or
    what cannot be seen.

    Raises:
        InputError: Nothing is left of the name.
    """
    ident = clean(without_invisible(unicodedata.normalize("NFKC", name).casefold()))
    if not _visible(ident):
        raise InputError("An entity needs a name.")
    return ident


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cs", "Co", "Cn"} or char in _BIDI


def _visible(text: str) -> bool:
    return any(char.isprintable() and not char.isspace() for char in text)


def _name(text: str) -> str:
    text = clean(without_invisible(text))  # quotes keep it: they are looked for in their text
    if not _visible(text):
        raise ValueError("it is empty")
    return text


Name = Annotated[str, AfterValidator(_name)]
Quote = Annotated[str, AfterValidator(lambda text: clean(text, QUOTE_CHARS))]


class TripleSource(Frozen):
    """The place that states a triple; all empty: not known."""

    chunk: Annotated[str, AfterValidator(clean)] = ""
    document: Annotated[str, AfterValidator(clean)] = ""
    quote: Quote = ""
    """The words that state it."""


class Entity(Frozen):
    """Somebody or something."""

    type: Literal["entity"] = "entity"
    name: Name
    kind: Annotated[str, AfterValidator(clean)] = ""
    """Kind of entity, as "person"; empty: not known."""

    @property
    def id(self) -> str:
        """See `entity_id`."""
        return entity_id(self.name)

    @property
    def nesting(self) -> int:
        """0: it is no statement."""
        return 0


class Statement(Frozen):
    """A hypernode: a whole triple turned into a node, so that another triple can be about it."""

    type: Literal["statement"] = "statement"
    subject: Node
    relation: Name
    object: Node

    @property
    def name(self) -> str:
        """The triple as text; kept even where it is longer than other names may be."""
        return f"({self.subject.name})-[{self.relation}]->({self.object.name})"

    @property
    def id(self) -> str:
        """Made from the ids of its ends; a long one ends in a hash, so that two are never one."""
        # Lengths in front of the parts: a name may hold the very signs that separate them.
        parts = (self.subject.id, self.relation.casefold(), self.object.id)
        digest = hashlib.sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()[:16]
        return f"({parts[0]})-[{parts[1]}]->({parts[2]})"[:NAME_CHARS] + f" #{digest}"

    @property
    def nesting(self) -> int:
        """Number of statements that lie within each other here, itself included."""
        return 1 + max(self.subject.nesting, self.object.nesting)


Node = Annotated[Entity | Statement, Field(discriminator="type")]


class Triple(Frozen):
    """Subject, relation, object, and who says so."""

    subject: Node
    relation: Name
    object: Node
    source: TripleSource = TripleSource()

    @property
    def nodes(self) -> tuple[Entity | Statement, ...]:
        """Every node in it, inner ones first, so that each can be written when its ends are there."""
        return (*_within(self.subject), *_within(self.object))


def _within(node: Entity | Statement) -> tuple[Entity | Statement, ...]:
    if isinstance(node, Entity):
        return (node,)
    if node.nesting > MAX_NESTING:
        raise InputError(f"Statements may lie within each other at most {MAX_NESTING} deep.")
    return (*_within(node.subject), *_within(node.object), node)


Quoted = dict[str, dict[str, str]]
"""Name of each entity -> ids of the chunks that triples about it quote -> the words quoted."""


def quoted_entities(triples: Iterable[Triple]) -> Quoted:
    """Return the entities of triples that quote a chunk, by the first of their names; those within hypernodes, too."""
    names: dict[str, str] = {}
    quoted: Quoted = defaultdict(dict)
    for triple in triples:
        for node in triple.nodes if triple.source.chunk else ():
            if isinstance(node, Entity):
                words = quoted[names.setdefault(node.id, node.name)]
                words.setdefault(triple.source.chunk, triple.source.quote)
    return dict(quoted)


def unite_quoted(graphs: Iterable[Quoted]) -> Quoted:
    """Return the entities of several graphs as those of one, by the first of their names."""
    names: dict[str, str] = {}
    quoted: Quoted = defaultdict(dict)
    for graph in graphs:
        for name, words in graph.items():
            known = names.setdefault(entity_id(name), name)
            quoted[known] = words | quoted[known]
    return dict(quoted)
