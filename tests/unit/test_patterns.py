"""No regular expression of the app takes time that grows faster than the text it reads.

Python's `re` goes back and tries again, holds the interpreter's lock meanwhile and cannot be stopped: a pattern whose
work grows with the square of a text lets a small text halt every page. Each pattern is tried on texts made for it:
long runs of what one of its own repeats takes, so that the rest of the pattern fails as late as it can.
"""

from __future__ import annotations

import ast
import importlib
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import core
from core.skills.refusals import KINDS, refusal
from tests.cases import cases

LENGTHS = (24, 120, 600, 3_600)
"""Characters of the texts that are tried, one after the other."""
LEAST, ENOUGH = 0.0001, 0.002
"""Seconds that are too few to be measured, and enough to be compared with those of the text before."""
MOST_GROWTH = 18
"""A text that is six times as long takes six times as long, and 36 times where the work grows with its square."""
TRIES = 12
"""Measurements of a text that seems to take too long; the shortest counts."""
_LETTERS = ' \na0A.,-"(東'
"""Characters tried for what a repeat takes."""
_PARSER: Any = importlib.import_module("re._parser")
_COMPILER: Any = importlib.import_module("re._compiler")
_ANCHORED = frozenset({"fullmatch", "match"})
_ANYWHERE = frozenset({"findall", "finditer", "search", "split", "sub", "subn"})
_CALLED = re.compile(rf"\bre\s*\.\s*(?:{'|'.join(sorted(_ANCHORED | _ANYWHERE))})\b")


@cache
def _sources() -> dict[str, str]:
    """Module -> its text, for those that use regular expressions."""
    root = Path(str(core.__file__)).parent
    texts = {
        ".".join(("core", *path.relative_to(root).with_suffix("").parts)): path.read_text()
        for path in root.rglob("*.py")
    }
    skipped = "core.strategies.tutorial."  # scripts that run when they are imported
    return {
        name.removesuffix(".__init__"): text
        for name, text in texts.items()
        if re.search(r"^import re$", text, re.MULTILINE) and not name.startswith(skipped)
    }


def _patterns_in(value: object, depth: int = 2) -> Iterator[re.Pattern[str]]:
    """Patterns among a module's values, also within its lists, tuples and dictionaries."""
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth and isinstance(value, dict):
        for one in (*value, *value.values()):
            yield from _patterns_in(one, depth - 1)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _patterns_in(one, depth - 1)


def _written_in(source: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """Patterns that stand as plain text in calls such as `re.sub("…", …)`, and how they are used."""
    if not _CALLED.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == "re"
            and node.func.attr in _ANCHORED | _ANYWHERE
            and isinstance(node.args[0], ast.Constant)
        ):
            flags = re.IGNORECASE if "IGNORECASE" in ast.unparse(node) else re.NOFLAG
            yield re.compile(str(node.args[0].value), flags), node.func.attr


def _uses(key: str, module: str) -> frozenset[str]:
    """In which ways a module's pattern is used; those of a list are used in any."""
    texts = (text for name, text in _sources().items() if name == module or f"from {module} import" in text)
    used = {use for text in texts for use in re.findall(rf"\b{key}\.(\w+)", text)}
    return frozenset(used & (_ANCHORED | _ANYWHERE) or _ANCHORED | _ANYWHERE)


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], frozenset[str]]]:
    """Every pattern by where it stands, and how it is used."""
    found: dict[re.Pattern[str], tuple[str, frozenset[str]]] = {}
    for name, source in _sources().items():
        for key, value in vars(importlib.import_module(name)).items():
            for pattern in _patterns_in(value):
                found.setdefault(pattern, (f"{name}.{key}", _uses(key, name)))
        for pattern, use in _written_in(source):
            found.setdefault(pattern, (name, frozenset({use})))
    for kind in KINDS:  # compiled when they are needed
        found.setdefault(refusal(kind), ("core.skills.refusals", frozenset({"search"})))
    return {f"{name} {pattern.pattern[:40]!r}": (pattern, uses) for pattern, (name, uses) in found.items()}


def _sample(tree: Iterable[tuple[Any, Any]], flags: int) -> str:
    """Some text that a part of a pattern takes."""
    text = ""
    for op, value in tree:
        match str(op):
            case "LITERAL":
                text += chr(value)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                text += _sample(value[2], flags) * max(value[0], 1)
            case "SUBPATTERN":
                text += _sample(value[3], flags)
            case "ATOMIC_GROUP":
                text += _sample(value, flags)
            case "BRANCH":
                text += _sample(value[1][0], flags)
            case "IN" | "NOT_LITERAL" | "ANY":
                text += _takes(op, value, flags)[:1]
            case _:
                pass  # places and references take no text of their own
    return text


def _takes(op: Any, value: Any, flags: int) -> str:
    """Which of some characters one place of a pattern takes."""
    one = _compiled([(op, value)], _PARSER.State(), flags)
    extra = (
        "".join(chr(part) for kind, part in value if str(kind) == "LITERAL")[:3] if str(op) == "IN" else ""
    )
    return "".join(char for char in _LETTERS + extra if one.fullmatch(char))


