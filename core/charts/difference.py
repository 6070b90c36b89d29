"""The difference between the runs of a comparison in one sentence, their budgets, and the answers that are the same."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.cards.outcome import judged, right_answers
from core.cards.texts import INCOMPLETE, SUGGESTED, doubt
from core.charts.columns import Column
from core.evaluation.answers import Verdict, judged_text, verdict
from core.evaluation.words import tokens
from core.runs.budget import chunks_given, given_passages, plain_with
from core.skills.answer import MARKS
from core.strategies import is_baseline
from core.trace.artefacts import Answer
from core.trace.gold import Gold, Known, pieces_held
from core.wording import counted, listed, number_word


def plain_found(column: Column, gold: Sequence[Gold]) -> int | None:
    """How much of the evidence (empty: unknown) plain retrieval finds with as many passages as a column gave; see
    `core.runs.budget`. None: not known, or the column has not ended, gave no passage of documents, or is plain
    retrieval itself."""
    started, baseline = column.record.started, column.record.baseline
    if not gold or started is None or baseline is None or not baseline.retriever:
        return None
    if is_baseline(started.strategy, started.params):
        return None
    return pieces_held(gold, baseline.passages)


def with_as_many(column: Column, gold: Sequence[Gold]) -> str:
    """`plain_found` in words; empty: not known."""
    pieces = plain_found(column, gold)
    return (
        "" if pieces is None else f"{plain_with(chunks_given(column.record))} finds {pieces} of {len(gold)}"
    )


def given_apart(columns: Sequence[Column]) -> str:
    """Say that columns were given different numbers of passages; empty: they were not, or some still run."""
    if any(column.record.state == "running" for column in columns):
        return ""
    passages = [(column.mark, chunks_given(column.record)) for column in columns]
    counts = [(mark, count) for mark, count in passages if count]
    if len({count for _, count in counts}) < 2:
        return ""
    each = ", ".join(f"{mark} {count}" for mark, count in counts)
    return (
        f"Different numbers of passages were given: {each}. More passages alone already hold more evidence."
    )


SHORT = 60
"""Characters up to which an answer is quoted in a sentence."""
EVERYONE = {1: "it", 2: "both", 3: "all three", 4: "all four"}


def truth(columns: Sequence[Column], gold: Sequence[Gold] = ()) -> Known:
    """The known truth on the question of a comparison: the evidence as the comparison has it, or else what its runs
    kept, since one that searches no documents keeps nothing of it."""
    baselines = [column.record.baseline for column in columns if column.record.baseline]
    return Known(
        tuple(gold) or next((baseline.gold for baseline in baselines if baseline.gold), ()),
        next(filter(None, (right_answers(column.record) for column in columns)), ()),
    )


@dataclass(frozen=True)
class SameAnswer:
    """An answer, and all who gave it."""

    columns: tuple[Column, ...]
    text: str
    """In few words where their sentences differ; raw."""
    said: Verdict | None
    """None: nobody knows the right one."""
    refused: bool
    """True if it says that there is no answer."""
    doubt: str = ""
    """The note of doubt on an answer (`core.cards.texts`), with its columns unless all have it; empty: none."""

    @property
    def verdict(self) -> Verdict | None:
        """None: nobody knows, or its words do not tell."""
        return None if self.said == "unclear" else self.said

    @property
    def quoted(self) -> str:
        """The answer in quotation marks; empty where it is long."""
        line = MARKS.sub("", self.text.strip().partition("\n")[0]).rstrip(". ")
        doubt = f" ({self.doubt})" if self.doubt else ""
        return f"“{line}”{doubt}" if len(line) <= SHORT else ""


def same_answers(columns: Sequence[Column], answers: Sequence[str] = ()) -> tuple[SameAnswer, ...]:
    """The answers, each with all columns that gave it, in the order of the columns; `answers` are the right ones, if
    known.

    Two are the same if the words by which they are judged are (see `core.evaluation.words`); all that say that there is
    no answer are.
    """
    groups: dict[tuple[str, ...], list[tuple[Column, Answer, bool]]] = defaultdict(list)
    for column in columns:
        answer, started = column.record.answer, column.record.started
        if answer is None or not answer.text.strip() or started is None:
            continue
        refused = verdict(answer, (), started.question) == "refusal"
        key = ("", "refused") if refused else tuple(tokens(judged_text(answer)))
        groups[key].append((column, answer, refused))
    return tuple(_same(group, answers) for group in groups.values())


def _same(group: Sequence[tuple[Column, Answer, bool]], answers: Sequence[str]) -> SameAnswer:
    column, first, refused = group[0]
    started = column.record.started
    alike = len({tuple(tokens(MARKS.sub("", answer.text))) for _, answer, _ in group}) == 1
    doubts = {
        words: [member.mark for member, answer, _ in group if doubt(answer) == words]
        for words in (SUGGESTED, INCOMPLETE)
    }
    return SameAnswer(
        columns=tuple(member for member, _, _ in group),
        text=first.text if alike or refused else first.short or first.text,
        said=judged(first, answers, started.question) if answers and started else None,
        refused=refused,
        doubt="; ".join(
            words if len(marks) == len(group) else f"{words}: {', '.join(marks)}"
            for words, marks in doubts.items()
            if marks
        ),
    )


def searches(column: Column) -> bool:
    """True if anything is searched, so that evidence can be found: a model that is asked alone searches nothing."""
    started = column.record.started
    return started is not None and bool(started.corpus or started.graph)


def names(columns: Sequence[Column]) -> dict[str, str]:
    """Mark -> how a sentence calls a column: by its strategy, or where two have the same by mark and difference."""
    titles = [column.title for column in columns]
    return {
        column.mark: column.title
        if titles.count(column.title) == 1
        else f"{column.mark} ({column.detail})"
        if 0 < len(column.detail) <= SHORT // 2
        else column.mark
        for column in columns
    }


class _Clause(NamedTuple):
    """Part of the sentence."""

    text: str = ""
    """Empty: there is nothing to say."""
    differs: bool = False
    ahead: Sequence[Column] = ()
    """The columns that found most, or got the answer right, where others did not."""


def difference(columns: Sequence[Column], known: Known) -> str:
    """The difference between these runs, in a sentence; ties are named as ties. Raw text; empty while one of them runs,
    and where none has come to anything."""
    if any(column.record.state == "running" for column in columns):
        return ""
    called = names(columns)
    ended = [column for column in columns if column.record.state == "finished"]
    answered = _answers(ended, known, called)
    searched = [column for column in ended if searches(column)]
    finds = _evidence(searched, known.gold, called) if known.gold else _passages(ended, called)
    leads = finds.differs and (known.gold or not answered.differs)
    clauses = [finds, answered] if leads else [answered, finds]
    if finds.ahead and finds.ahead == answered.ahead:
        only = "it" if len(finds.ahead) == 1 else f"those {number_word(len(finds.ahead))}"
        clauses[1] = _Clause(f"only {only} got the answer right")
    sentences = [clause.text for clause in clauses if clause.text]
    calls = [str(column.record.totals.calls) for column in ended]
    if len(set(calls)) > 1 and not answered.differs and not finds.differs:
        sentences.append(f"they took {listed(calls)} model calls")
    for state, what in (("failed", "failed"), ("stopped", "was stopped"), ("paused", "is paused")):
        sentences += [f"{called[column.mark]} {what}" for column in columns if column.record.state == state]
    text = "; ".join(sentences)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _everyone(columns: Sequence[Column]) -> str:
    return EVERYONE.get(len(columns), "all")


def _nobody(columns: Sequence[Column]) -> str:
    return "neither" if len(columns) == 2 else "none"


def _listed(columns: Sequence[Column], called: Mapping[str, str]) -> str:
    return listed([called[column.mark] for column in columns])


def _evidence(columns: Sequence[Column], gold: Sequence[Gold], called: Mapping[str, str]) -> _Clause:
    """The clause on how much of the evidence each gave to its answers."""
    if not columns:
        return _Clause()
    by_count: dict[int, list[Column]] = defaultdict(list)
    pieces = set()
    for column in columns:
        passages = given_passages(column.record)
        own = tuple(place for place, piece in enumerate(gold) if pieces_held([piece], passages))
        by_count[len(own)].append(column)
        pieces.add(own)
    (most, *fewer), of = sorted(by_count, reverse=True), len(gold)
    best = by_count[most]
    much = f"found {most} of {counted(of, 'piece')} of evidence"
    if fewer and of == 1:
        text = f"{_listed(best, called)} found the evidence, {_listed(by_count[0], called)} did not"
        return _Clause(text, True, best)
    if fewer:
        others = [f"{_listed(by_count[count], called)} {count or 'none'}" for count in fewer]
        return _Clause(f"{_listed(best, called)} {much}, {', '.join(others)}", True, best)
    # Beside columns that are not meant, “both” would not say which.
    everyone = len(columns) > 1 and len(columns) == len(called)
    who = _everyone(columns) if everyone else _listed(columns, called)
    if len(columns) == 1:
        text = f"{who} {much}"
    elif most == of:
        text = f"{who} found {'the' if of == 1 else 'all of the'} evidence"
    elif not most and everyone:
        text = f"{_nobody(columns)} found {'the' if of == 1 else 'any of the'} evidence"
    else:
        text = (
            f"{who} {much}, but not the same"
            if len(pieces) > 1
            else f"{who} {much.replace('found', 'found the same')}"
        )
    return _Clause(text, len(pieces) > 1)


def _answers(columns: Sequence[Column], known: Known, called: Mapping[str, str]) -> _Clause:
    """The clause on right answers; or, where nobody knows, on equal ones."""
    groups = same_answers(columns, known.answers)
    answering = _of(groups, columns)
    if len(answering) < 2:
        return _Clause()
    if all(group.refused and group.verdict != "right" for group in groups):
        return _Clause(f"{_nobody(answering)} answers")
    if known.answers and all(group.verdict for group in groups):
        return _judged(groups, answering, called)
    return _unjudged(groups, answering, called)


def _of(groups: Sequence[SameAnswer], columns: Sequence[Column]) -> list[Column]:
    """The columns that gave one of these answers, in their order."""
    marks = {column.mark for group in groups for column in group.columns}
    return [column for column in columns if column.mark in marks]


def _judged(groups: Sequence[SameAnswer], columns: Sequence[Column], called: Mapping[str, str]) -> _Clause:
    rightly = [group for group in groups if group.verdict == "right"]
    right, rest = _of(rightly, columns), _of([group for group in groups if group not in rightly], columns)
    quoted = f": {rightly[0].quoted}" if len(rightly) == 1 and rightly[0].quoted else ""
    if not right:
        if len(groups) == 1 and groups[0].quoted:
            return _Clause(f"{_everyone(columns)} answer {groups[0].quoted}, which is wrong")
        return _Clause(f"{_nobody(columns)} got the answer right")
    if not rest:
        return _Clause(f"{_everyone(columns)} got the answer right{quoted}")
    if len(right) == 1:
        return _Clause(f"only {_listed(right, called)} got the answer right{quoted}", True, right)
    text = f"{_listed(right, called)} got the answer right{quoted}, {_listed(rest, called)} did not"
    return _Clause(text, True, right)


def _unjudged(groups: Sequence[SameAnswer], columns: Sequence[Column], called: Mapping[str, str]) -> _Clause:
    if len(groups) == 1:
        return _Clause(f"{_everyone(columns)} answer {groups[0].quoted or 'the same'}")
    refused = _of([group for group in groups if group.refused], columns)
    answering = [group for group in groups if not group.refused]
    verb = "does" if len(refused) == 1 else "do"
    none = [f"{_listed(refused, called)} {verb} not answer"] if refused else []
    most = max(answering, key=lambda group: len(group.columns))
    rest = _of([group for group in answering if group is not most], columns)
    who = _listed(most.columns, called)
    if not rest:
        text = f"{who} {'answer' if len(most.columns) > 1 else 'answers'} {most.quoted}".rstrip()
        return _Clause(", ".join([text, *none]), True)
    if len(most.columns) > 1:
        text = f"{who} answer {most.quoted or 'the same'}, {_listed(rest, called)} otherwise"
    else:
        text = "the answers differ" if len(answering) == 2 else "no two answers are the same"
    return _Clause("; ".join([text, *none]), True)


def _passages(columns: Sequence[Column], called: Mapping[str, str]) -> _Clause:
    """The clause on passages that only one was given, where nobody knows what holds the evidence."""
    passages_of = {
        column.mark: {chunk for p in given_passages(column.record) for chunk in p.chunks}
        for column in columns
    }
    finders = Counter(chunk for own in passages_of.values() for chunk in own)
    if len(columns) < 2 or not finders:
        return _Clause()
    shared = sum(count == len(columns) for count in finders.values())
    if shared == len(finders):
        return _Clause(f"{_everyone(columns)} were given the same {counted(shared, 'passage')}")
    own = {mark: sum(finders[chunk] == 1 for chunk in chunks) for mark, chunks in passages_of.items()}
    alone = [column.mark for column in columns if own[column.mark]]
    if not alone:
        return _Clause(f"{_everyone(columns)} share {shared} of {len(finders)} passages", True)
    first, *others = alone
    without = "that no other was"
    if len(columns) == 2:
        (second,) = (column.mark for column in columns if column.mark != first)
        without = "that the other was not" if others else f"that {called[second]} was not"
    text = f"{called[first]} was given {counted(own[first], 'passage')} {without}"
    return _Clause(", ".join([text, *(f"{called[mark]} {own[mark]}" for mark in others)]), True)
