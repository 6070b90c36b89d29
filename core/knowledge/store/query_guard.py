"""The guard in front of every query and every script that a user or a model wrote: a query may only read, a script may
only make a graph.

Needed because ArcadeDB, over Bolt, runs writes also where only reading was agreed. What is not known to read is
refused. On a server of one's own, a user that may only read is a second lock.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from core.errors import InputError

MAX_CHARS = 20_000


class RefusedQuery(InputError):
    """A query that is not run, and why."""


@dataclass(frozen=True)
class Token:
    """A piece of a query."""

    kind: Literal["word", "quoted", "string", "number", "sign"]
    text: str
    """The token as it is written; strings without what they hold."""
    start: int

    @property
    def word(self) -> str:
        """A bare word in capitals, as every engine might read it; else empty."""
        # An engine may fold case in its own way: a long s (ſ) in capitals is an S.
        folded = unicodedata.normalize("NFKC", self.text).upper().casefold().upper()
        return folded if self.kind == "word" else ""


_BLANK = re.compile(r"[ \t\n]+")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.S)
_QUOTED = re.compile(r"`(?:[^`]|``)*`", re.S)
_NUMBER = re.compile(r"0[xob][0-9a-z_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?", re.I)
_WORD = re.compile(r"[^\W\d]\w*")
_ESCAPE = re.compile(r"\\([uU])(\w{0,8})")
"""The last of a row of backslashes: it is looked for alone, in linear time."""


def tokenise(text: str, longest: int = MAX_CHARS) -> list[Token]:
    """Return the tokens of a query, without blanks and comments.

    Raises:
        RefusedQuery: It is too long, something in it is not closed, or engines may read it differently.
    """
    if len(text) > longest:
        raise RefusedQuery(f"The query is longer than {longest} characters.")
    text = text.replace("\r\n", "\n")
    tokens, at = [], 0
    while at < len(text):
        if match := _BLANK.match(text, at):
            at = match.end()
        elif match := _COMMENT.match(text, at):
            _plain(match[0], "a comment")
            at = match.end()
        elif match := _STRING.match(text, at):
            _escapes(match[0])
            tokens.append(Token("string", "''", at))
            at = match.end()
        elif match := _QUOTED.match(text, at):
            _plain(match[0], "a name in backticks")
            tokens.append(Token("quoted", match[0], at))
            at = match.end()
        elif match := _NUMBER.match(text, at) or _WORD.match(text, at):
            tokens.append(Token("number" if match[0][0].isdigit() else "word", match[0], at))
            at = match.end()
        else:
            sign = text[at : at + 2] if text.startswith(("..", "/*"), at) else text[at]
            _sign(sign)
            tokens.append(Token("sign", sign, at))
            at += len(sign)
    return tokens


def _sign(sign: str) -> None:
    if sign in ("'", '"', "`", "/*"):
        raise RefusedQuery("A string, a comment or a name in the query is not closed.")
    if sign == "\\":
        raise RefusedQuery("Backslashes may stand only within strings.")
    if not sign.isascii() or not sign.isprintable():
        raise RefusedQuery(f"The query holds a character that does not belong there (U+{ord(sign):04X}).")


def _plain(text: str, where: str) -> None:
    """Refuse signs that could end a text earlier where an engine reads it differently."""
    if re.search(r"\\u", text, re.I):
        raise RefusedQuery(f"Unicode escapes may stand only within strings, not in {where}.")
    if re.search(r"[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029\x00]", text):
        raise RefusedQuery(f"There is an odd line break in {where}.")


def _escapes(text: str) -> None:
    """Refuse escapes of quotation marks: some engines replace escapes before they look for the end of a string."""
    for letter, digits in _ESCAPE.findall(text):
        size = 4 if letter == "u" else 8
        if not re.match(rf"[0-9a-fA-F]{{{size}}}", digits):
            raise RefusedQuery("There is a Unicode escape without its digits in a string.")
        # Of eight digits, an engine that knows only four reads the first four.
        values = {min(int(digits[:size], 16), 0x10FFFF), int(digits[:4], 16)}
        if any(chr(value) in "'\"`\\" for value in values):
            raise RefusedQuery("A quotation mark in a string must not be written as a Unicode escape.")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Queries, which may only read

FIRST = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL"})
"""Words that a query may begin with."""
CHANGING = _words(
    "CREATE MERGE SET DELETE DETACH NODETACH REMOVE DROP FOREACH LOAD ALTER GRANT DENY REVOKE USE INSERT COPY "
    "IMPORT EXPORT"
)
"""Words that change something or read files."""
LEADING = _words(
    "SHOW EXPLAIN PROFILE CYPHER TERMINATE STOP START RENAME ENABLE DRYRUN DEALLOCATE REALLOCATE TRUNCATE "
    "UPDATE BACKUP RESTORE EXECUTE"
)
"""Words that do harm only where a statement begins; elsewhere they are names that people give."""
PROCEDURES = frozenset({"DB.LABELS", "DB.RELATIONSHIPTYPES", "DB.PROPERTYKEYS"})
"""Procedures that may be called."""
NAMESPACES = _words("DATE DATETIME TIME DURATION LOCALTIME LOCALDATETIME POINT VECTOR")
"""In front of the dot in a function's name; others may be extensions that do anything."""
FUNCTIONS = _words(
    "ABS ACOS ALL ANY ASIN ATAN ATAN2 AVG CEIL CHAR_LENGTH CHARACTER_LENGTH COALESCE COLLECT COS COSH COT "
    "COTH COUNT DATE DATETIME DEGREES DISTANCE DURATION E ELEMENTID ENDNODE EXISTS EXP EXTRACT FILTER FLOOR "
    "HAVERSIN HEAD ID ISEMPTY ISNAN KEYS LABELS LAST LEFT LENGTH LOCALDATETIME LOCALTIME LOG LOG10 LOWER "
    "LTRIM BTRIM MAX MIN NODES NONE NORMALIZE NULLIF PERCENTILECONT PERCENTILEDISC PI POINT PROPERTIES "
    "RADIANS RAND RANGE REDUCE RELATIONSHIPS REPLACE REVERSE RIGHT ROUND RTRIM SHORTESTPATH ALLSHORTESTPATHS "
    "SIGN SIN SINH SINGLE SIZE SPLIT SQRT STARTNODE STDEV STDEVP SUBSTRING SUM TAIL TAN TANH TIME TIMESTAMP "
    "TOBOOLEAN TOBOOLEANLIST TOBOOLEANORNULL TOFLOAT TOFLOATLIST TOFLOATORNULL TOINTEGER TOINTEGERLIST "
    "TOINTEGERORNULL TOLOWER TOSTRING TOSTRINGLIST TOSTRINGORNULL TOUPPER TRIM TYPE UPPER VALUETYPE "
    "RANDOMUUID"
)
"""Names that may be followed by an opening bracket, besides the words of the language."""
_BEFORE_BRACKET = _words(
    "MATCH OPTIONAL WHERE AND OR XOR NOT IN WITH RETURN UNWIND CALL AS BY ON CASE WHEN THEN ELSE DISTINCT IS "
    "CONTAINS LIMIT SKIP OFFSET UNION YIELD COUNT EXISTS COLLECT SHORTEST ANY ALL"
)
_BEFORE_PART = _words("{ } ) UNION ALL DISTINCT")
_AFTER_ALIAS = _words("WHERE MATCH RETURN WITH ORDER SKIP LIMIT UNWIND UNION OPTIONAL")
_OPERAND_NEXT = _BEFORE_BRACKET | _words("ASC DESC STARTS ENDS ORDER GROUP FILTER LET FINISH NEXT TRIM")


