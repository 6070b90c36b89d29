"""The read-only guard: stands in front of every query that a user or a model wrote.

Needed because ArcadeDB, over Bolt, runs writes also where only reading was agreed. What is not known to read is
refused. On a server of one's own, a user that may only read is a second lock.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.knowledge.store.cypher_tokens import RefusedQuery, Token, tokenise


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIRST = frozenset({"MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", "CALL"})
"""What a query may begin with."""
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
"""What may be called."""
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
"""What may be followed by an opening bracket, besides the words of the language."""
_BEFORE_BRACKET = _words(
    "MATCH OPTIONAL WHERE AND OR XOR NOT IN WITH RETURN UNWIND CALL AS BY ON CASE WHEN THEN ELSE DISTINCT IS "
    "CONTAINS LIMIT SKIP OFFSET UNION YIELD COUNT EXISTS COLLECT SHORTEST ANY ALL"
)
_BEFORE_PART = _words("{ } ) UNION ALL DISTINCT")
_AFTER_ALIAS = _words("WHERE MATCH RETURN WITH ORDER SKIP LIMIT UNWIND UNION OPTIONAL")
_OPERAND_NEXT = _BEFORE_BRACKET | _words("ASC DESC STARTS ENDS ORDER GROUP FILTER LET FINISH NEXT TRIM")


def check_read_only(text: str) -> str:
    """The query without a semicolon at its end, if all it does is read.

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
    """Of each token, taken for a bare word: whether it can only be a label, type, property, parameter, key or alias.

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
    """Whether the AS there gives an alias, and is no variable of that name: something must stand before it."""
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
    """A subquery, `CALL { ... }` or `CALL (a, b) { ... }`, or a procedure that is known to read only."""
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
    """The function whose last name stands there."""
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
    """Whether the name there is that of a procedure, which `_check_call` has seen."""
    while place >= 2 and _text(tokens, place - 1) == ".":
        place -= 2
    return place > 0 and tokens[place - 1].word == "CALL" and not names[place - 1]


def _chain(tokens: Sequence[Token], place: int) -> str:
    """Names joined by dots, from this one on."""
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