def _compiled(parts: Sequence[tuple[Any, Any]], state: Any, flags: int) -> re.Pattern[str]:
    pattern: re.Pattern[str] = _COMPILER.compile(_PARSER.SubPattern(state, list(parts)), flags)
    return pattern


def _alternatives(pattern: re.Pattern[str]) -> Iterator[tuple[re.Pattern[str], Sequence[tuple[Any, Any]]]]:
    """A pattern, or each of its alternatives: these are tried one after the other and know nothing of each other."""
    tree = _PARSER.parse(pattern.pattern, pattern.flags)
    if len(tree) == 1 and str(tree[0][0]) == "BRANCH":
        for parts in tree[0][1][1]:
            yield _compiled(parts, tree.state, pattern.flags), parts
    else:
        yield pattern, tree


def _hostile(tree: Sequence[tuple[Any, Any]], flags: int) -> Iterator[tuple[str, str]]:
    """What stands in front of a run, and what the run is made of."""

    def runs(parts: Iterable[tuple[Any, Any]], front: str) -> Iterator[tuple[str, str]]:
        for op, value in parts:
            name = str(op)
            if name.endswith("_REPEAT"):
                if value[1] > 100:
                    body = list(value[2])
                    yield front, _sample(body, flags)
                    if len(body) == 1 and str(body[0][0]) in {"IN", "NOT_LITERAL", "ANY"}:
                        op_of_body, value_of_body = body[0]
                        for char in _takes(op_of_body, value_of_body, flags):
                            yield front, char
                yield from runs(value[2], front)
            elif name == "SUBPATTERN":
                yield from runs(value[3], front)
            elif name == "ATOMIC_GROUP":
                yield from runs(value, front)
            elif name == "BRANCH":
                for one in value[1]:
                    yield from runs(one, front)
            elif name in {"ASSERT", "ASSERT_NOT"}:
                yield from runs(value[1], front)
            front += _sample([(op, value)], flags)

    for front, run in runs(tree, ""):
        if run:
            yield front, run
            yield "", run
            if front:
                yield "", front + run


def _seconds(pattern: re.Pattern[str], uses: frozenset[str], text: str) -> float:
    """Of this thread's processor time, so that a busy machine does not count."""
    begun = time.thread_time()
    if "fullmatch" in uses:
        pattern.fullmatch(text)
    if "match" in uses:
        pattern.match(text)
    if uses & _ANYWHERE:
        pattern.sub("", text)
    return time.thread_time() - begun


def _texts(runs: Iterable[tuple[str, str]], chars: int) -> Iterator[str]:
    for front, run in runs:
        for end in ("", "\x00", "\n!\\"):
            yield front + run * (chars // len(run)) + end


def slow_on(pattern: re.Pattern[str], uses: frozenset[str]) -> str:
    """A text on which a pattern's work grows faster than the text does; empty: none was found."""
    for one, tree in _alternatives(pattern):
        runs = dict.fromkeys(_hostile(tree, pattern.flags))
        for texts in zip(*(_texts(runs, chars) for chars in LENGTHS), strict=True):
            before = LEAST
            for text in texts:
                seconds = _seconds(one, uses, text)
                for _ in range(TRIES):  # a busy machine slows down single ones
                    if seconds > before * MOST_GROWTH:
                        seconds = min(seconds, _seconds(one, uses, text))
                if seconds > before * MOST_GROWTH:
                    return f"{text[:40]!r} … {text[-20:]!r}"
                if seconds > ENOUGH:
                    break
                before = max(seconds, LEAST)
    return ""


SHORT = {"core.retrieval.titles._NAMED_BEFORE": 40}
"""Patterns that never see more characters than this, nor two blanks in a row; their work may grow with its square."""
MOST_SECONDS = 1.0
"""Of processor time, for one of these: ten times what any takes."""


@cases(
    ("pattern", "slow"),
    [
        (r"\s*\[", True),
        (r"(?:(?<!\s)\s+)?\[", False),
        (r"a*a*b", True),
        (r"\w*x\w*y", True),
        (r"\w+", False),
    ],
)
def test_slow_patterns_are_found(pattern: str, slow: bool) -> None:
    assert bool(slow_on(re.compile(pattern), _ANYWHERE)) is slow


def test_no_pattern_takes_longer_than_its_text_grows() -> None:
    slow = {}
    for name, (pattern, uses) in _patterns().items():
        longest = next((most for short, most in SHORT.items() if name.startswith(short)), None)
        if longest is None:
            found = slow_on(pattern, uses)
        else:
            texts = {
                " ".join(text.split())
                for _, tree in _alternatives(pattern)
                for text in _texts(_hostile(tree, pattern.flags), longest)
            }
            found = next((text for text in texts if _seconds(pattern, uses, text) > MOST_SECONDS), "")
        if found:
            slow[name] = found
    assert slow == {}