def check_read_only(text: str) -> str:
    """Return the query without a semicolon at its end, if all it does is read.

    Raises:
        RefusedQuery: It might do anything else, or holds two statements; says which word is the reason.
    """
    tokens = tokenise(text)
    if not tokens:
        raise RefusedQuery("The query is empty.")
    end = len(text.replace("\r\n", "\n"))
    while tokens and tokens[-1].text == ";":
        end = tokens.pop().start
    if not tokens or tokens[0].word not in FIRST:
        raise RefusedQuery("A query must begin with MATCH, OPTIONAL MATCH, WITH, UNWIND, RETURN or CALL.")
    names = which_are_names(tokens)
    for place, token in enumerate(tokens):
        if token.text == ";":
            raise RefusedQuery("Only one statement may be run at a time.")
        if token.word and not names[place]:
            _check_word(tokens, place, names)
        elif token.kind in ("word", "quoted") and _opens(tokens, place):
            _check_function(tokens, place)
    return text.replace("\r\n", "\n")[:end].strip()


def which_are_names(tokens: Sequence[Token]) -> list[bool]:
    """Return, for each token, True if it can only be a label, type, property, parameter, key or alias.

    All at once, from left to right: whether one is a name hangs on those before it, in a row of AS on all of them.
    """
    names: list[bool] = []
    for place in range(len(tokens)):
        names.append(_is_name(tokens, place, names))
    return names


