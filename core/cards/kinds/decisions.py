"""The decisions of an agentic run as a tree: question, tool, arguments, result, critique, what was asked next."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from core.cards.kind import Gist, Kind, Scene, provenance
from core.cards.parts import Aid, Card, Drawing
from core.cards.passages import PassageCard, passage_card
from core.knowledge.records import value_text
from core.runs.record import Record
from core.trace.artefacts import Answer, Critique, ToolCall
from core.wording import counted

OUTCOMES = {
    "found": ("✓", "found"),
    "nothing": ("∅", "found nothing"),
    "failed": ("✗", "failed"),
    "not run": ("✗", "not run"),
}
SHOWN_ROWS = 20
READING = (
    "Read it from the top: each question goes to a tool with these arguments, and this came back. "
    "A filled mark says that the final answer cites it; rows, queries and passages are one click away."
)


@dataclass(frozen=True)
class CallView:
    """One tool call; raw text."""

    number: int
    tool: str
    """Its name, or that there is none."""
    about: str
    """What its description says."""
    why: str
    arguments: tuple[tuple[str, str], ...]
    """Name and value of each; without the question itself, which stands above."""
    outcome: str
    sign: str
    word: str
    """The outcome as a sign and in words."""
    text: str
    error: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    hidden: int
    """Rows that are not shown."""
    cypher: str
    attempts: tuple[tuple[str, str], ...]
    """Queries that were written, each with its error; only where one of them failed."""
    cards: tuple[PassageCard, ...]
    """Passages of documents that it brought in."""
    used: bool = False
    """Whether the final answer cites what it brought in."""


@dataclass(frozen=True)
class QuestionView:
    """A question and its calls; raw text."""

    asked: str
    question: str
    """With earlier answers filled in; empty: as it was asked."""
    calls: tuple[CallView, ...]


@dataclass(frozen=True)
class CritiqueView:
    """A verdict on a round; raw text."""

    complete: bool
    word: str
    reason: str
    questions: tuple[str, ...]
    ends: str


@dataclass(frozen=True)
class RoundView:
    """The questions of a round and the verdict on it."""

    number: int
    questions: tuple[QuestionView, ...]
    critique: CritiqueView | None


@dataclass(frozen=True)
class TreeView:
    """All decisions of a run."""

    rounds: tuple[RoundView, ...]
    summary: str
    offered: tuple[str, ...]
    """Tools that there were to choose from."""

    def data(self) -> dict[str, object]:
        """As plain values, for the page."""
        return asdict(self)


def tool_call_view(artefact: ToolCall) -> CallView:
    """One call with all that it brought back."""
    sign, word = OUTCOMES[artefact.outcome]
    table = artefact.table
    rows = table.rows if table else ()
    failed = any(attempt.error for attempt in artefact.attempts)
    return CallView(
        number=artefact.number,
        tool=artefact.tool or "no tool",
        about=artefact.about,
        why=artefact.why,
        arguments=tuple(
            (name, value_text(value))
            for name, value in artefact.arguments.items()
            if value != artefact.question
        ),
        outcome=artefact.outcome,
        sign=sign,
        word=word,
        text=artefact.text,
        error=artefact.error,
        note=artefact.note,
        columns=table.columns if table else (),
        rows=tuple(tuple(map(value_text, row)) for row in rows[:SHOWN_ROWS]),
        hidden=max(0, len(rows) - SHOWN_ROWS),
        cypher=artefact.cypher,
        attempts=tuple((a.cypher, a.error) for a in artefact.attempts) if failed else (),
        cards=tuple(
            passage_card(passage, rank, None, "")
            for rank, passage in enumerate(artefact.passages if table is None else (), 1)
        ),
    )


def critique_view(artefact: Critique) -> CritiqueView:
    """The verdict in words."""
    word = "Enough" if artefact.complete else "Something is missing"
    return CritiqueView(artefact.complete, word, artefact.reason, artefact.questions, artefact.ends)


def tree_view(calls: Sequence[ToolCall], critiques: Sequence[Critique], answer: Answer | None) -> TreeView:
    """The whole tree, as far as it has grown.

    Args:
        calls: Of the run, in order.
        critiques: Of the run, in order.
        answer: The final one, for what it used; None: it is not there yet.
    """
    cited = {item.chunk for item in answer.citations} if answer else set()
    verdicts = {critique.round: critique_view(critique) for critique in critiques}
    numbers = sorted({call.round for call in calls} | set(verdicts))
    rounds = tuple(
        RoundView(
            number, _questions([call for call in calls if call.round == number], cited), verdicts.get(number)
        )
        for number in numbers
    )
    summary = f"{counted(len(calls), 'tool call')} in {counted(len(numbers), 'round')}"
    offered = tuple(dict.fromkeys(name for call in calls for name in call.offered))
    return TreeView(rounds, summary, offered)


def _questions(calls: Sequence[ToolCall], cited: Collection[str]) -> tuple[QuestionView, ...]:
    groups: dict[int, list[ToolCall]] = {}
    for call in calls:
        groups.setdefault(call.index, []).append(call)
    return tuple(
        QuestionView(
            asked=group[0].asked,
            question=group[0].question if group[0].question != group[0].asked else "",
            calls=tuple(
                replace(tool_call_view(call), used=any(passage.chunk in cited for passage in call.passages))
                for call in group
            ),
        )
        for _, group in sorted(groups.items())
    )


def card(artefact: ToolCall | Critique, scene: Scene) -> Card:
    """All tool calls and critiques of the run, at the place of the first."""
    record = scene.record
    tree = tree_view(record.find(ToolCall), record.find(Critique), record.answer)
    drawing = Drawing("tool_calls", {"colour": scene.colour, **tree.data()})
    # What is said of a single call stands beside it.
    return Card((Aid(READING), drawing, *provenance(artefact, note=False)), tree.summary)


def _inside(record: Record) -> Iterator[tuple[str, int]]:
    """All but the first: they are one tree."""
    tree = False
    for step in record.steps:
        for place, artefact in enumerate(step.artefacts):
            if isinstance(artefact, ToolCall | Critique):
                if tree:
                    yield step.id, place
                tree = True


def _gist(record: Record) -> str:
    calls = record.find(ToolCall)
    rounds = max((call.round for call in calls), default=0)
    tools = ", ".join(dict.fromkeys(call.tool for call in calls if call.tool))
    text = f"{counted(len(calls), 'tool call')} in {counted(rounds, 'round')}"
    return f"{text}: {tools}" if tools else text


KINDS = (
    Kind(
        key="tool_call",
        title="Decisions",
        icon="build",
        moment="A tool's result",
        gist=Gist(10, _gist),
        card=card,
        inside=_inside,
        spans=True,
    ),
    Kind(
        key="critique",
        title="Critique",
        icon="rate_review",
        moment="The critique",
        card=card,
        inside=_inside,
        spans=True,
    ),
)
