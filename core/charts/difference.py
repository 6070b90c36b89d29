"""The difference between the runs of a comparison in one sentence, their budgets, and the answers that are the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.cards.answers import INCOMPLETE, SUGGESTED, doubt
from core.cards.outcome import judged
from core.charts.columns import Column
from core.evaluation.answers import Verdict, judged_text, verdict
from core.evaluation.words import tokens
from core.runs.budget import chunks_given, given_passages, plain_with
from core.runs.gold import Gold, pieces_held
from core.skills.replies import MARKS
from core.strategies import is_baseline
from core.trace.artefacts import Answer
from core.wording import counted, listed


def plain_found(column: Column, gold: Sequence[Gold]) -> int | None:
    """How much of the evidence plain retrieval finds with as many passages as a column gave; see
    `core.runs.budget`.

    Args:
        gold: The evidence; empty: unknown.

    Returns:
        None: not known, or the column has not ended, gave no passage of documents, or is plain retrieval itself.
    """
    started, baseline = column.record.started, column.record.baseline
    if not gold or started is None or baseline is None or not baseline.retriever:
        return None
    if is_baseline(started.strategy, started.params):
        return None
    return pieces_held(gold, baseline.given)


def with_as_many(column: Column, gold: Sequence[Gold]) -> str:
    """`plain_found` in words; empty: not known."""
    found = plain_found(column, gold)
    return "" if found is None else f"{plain_with(chunks_given(column.record))} finds {found} of {len(gold)}"


def given_apart(columns: Sequence[Column]) -> str:
    """That columns were given different numbers of passages, in words; empty: they were not, or some still run."""
    if any(column.record.state == "running" for column in columns):
        return ""
    given = [(column.mark, chunks_given(column.record)) for column in columns]
    counts = [(mark, count) for mark, count in given if count]
    if len({count for _, count in counts}) < 2:
        return ""
    each = ", ".join(f"{mark} {count}" for mark, count in counts)
    return f"Not given equally many passages: {each}. More passages hold more evidence, whatever found them."


SHORT = 60
"""Characters up to which an answer is quoted in a sentence."""
EVERYONE = {1: "it", 2: "both", 3: "all three", 4: "all four"}


@dataclass(frozen=True)
class Truth:
    """The known truth on a question; both empty where nobody knows."""

    gold: tuple[Gold, ...] = ()
    """The evidence."""
    answers: tuple[str, ...] = ()
    """Right answers, each as good as another."""


def truth(columns: Sequence[Column], gold: Sequence[Gold] = ()) -> Truth:
    """The known truth on the question of a comparison: what its runs kept, since one that searches no documents keeps
    nothing of it.

    Args:
        gold: The evidence as the comparison has it; empty: what the runs say.
    """
    kept = [column.record.baseline for column in columns if column.record.baseline]
    return Truth(
        tuple(gold) or next((one.gold for one in kept if one.gold), ()),
        next((one.answers for one in kept if one.answers), ()),
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
    """The note of doubt on an answer (`core.cards.answers`), with its columns unless all have it; empty: none."""

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
    """The answers, each with all columns that gave it, in the order of the columns.

    Two are the same if the words by which they are judged are (see `core.evaluation.words`); all that say that there
    is no answer are.

    Args:
        answers: Right ones; empty: nobody knows.
    """
    found: dict[tuple[str, ...], list[tuple[Column, Answer, bool]]] = defaultdict(list)
    for column in columns:
        answer, started = column.record.answer, column.record.started
        if answer is None or not answer.text.strip() or started is None:
            continue
        refused = verdict(answer, (), started.question) == "refusal"
        key = ("", "refused") if refused else tuple(tokens(judged_text(answer)))
        found[key].append((column, answer, refused))
    return tuple(_same(group, answers) for group in found.values())


def _same(group: Sequence[tuple[Column, Answer, bool]], answers: Sequence[str]) -> SameAnswer:
    column, first, refused = group[0]
    started = column.record.started
    said = judged(first, answers, started.question) if answers and started else None
    alike = len({tuple(tokens(MARKS.sub("", one.text))) for _, one, _ in group}) == 1
    text = first.text if alike or refused else first.short or first.text
    unsure = {
        words: [one.mark for one, answer, _ in group if doubt(answer) == words]
        for words in (SUGGESTED, INCOMPLETE)
    }
    return SameAnswer(
        columns=tuple(one for one, _, _ in group),
        text=text,
        said=said,
        refused=refused,
        doubt="; ".join(
            f"{words}{'' if len(marks) == len(group) else ': ' + ', '.join(marks)}"
            for words, marks in unsure.items()
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
        one.mark: one.title
        if titles.count(one.title) == 1
        else f"{one.mark} ({one.detail})"
        if 0 < len(one.detail) <= SHORT // 2
        else one.mark
        for one in columns
    }


@dataclass(frozen=True)
class _Clause:
    """Part of the sentence."""

    said: str
    """Empty: there is nothing to say."""
    differs: bool
    ahead: tuple[str, ...] = ()
    """Marks of those that found most, or answer rightly, where others do not."""


def difference(columns: Sequence[Column], known: Truth) -> str:
    """The difference between these runs, in a sentence; ties are named as ties. Raw text.

    Returns:
        Empty while one of them runs, and where none has come to anything.
    """
    if any(column.record.state == "running" for column in columns):
        return ""
    called = names(columns)
    ended = [column for column in columns if column.record.state == "finished"]
    answered = _answers(ended, known, called)
    searched = [one for one in ended if searches(one)]
    found = _evidence(searched, known.gold, called) if known.gold else _passages(ended, called)
    clauses = (
        [found, answered] if found.differs and (known.gold or not answered.differs) else [answered, found]
    )
    if found.ahead and found.ahead == answered.ahead:
        verb = "it answers" if len(found.ahead) == 1 else "they answer"
        clauses[1] = replace(answered, said=f"only {verb} rightly")
    said = [clause.said for clause in clauses if clause.said]
    if len(ended) > 1 and not answered.differs and not found.differs:
        calls = [column.record.totals.calls for column in ended]
        said += [f"they took {listed([str(one) for one in calls])} model calls"] * (len(set(calls)) > 1)
    for state, what in (("failed", "failed"), ("stopped", "was stopped"), ("paused", "is paused")):
        said += [f"{called[one.mark]} {what}" for one in columns if one.record.state == state]
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _everyone(columns: Sequence[Column]) -> str:
    return EVERYONE.get(len(columns), "all")


def _nobody(columns: Sequence[Column]) -> str:
    return "neither" if len(columns) == 2 else "none" if len(columns) > 2 else "it does not"


def _listed(columns: Sequence[Column], called: dict[str, str]) -> str:
    return listed([called[column.mark] for column in columns])


def _marks(columns: Sequence[Column]) -> tuple[str, ...]:
    return tuple(column.mark for column in columns)


def _evidence(columns: Sequence[Column], gold: Sequence[Gold], called: dict[str, str]) -> _Clause:
    """The clause on how much of the evidence each found."""
    if not columns:
        return _Clause("", differs=False)
    held = {one.mark: _held(one, gold) for one in columns}
    groups: dict[int, list[Column]] = defaultdict(list)
    for column in columns:
        groups[len(held[column.mark])].append(column)
    counts, of = sorted(groups, reverse=True), len(gold)
    if len(counts) == 1:
        if len(columns) == 1:
            return _Clause(f"{called[columns[0].mark]} found {_much(counts[0], of)}", differs=False)
        same = len(set(held.values())) == 1
        # Beside columns that are not meant, “both” would not say which.
        who = _everyone(columns) if len(columns) == len(called) else _listed(columns, called)
        if counts[0] == of:
            said = f"{who} found {'the' if of == 1 else 'all of the'} evidence"
        elif not counts[0] and who == _everyone(columns):
            said = f"{_nobody(columns)} found {'the' if of == 1 else 'any of the'} evidence"
        else:
            what = _much(counts[0], of)
            said = f"{who} found " + (f"the same {what}" if same else f"{what}, but not the same")
        return _Clause(said, differs=not same)
    best, rest = groups[counts[0]], [one for count in counts[1:] for one in groups[count]]
    if of == 1:
        said = f"{_listed(best, called)} found the evidence, {_listed(rest, called)} did not"
    else:
        others = [f"{_listed(groups[count], called)} {count or 'none'}" for count in counts[1:]]
        said = f"{_listed(best, called)} found {_much(counts[0], of)}, {', '.join(others)}"
    return _Clause(said, differs=True, ahead=_marks(best))


def _much(found: int, of: int) -> str:
    return f"{found} of {counted(of, 'piece')} of evidence"


def _held(column: Column, gold: Sequence[Gold]) -> frozenset[int]:
    """Places of the pieces of evidence that it gave to its answers."""
    given = given_passages(column.record)
    return frozenset(place for place, one in enumerate(gold) if pieces_held([one], given))


def _answers(columns: Sequence[Column], known: Truth, called: dict[str, str]) -> _Clause:
    """The clause on right answers; or, where nobody knows, on equal ones."""
    groups = same_answers(columns, known.answers)
    if not groups:
        return _Clause("", differs=False)
    told = _of(groups, columns)
    if len(told) == 1:
        return _Clause("", differs=False)
    if all(group.refused for group in groups):
        return _Clause(f"{_nobody(told)} answers", differs=False)
    if known.answers and all(group.verdict for group in groups):
        return _judged(groups, told, called)
    return _unjudged(groups, told, called)


def _of(groups: Sequence[SameAnswer], columns: Sequence[Column]) -> list[Column]:
    """The columns that gave one of these answers, in their order."""
    marks = {column.mark for group in groups for column in group.columns}
    return [column for column in columns if column.mark in marks]


def _judged(groups: Sequence[SameAnswer], told: Sequence[Column], called: dict[str, str]) -> _Clause:
    rightly = [group for group in groups if group.verdict == "right"]
    right = _of(rightly, told)
    quoted = f": {rightly[0].quoted}" if len(rightly) == 1 and rightly[0].quoted else ""
    if not right:
        if len(groups) == 1 and groups[0].quoted:
            return _Clause(f"{_everyone(told)} answer {groups[0].quoted}, which is wrong", differs=False)
        return _Clause(f"{_nobody(told)} answers rightly", differs=False)
    if len(right) == len(told):
        return _Clause(f"{_everyone(told)} answer rightly{quoted}", differs=False)
    if len(right) == 1:
        said = f"only {_listed(right, called)} answers rightly{quoted}"
        return _Clause(said, differs=True, ahead=_marks(right))
    rest = _of([group for group in groups if group.verdict != "right"], told)
    verb = "does" if len(rest) == 1 else "do"
    said = f"{_listed(right, called)} answer rightly{quoted}, {_listed(rest, called)} {verb} not"
    return _Clause(said, differs=True, ahead=_marks(right))


def _unjudged(groups: Sequence[SameAnswer], told: Sequence[Column], called: dict[str, str]) -> _Clause:
    if len(groups) == 1:
        return _Clause(f"{_everyone(told)} answer {groups[0].quoted or 'the same'}", differs=False)
    refused = _of([group for group in groups if group.refused], told)
    given = [group for group in groups if not group.refused]
    verb = "does" if len(refused) == 1 else "do"
    none = f"{_listed(refused, called)} {verb} not answer" if refused else ""
    most = max(given, key=lambda group: len(group.columns))
    rest = _of([group for group in given if group is not most], told)
    same = most.quoted or "the same"
    if not rest:
        said = f"{_listed(most.columns, called)} {'answer' if len(most.columns) > 1 else 'answers'} {most.quoted}"
        return _Clause(", ".join(filter(None, [said.rstrip(), none])), differs=True)
    if len(most.columns) > 1:
        said = f"{_listed(most.columns, called)} answer {same}, {_listed(rest, called)} otherwise"
    else:
        said = "the answers differ" if len(given) == 2 else "no two answers are the same"
    return _Clause("; ".join(filter(None, [said, none])), differs=True)


def _passages(columns: Sequence[Column], called: dict[str, str]) -> _Clause:
    """The clause on passages that only one was given, where nobody knows what holds the evidence."""
    given = {one.mark: {chunk for p in given_passages(one.record) for chunk in p.chunks} for one in columns}
    every = set().union(*given.values())
    if len(columns) < 2 or not every:
        return _Clause("", differs=False)
    if all(own == every for own in given.values()):
        same = counted(len(every), "passage")
        return _Clause(f"{_everyone(columns)} were given the same {same}", differs=False)
    own = {
        one.mark: len(
            given[one.mark].difference(*(given[other.mark] for other in columns if other is not one))
        )
        for one in columns
    }
    alone = [one for one in columns if own[one.mark]]
    if not alone:
        shared = len(set.intersection(*given.values()))
        return _Clause(f"{_everyone(columns)} share {shared} of {len(every)} passages", differs=True)
    first, *others = alone
    if len(columns) == 2 and not others:
        (other,) = (one for one in columns if one is not first)
        without = f"that {called[other.mark]} was not"
    else:
        without = "that no other was" if len(columns) > 2 else "that the other was not"
    said = f"{called[first.mark]} was given {counted(own[first.mark], 'passage')} {without}"
    return _Clause(
        ", ".join([said, *(f"{called[one.mark]} {own[one.mark]}" for one in others)]), differs=True
    )
