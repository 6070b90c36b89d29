"""Cleaning query variants that a model wrote: which are used, which are dropped and why."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.models.embeddings import builtin_tokenizer
from core.trace.artefacts import DroppedQuery, Queries, Query

_NUMBERING = re.compile(r"^\s*(?:[-*•–]+|\(?\d{1,2}[.):]|\(?[a-z]\))(?:\s+|$)")
_QUOTES = "\"'“”‘’«»`"
COPY = "a copy of the question"
"""Why a variant is dropped that says nothing else."""
MAX_CHARS = 500
"""A longer variant is a passage, not a query."""

_KIN = re.compile(
    r"\b(?:grand|step)?(?:father|mother|son|daughter|child|parent)s?\b|\b(?:uncle|aunt|wife|husband)s?\b"
)
_MEANINGS = (
    (r"born|birth\w*", r"die[sd]?|dead|dying|death\w*|deceased|pass(?:ed)? away"),
    (
        r"older|oldest|old|earlier|earliest|first|before",
        r"younger|youngest|later|latest|last|recent\w*|newer|after",
    ),
    (r"paternal\w*", r"maternal\w*"),
    (r"(?:grand)?mother\w*", r"(?:grand|step)?father\w*", r"uncle\w*", r"aunt\w*"),
    (r"grand\w+",),
    (r"\w+-in-law",),
    (r"direct\w*|filmmaker\w*|made", r"compos\w*|music", r"perform\w*|sing\w*|sang|sung"),
    (r"(?:same|share[sd]?|common|countr\w+|nation\w*)",),
)
"""Ways to say things that a rewording must neither lose nor turn into their opposites."""
_RAMBLE = 8
"""Words more than in the question above which a variant rambles."""


def tidy(text: str) -> str:
    """One line, without numbering, bullets and surrounding quotes."""
    line = " ".join(text.split())
    text = _NUMBERING.sub("", line).strip()
    quoted = len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES
    inside = any(mark in _QUOTES for mark in text[1:-1])
    # A mark at one end alone belongs to what it names: singer of “Elderberry Wine”.
    return text[1:-1].strip() if quoted and not inside else text


def letters(text: str) -> str:
    """The letters and digits of a text without case: two texts that share them are copies."""
    return "".join(char for char in text.casefold() if char.isalnum())


def usable(texts: Iterable[str]) -> list[str]:
    """The texts on one line each, without copies and without those that are empty or too long for a query."""
    return [text for text in dict.fromkeys(map(tidy, texts)) if text and len(text) <= MAX_CHARS]


def question_in(reply: str) -> str:
    """The question that a model replied with, without a label; empty if there is none of a query's length."""
    text = re.sub(r"^question:\s*", "", tidy(reply), flags=re.IGNORECASE)
    return text if len(text) <= MAX_CHARS else ""


def clean(
    question: str,
    raw: Iterable[str],
    *,
    n: int,
    include_original: bool,
    rejected: Iterable[DroppedQuery] = (),
    **made_by: str,
) -> Queries:
    """The queries to search with, in first-seen order.

    Args:
        question: The user's question; with `include_original` it is the first query.
        raw: What the model wrote, best first.
        rejected: Variants that the method itself refused, with reasons; listed first among the dropped.
        made_by: `skill`, `method` and `note` of the artefact.
    """
    dropped = list(rejected)
    texts: list[str] = []
    seen: dict[str, str] = {letters(question): COPY}
    for text in map(tidy, raw):
        key = letters(text)
        if not key:
            reason = "empty"
        elif key in seen:
            reason = seen[key]
        elif len(text) > MAX_CHARS:
            text, reason = text[:MAX_CHARS] + "…", f"longer than {MAX_CHARS} characters"
        elif len(texts) == n:
            reason = f"only {n} were asked for"
        else:
            texts.append(text)
            seen[key] = "a copy of an earlier variant"
            continue
        dropped.append(DroppedQuery(text=text, reason=reason))
    queries = [Query(text=text, origin="model") for text in texts]
    if include_original or not queries:
        queries.insert(0, Query(text=question, origin="question"))
    return Queries(queries=tuple(queries), dropped=tuple(dropped), **made_by)


def why_other_meaning(question: str, text: str, *, strict: bool) -> str:
    """Why a text asks something else than the question; empty if it does not.

    It may add something ("later" for "earlier") or, if `strict`, lose something that is asked for.
    """
    if strict and len(_KIN.findall(text.casefold())) > len(_KIN.findall(question.casefold())) > 0:
        return "asks something else (another relative)"
    for group in _MEANINGS:
        in_question = [re.search(rf"\b(?:{pattern})\b", question, re.I) for pattern in group]
        in_text = [re.search(rf"\b(?:{pattern})\b", text, re.I) for pattern in group]
        pairs = list(zip(in_question, in_text, strict=True))
        added = next((now.group() for before, now in pairs if now and not before), "")
        lost = next((before.group() for before, now in pairs if before and not now), "")
        if added and any(in_question):
            return f"asks something else (“{added}”)"
        if strict and lost:
            return f"loses “{lost}”"
    return ""


def why_gibberish(question: str, text: str) -> str:
    """Why a text is not plain English; empty if it is.

    A word is unknown if the vocabulary of the built-in embedding model lacks it.
    """
    known = set(re.findall(r"[\w-]+", question.casefold()))
    new = [word for word in re.findall(r"[\w-]+", text.casefold()) if word not in known]
    for word in new:
        if len(builtin_tokenizer().encode(word, add_special_tokens=False).tokens) > 1:
            return f"has the odd word “{word}”"
    if len(text.split()) > len(question.split()) + _RAMBLE:
        return "rambles"
    return ""
