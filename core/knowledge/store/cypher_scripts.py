"""Cypher scripts that make a graph: cut into statements, and trusted only as far as they do that."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import InputError
from core.knowledge.store.cypher_tokens import RefusedQuery, Token, tokenise
from core.knowledge.store.query_guard import CHANGING, which_are_names

MAX_SCRIPT_CHARS = 5_000_000
FIRST = frozenset({"CREATE", "MERGE", "MATCH", "OPTIONAL", "UNWIND", "WITH"})
"""What a statement may begin with."""
ALLOWED = frozenset({"CREATE", "MERGE", "SET"})
"""Words that change something and belong in a script."""
REFUSED = (CHANGING - ALLOWED) | {"CALL"}
NOT_CREATED = frozenset({"DATABASE", "USER", "ROLE"})
"""What must not stand behind CREATE; elsewhere these are names."""


def read_script(text: str) -> list[str]:
    """The statements of a script, each without its semicolon.

    Raises:
        RefusedQuery: A statement does more than create and join nodes; says in which line.
        InputError: There is no statement in it.
    """
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    tokens = tokenise(text, MAX_SCRIPT_CHARS)
    statements, first = [], 0
    for place in range(len(tokens) + 1):
        if place < len(tokens) and tokens[place].text != ";":
            continue
        if part := tokens[first:place]:
            _check(part, text)
            end = tokens[place].start if place < len(tokens) else len(text)
            statements.append(text[part[0].start : end].strip())
        first = place + 1
    if not statements:
        raise InputError("There is no statement in this script.")
    return statements


def _check(tokens: Sequence[Token], text: str) -> None:
    if tokens[0].word not in FIRST:
        _refuse(tokens[0], text)
    names = which_are_names(tokens)
    for place, token in enumerate(tokens):
        if not token.word or names[place]:
            continue
        created = token.word in NOT_CREATED and place > 0 and tokens[place - 1].word == "CREATE"
        if token.word in REFUSED or created:
            _refuse(token, text)
        if token.word == "CREATE":
            _check_create(tokens, place, text)


def _check_create(tokens: Sequence[Token], place: int, text: str) -> None:
    """Nodes and edges, a path with a name, a constraint or an index; no users, roles or databases."""
    following = [token.word or token.text for token in tokens[place + 1 : place + 3]]
    if not following or following[0] in ("(", "CONSTRAINT", "INDEX"):
        return
    if following[1:] == ["="] or following[0] in ("RANGE", "TEXT", "POINT"):
        return
    if place > 0 and tokens[place - 1].word == "ON" and following[0] == "SET":
        return
    _refuse(tokens[place + 1], text)


def _refuse(token: Token, text: str) -> None:
    line = text.count("\n", 0, token.start) + 1
    raise RefusedQuery(
        f"Line {line}: a script may only create nodes and edges (CREATE, MERGE, MATCH, UNWIND, WITH, SET), "
        f"and {token.text[:40]} is something else. Names that are words of Cypher go in backticks."
    )
