"""Questions to predict, with their truth, from what this app stores: comparisons, runs and lessons.

Options stand in an order that does not give the answer away: that of the columns or of the lesson, which the class sees
elsewhere as well, that of a scale, or one by the hash of their text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from string import ascii_uppercase

from pydantic import ValidationError

from core.cards.grid import list_columns
from core.cards.kinds.grades import VERDICTS
from core.cards.narration import NAME, SceneContext, quoted
from core.cards.outcome import outcome
from core.cards.passages import names
from core.cards.replay import best_sentence
from core.cards.texts import unformatted
from core.cards.turns import OUT_OF, WAYS, WHAT
from core.charts.columns import Column, columns
from core.classroom.questions import MAX_OPTION, MAX_TEXT, Option, Question, Source
from core.runs.comparisons import ComparisonStore
from core.runs.record import Record, record
from core.runs.store import RunStore
from core.strategies import lessons, node_titles, strategies
from core.strategies.families import path
from core.strategies.lessons import lesson
from core.trace.artefacts import Answer, AnyArtefact, Fusion, Grade, ToolCall
from core.trace.gold import Gold
from core.wording import counted, listed, ordinal, shortened

EVIDENCE, ANSWER = "Which strategy finds the most evidence?", "Which strategy gets the answer right?"
"""Questions of the presenter of a comparison, the first of them where the evidence is known."""
NONE = "None of them"
EXCERPT = 280
"""Characters of a passage or a draft that are quoted: phone and projector show them above the options."""
LEADERS = 4
"""Passages among which the first after fusion is guessed."""
TEMPTING = ("search_documents", "text2cypher")
"""Tools that can try any question."""
TOOLS = 4

Questions = dict[str, Question]
"""Name of what is asked, e.g. `fusion` -> the question."""


@dataclass
class _Asking:
    """The questions on one thing as they are found."""

    source: Source
    target: str
    questions: Questions = field(default_factory=dict)

    def ask(
        self, name: str, text: str, options: Mapping[str, bool], about: str, after: str, notes: str = ""
    ) -> None:
        """Add a question whose texts are cut to fit; not where there is nothing to choose, or no option is right.

        Args:
            options: Text of each, in order -> True if it is right.
        """
        texts = {shortened(option, MAX_OPTION): right for option, right in options.items()}
        with suppress(ValidationError):
            self.questions[name] = Question(
                text=shortened(text, MAX_TEXT),
                about=_lines(about),
                options=tuple(
                    Option(key=key, text=option, right=right)
                    for key, (option, right) in zip(ascii_uppercase, texts.items(), strict=False)
                ),
                after=shortened(after, MAX_TEXT),
                source=self.source,
                target=self.target,
                notes=shortened(notes, MAX_TEXT),
            )


def _lines(text: str) -> str:
    """A text of several lines, each on one, cut to fit."""
    whole = "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))
    return whole if len(whole) <= MAX_TEXT else shortened(whole, MAX_TEXT)


def questions_from(source: Source, target: str, runs: RunStore, comparisons: ComparisonStore) -> Questions:
    """All questions on the comparison or run with this id, or the lesson with this key; empty: there is none.

    Raises:
        UnknownRun: The comparison, the run or one of its runs is not stored.
        StoreError: The database cannot be read.
    """
    match source:
        case "comparison":
            comparison = comparisons.get(target)
            records = [record(runs.events(run)) for run in comparison.runs]
            return of_comparison(columns(records), comparison.gold, comparison.question, target)
        case "run":
            return of_run(record(runs.events(target)), target)
        case "lesson":
            return of_lesson(target)
    return {}


# Comparisons


def of_comparison(
    beside: Sequence[Column], gold: Sequence[Gold], question: str, target: str = ""
) -> Questions:
    """Questions for the strategy that finds the most evidence, answers correctly, or costs most; without what nobody
    knows, and empty unless all have ended. The letter of an option is that of its column. Arguments as of
    `core.drawings.presenter.presentation`; `target` is the id of the comparison."""
    from core.drawings.presenter import presentation  # pages of students need no drawings

    if any(column.record.under_way for column in beside):
        return {}
    asking = _Asking("comparison", target)
    titles = {column.mark: column.name.removeprefix(f"{column.mark} · ") for column in beside}
    if len(set(titles.values())) < len(titles):
        titles = {column.mark: column.name for column in beside}

    def ask(name: str, text: str, marks: Collection[str], after: str, *more: str) -> None:
        options = {title: mark in marks for mark, title in titles.items()} | dict.fromkeys(more, not marks)
        asking.ask(name, text, options, question, after)

    def ask_most(name: str, text: str, unit: str, values: Mapping[str, int]) -> None:
        most = [mark for mark, value in values.items() if value == max(values.values())]
        if len(most) < len(values):
            each = ", ".join(f"{titles[mark]} {value:,}" for mark, value in values.items())
            ask(name, text, most, f"{unit}: {each}.")

    shown = presentation(beside, gold, question)
    if shown.gold:
        ask("evidence", EVIDENCE, shown.best, shown.outcome, NONE)
    verdicts = {slide.mark: slide.judged["verdict"] if slide.judged else "" for slide in shown.slides}
    if any(verdicts.values()) and "unclear" not in verdicts.values():
        right = [mark for mark, verdict in verdicts.items() if verdict == "right"]
        ask("answer", ANSWER, right, shown.outcome, NONE)
    totals = {column.mark: column.record.totals for column in beside}
    calls = {mark: one.calls for mark, one in totals.items()}
    ask_most("calls", "Which strategy makes the most model calls?", "Model calls", calls)
    if all(one.tokens_known for one in totals.values()):
        tokens = {mark: one.tokens_in + one.tokens_out for mark, one in totals.items()}
        ask_most("tokens", "Which strategy costs the most tokens?", "Tokens", tokens)
    return asking.questions


# Runs


def of_run(run: Record, target: str = "") -> Questions:
    """Questions on a run, as far as its artefacts know the truth: the finds of plain retrieval, the first passage after
    fusion, grades, the first tool; empty unless it has finished. `target` is its id."""
    if run.started is None or run.state != "finished":
        return {}
    asking = _Asking("run", target or run.started.run)
    for ask in (_ask_plain, _ask_fusion, _ask_tool, _ask_grades):
        ask(run, asking)
    return asking.questions


def _ask_plain(run: Record, asking: _Asking) -> None:
    """Ask for the evidence that plain retrieval finds with as many passages."""
    known = outcome(run, judge=False)
    if known is None or known.plain is None or not known.of:
        return
    every = {1: "Yes", 2: "Both"}.get(known.of, f"All {known.of}")
    words = ["No" if known.of == 1 else "None", *map(str, range(1, known.of)), every]
    what = "Is the evidence" if known.of == 1 else f"How many of the {known.of} pieces of evidence are"
    asking.ask(
        "evidence",
        f"One search with the question as it is brings {counted(known.given, 'passage')}. {what} among them?",
        {word: count == known.plain for count, word in enumerate(words)},
        run.question,
        f"{columns([run])[0].title}: {known.evidence[0].lower()}{known.evidence[1:]}; {known.beside}.",
    )


def _ask_fusion(run: Record, asking: _Asking) -> None:
    """Ask for the first passage after fusion; options are leaders of the single lists."""
    fusion = next(reversed(run.find(Fusion)), None)
    if fusion is None or len(fusion.lists) < 2:
        return
    lists = [column.name for column in list_columns(fusion.lists)]
    rows = [row for row in fusion.places if any(row.ranks[: len(lists)])]
    if not rows or all(rank == 1 for rank in rows[0].ranks):  # nothing is left to guess
        return
    leading = [row for row in rows if 1 in row.ranks]
    chosen = list({row.passage.chunk: row for row in (rows[0], *leading, *rows)}.values())[:LEADERS]
    called = names((row.passage for row in fusion.rows), NAME)
    options = {}
    for row in chosen:
        ranks = {name: rank for name, rank in zip(lists, row.ranks, strict=False) if rank}
        best = [name for name, rank in ranks.items() if rank == min(ranks.values())]
        place = f"{ordinal(ranks[best[0]])} in {listed(best)}"
        options[f"{called[row.passage.chunk]} ({place})"] = row is rows[0]
    asking.ask(
        "fusion",
        f"{len(fusion.lists)} searches give {len(fusion.lists)} lists. Which passage is first when they are fused?",
        _by_hash(options),
        run.question,
        _sentence(run, fusion),
        _until(run, fusion),
    )


def _ask_tool(run: Record, asking: _Asking) -> None:
    """Ask for the first tool that the agent chooses."""
    call = next((call for call in run.find(ToolCall) if call.tool), None)
    if call is None:
        return
    others = {name: False for name in call.offered if name != call.tool}
    tempting = {name: False for name in TEMPTING if name in others}
    names = dict(list({call.tool: True, **tempting, **_by_hash(others)}.items())[:TOOLS])
    part = "" if call.question == run.question else f"\nIts first part: {call.question}"
    asking.ask(
        "tool",
        "Which tool does the agent choose first?",
        {name.replace("_", " "): right for name, right in _by_hash(names).items()},
        f"{run.question}{part}",
        f"{_sentence(run, call).rstrip('.')}. {call.about}",
        _until(run, call),
    )


def _ask_grades(run: Record, asking: _Asking) -> None:
    """Ask for the grade of a passage, a draft, a search; of several alike, one whose verdict is rare."""
    graded: defaultdict[str, list[tuple[Grade, str]]] = defaultdict(list)
    draft = ""
    for _, artefact in run.artefacts:
        if isinstance(artefact, Answer) and not artefact.final:
            draft = artefact.text
        elif isinstance(artefact, Grade):
            graded[artefact.what].append((artefact, draft))
    for what, grades in graded.items():
        often = Counter(grade.verdict for grade, _ in grades)
        grade, draft = min(grades, key=lambda pair: often[pair[0].verdict])
        case = ""
        if passage := grade.passage:
            excerpt = unformatted(passage.text).strip().removeprefix(passage.heading)
            case = f"Passage from {quoted(passage.title)}: {quoted(excerpt, EXCERPT)}"
        elif what in ("IsSup", "IsUse"):
            case = f"Draft: {quoted(unformatted(draft), EXCERPT)}"
        of, ways = OUT_OF.get(what, ""), WAYS if what == "Search" else {}
        options = {
            verdict.capitalize() + of + (f": {ways[verdict]}" if ways else ""): verdict == grade.verdict
            for verdict in VERDICTS[what]
        }
        asking.ask(
            f"grade-{what}",
            f"{WHAT[what]} Which grade is given?",
            options,
            f"{run.question}\n{case}",
            f"The grade is “{grade.verdict}{of}”. {grade.reason}",
            _until(run, grade),
        )


def _by_hash(options: Mapping[str, bool]) -> dict[str, bool]:
    return dict(
        sorted(options.items(), key=lambda option: sha256(option[0].encode(errors="replace")).digest())
    )


def _sentence(run: Record, artefact: AnyArtefact) -> str:
    """The sentence of the replay on an artefact."""
    return best_sentence(SceneContext(run, (artefact,), ()))


def _until(run: Record, artefact: AnyArtefact) -> str:
    """Says how far a teacher replays a run before the vote."""
    step = next(step for step, other in run.artefacts if other is artefact)
    title = node_titles(run.started).get(step.node, step.node)
    return f"Replay the run before the vote, but stop before “{title}”."


# Lessons


def of_lesson(key: str) -> Questions:
    """The guess and the exercise of the lesson with this key; empty where it has neither."""
    parts, asking = lesson(key), _Asking("lesson", key)
    title = next((one.title for one in path(strategies().values()) if one.key == key), key)
    where = f"From the lesson “{title}”."
    if guess := parts.guess:
        notes = f"{where} Show its picture first, as it is at the beginning."
        asking.ask("guess", guess.question, _right(guess), "", guess.after, notes)
    if exercise := parts.exercise:
        asking.ask("exercise", exercise.question, _right(exercise), "", exercise.explanation, where)
    return asking.questions


def _right(question: lessons.Question) -> dict[str, bool]:
    return {text: key == question.right for key, text in question.options.items()}
