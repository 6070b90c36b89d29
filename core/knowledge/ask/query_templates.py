"""Query templates: named, parameterised questions to a graph, read from a file beside it.

Every template is checked when it is read: it only reads, its parameters are its arguments, and values are bound by
the database, never pasted into the text.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from core.errors import InputError
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.knowledge.store.graph_catalogue import Graph
from core.knowledge.store.query_guard import Token, check_read_only, tokenise
from core.trace.passages import Frozen

Reads = Literal["", "year_from", "year_to", "least", "most", "count"]
_EVERY_GRAPH = Path(__file__).parents[3] / "data" / "graphs" / "templates.toml"
_CLAUSES = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL"})


class Argument(Frozen):
    """A value that a template needs."""

    name: str = Field(pattern=r"^[a-z_]+$")
    type: Literal["entity", "relation", "choice", "text", "integer"]
    description: str = Field(min_length=1)
    of: str = ""
    """Label of an entity; name of the table of values of a choice."""
    values: Mapping[str, tuple[str, ...]] = {}
    """Each value of a choice with the beginnings of words that mean it."""
    reads: Reads = ""
    """Kind of number that the method without a model looks for in a question, for an integer."""
    default: str | int | None = None
    """Taken where it is not given; None: it must be given."""


class Shot(Frozen):
    """A question with the query that answers it, written out by hand: for a model to learn from."""

    question: str = Field(min_length=1)
    cypher: str = Field(min_length=1)
    hypernodes: bool = False
    """True if it fits only graphs that have hypernodes."""


class Template(Frozen):
    """A question to a graph that only lacks its values."""

    name: str = Field(pattern=r"^[a-z_]+$")
    description: str = Field(min_length=1)
    cypher: str
    arguments: tuple[Argument, ...]
    examples: tuple[str, ...] = Field(min_length=1)
    """Questions that it answers."""
    shot: Shot | None = None
    """Example for a model that writes a query itself."""
    graphs: Literal["", "triples", "native"] = ""
    """Kind of graphs that it fits, where it comes with all; empty: the one whose file it is in."""


def templates_of(graph: Graph) -> tuple[Template, ...]:
    """Return the templates for a graph: those of its own file, then those for every graph of its kind."""
    own = next((demo.file.parent / "templates.toml" for demo in DEMO_GRAPHS if demo.name == graph.name), None)
    own_templates = read_templates(own) if own and own.exists() else ()
    kind = "native" if graph.native else "triples"
    shared = (template for template in read_templates(_EVERY_GRAPH) if template.graphs == kind)
    return (*own_templates, *shared)


@cache
def read_templates(file: Path) -> tuple[Template, ...]:
    """Return the templates in a file, checked.

    Raises:
        InputError: Something in it is wrong; says which template and why.
    """
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"“{file.name}” cannot be read as query templates: {error}.") from None
    choices, templates = data.get("choices", {}), []
    for raw in data.get("templates", []):
        name = str(raw.get("name", "without a name"))
        try:
            arguments = [
                arg | {"values": choices.get(arg.get("of", ""), {}) if arg.get("type") == "choice" else {}}
                for arg in raw.get("arguments", [])
            ]
            template = Template.model_validate({**raw, "arguments": arguments})
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise InputError(f"Query template “{name}”: {place}: {first['msg']}.") from None
        check_template(template)
        templates.append(template)
    return tuple(templates)


def check_template(template: Template) -> None:
    """Refuse a template that could do harm, or that does not do what it says.

    Raises:
        InputError: It might change something, its parameters are not its arguments, or a WHERE follows an OPTIONAL
            MATCH, where it would not leave out a single row.
    """
    try:
        check_read_only(template.cypher)
        if template.shot is not None:
            check_read_only(template.shot.cypher)
    except InputError as error:
        raise InputError(f"Query template “{template.name}”: {error}") from None
    tokens = tokenise(template.cypher)
    used = {after.text for sign, after in pairwise(tokens) if sign.text == "$"}
    named = {argument.name for argument in template.arguments}
    if used != named:
        odd = ", ".join(sorted(used ^ named))
        raise InputError(f"Query template “{template.name}”: parameters and arguments differ: {odd}.")
    if _filters_optional(tokens):
        raise InputError(
            f"Query template “{template.name}”: a WHERE after OPTIONAL MATCH leaves out no row. "
            "Put WITH between them."
        )
    for argument in template.arguments:
        if argument.type == "choice" and (
            not argument.values or (argument.default is not None and argument.default not in argument.values)
        ):
            raise InputError(f"Query template “{template.name}”: “{argument.name}” lacks its values.")


def bind(template: Template, raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a template, with defaults.

    Raises:
        InputError: One is missing, unknown or of another type; the sentence is fit for a model and a reader.
    """
    names = {argument.name for argument in template.arguments}
    if unknown := sorted(set(raw) - names):
        raise InputError(
            f"“{template.name}” has no argument “{unknown[0][:40]}”. It has: {', '.join(names)}."
        )
    return {
        argument.name: _value(template, argument, raw.get(argument.name)) for argument in template.arguments
    }


def _value(template: Template, argument: Argument, value: Any) -> str | int:
    if value is None:
        value = argument.default
    if value is None:
        raise InputError(f"“{template.name}” lacks its argument “{argument.name}”: {argument.description}")
    if argument.type == "integer":
        if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 1_000_000:
            raise InputError(f"“{argument.name}” of “{template.name}” must be a whole number.")
        return value
    text = value.strip() if isinstance(value, str) else ""
    if not text or len(text) > 500:
        raise InputError(f"“{argument.name}” of “{template.name}” must be a text of 1 to 500 characters.")
    if argument.type == "choice" and text not in argument.values:
        raise InputError(
            f"“{argument.name}” of “{template.name}” must be one of: {', '.join(argument.values)}."
        )
    return text


def _filters_optional(tokens: list[Token]) -> bool:
    optional = False
    for token in tokens:
        if token.word == "WHERE" and optional:
            return True
        if token.word in _CLAUSES:
            optional = token.word == "OPTIONAL" or (optional and token.word == "MATCH")
    return False