def _is_name(tokens: Sequence[Token], place: int, names: Sequence[bool]) -> bool:
    before = _text(tokens, place - 1)
    after = _text(tokens, place + 1)
    if before in (":", "|", "&", "$", "!"):
        return True
    if before == ".":
        # Not after a number: "1." alone is one, and a clause may follow it.
        return place < 2 or tokens[place - 2].kind != "number"
    if after == ":" and before in ("{", ","):
        return True
    if before.upper() == "AS" and _is_as(tokens, place - 1, names):
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        return following is None or following.text in (",", ")", "}", ";") or following.word in _AFTER_ALIAS
    return False


def _is_as(tokens: Sequence[Token], place: int, names: Sequence[bool]) -> bool:
    """Return True if the AS there gives an alias, and is no variable of that name: something must stand before it."""
    if place == 0 or names[place]:
        return False
    before = tokens[place - 1]
    if before.kind == "sign":
        return before.text in (")", "]", "}")
    return before.word not in _OPERAND_NEXT or names[place - 1]


def _check_word(tokens: Sequence[Token], place: int, names: Sequence[bool]) -> None:
    token = tokens[place]
    if token.word in CHANGING:
        raise RefusedQuery(
            f"Only reading is allowed, and {token.text[:40]} is not reading. "
            "If it is meant as a name, put it in backticks."
        )
    if token.word in LEADING and _text(tokens, place - 1).upper() in _BEFORE_PART:
        raise RefusedQuery(f"A part of a query must not begin with {token.text[:40]}.")
    if token.word == "CALL":
        _check_call(tokens, place)
    elif (
        _opens(tokens, place) and token.word not in _BEFORE_BRACKET and not _within_call(tokens, place, names)
    ):
        _check_function(tokens, place)


def _check_call(tokens: Sequence[Token], place: int) -> None:
    """Let pass a subquery, `CALL { ... }` or `CALL (a, b) { ... }`, or a procedure that is known to read only."""
    after = place + 1
    if _text(tokens, after) == "(":
        after += 1
        # Names, commas and an asterisk, nothing else: a look to the next bracket for each of many CALL takes long.
        while after < len(tokens) and (
            tokens[after].kind in ("word", "quoted") or tokens[after].text in (",", "*")
        ):
            after += 1
        after = after + 1 if _text(tokens, after) == ")" else len(tokens)
    if _text(tokens, after) == "{":
        return
    name = _chain(tokens, place + 1)
    if name.upper() not in PROCEDURES:
        raise RefusedQuery(
            f"Only subqueries and {', '.join(sorted(PROCEDURES)).lower()} may be called, "
            f"not {name[:60] or 'this'}."
        )


def _check_function(tokens: Sequence[Token], place: int) -> None:
    """Refuse a function, whose last name stands there, that is not known to read only."""
    first = place
    while first >= 2 and _text(tokens, first - 1) == "." and tokens[first - 2].kind in ("word", "quoted"):
        first -= 2
    name = _chain(tokens, first)
    head, _, rest = name.upper().partition(".")
    if head not in NAMESPACES if rest else head not in FUNCTIONS:
        if name.upper() in PROCEDURES or (first and _text(tokens, first - 1) in (":", "|", "&", "!")):
            return
        raise RefusedQuery(f"The function {name[:60]} is not one of those that may be used.")


def _within_call(tokens: Sequence[Token], place: int, names: Sequence[bool]) -> bool:
    """Return True if the name there is that of a procedure, which `_check_call` has seen."""
    while place >= 2 and _text(tokens, place - 1) == ".":
        place -= 2
    return place > 0 and tokens[place - 1].word == "CALL" and not names[place - 1]


def _chain(tokens: Sequence[Token], place: int) -> str:
    """Return names joined by dots, from this one on."""
    parts: list[str] = []
    while place < len(tokens) and tokens[place].kind in ("word", "quoted"):
        parts.append(tokens[place].text.strip("`"))
        if _text(tokens, place + 1) != ".":
            break
        place += 2
    return ".".join(parts)


def _opens(tokens: Sequence[Token], place: int) -> bool:
    return _text(tokens, place + 1) == "("


def _text(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].text if 0 <= place < len(tokens) else ""


# Scripts that make a graph: cut into statements, and trusted only as far as they do that

MAX_SCRIPT_CHARS = 5_000_000
_SCRIPT_FIRST = frozenset({"CREATE", "MERGE", "MATCH", "OPTIONAL", "UNWIND", "WITH"})
"""Words that a statement may begin with."""
_SCRIPT_CHANGES = frozenset({"CREATE", "MERGE", "SET"})
"""Words that change something and belong in a script."""
_SCRIPT_REFUSED = (CHANGING - _SCRIPT_CHANGES) | {"CALL"}
_NOT_CREATED = frozenset({"DATABASE", "USER", "ROLE"})
"""Words that must not stand behind CREATE; elsewhere these are names."""


def read_script(text: str) -> list[str]:
    """Return the statements of a script, each without its semicolon.

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
            _check_statement(part, text)
            end = tokens[place].start if place < len(tokens) else len(text)
            statements.append(text[part[0].start : end].strip())
        first = place + 1
    if not statements:
        raise InputError("There is no statement in this script.")
    return statements


def _check_statement(tokens: Sequence[Token], text: str) -> None:
    if tokens[0].word not in _SCRIPT_FIRST:
        _refuse_in_script(tokens[0], text)
    names = which_are_names(tokens)
    for place, token in enumerate(tokens):
        if not token.word or names[place]:
            continue
        created = token.word in _NOT_CREATED and place > 0 and tokens[place - 1].word == "CREATE"
        if token.word in _SCRIPT_REFUSED or created:
            _refuse_in_script(token, text)
        if token.word == "CREATE":
            _check_create(tokens, place, text)


def _check_create(tokens: Sequence[Token], place: int, text: str) -> None:
    """Let pass nodes and edges, a path with a name, a constraint or an index; no users, roles or databases."""
    following = [token.word or token.text for token in tokens[place + 1 : place + 3]]
    if not following or following[0] in ("(", "CONSTRAINT", "INDEX"):
        return
    if following[1:] == ["="] or following[0] in ("RANGE", "TEXT", "POINT"):
        return
    if place > 0 and tokens[place - 1].word == "ON" and following[0] == "SET":
        return
    _refuse_in_script(tokens[place + 1], text)


def _refuse_in_script(token: Token, text: str) -> None:
    line = text.count("\n", 0, token.start) + 1
    raise RefusedQuery(
        f"Line {line}: a script may only create nodes and edges (CREATE, MERGE, MATCH, UNWIND, WITH, SET), "
        f"and {token.text[:40]} is something else. Names that are words of Cypher go in backticks."
    )
