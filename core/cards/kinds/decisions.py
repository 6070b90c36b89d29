"""The decisions of an agentic run as a tree, on a card and as a picture: question, tool, result, critique."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from core.cards.kind import (
    Gist,
    Kind,
    Picture,
    Scene,
    drawn_picture,
    items_of,
    numbered_cards,
    provenance,
)
from core.cards.narration import SceneContext, Sentence, first_words, quoted
from core.cards.parts import Aid, Card, Drawing
from core.cards.passages import Stars
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


def call_data(call: ToolCall, cited: Collection[str] = (), stars: Stars = frozenset()) -> dict[str, Any]:
    """One call with all that it brought back, for the drawing; used where the final answer cites a chunk of it."""
    sign, word = OUTCOMES[call.outcome]
    rows = call.table.rows if call.table else ()
    passages = () if call.table else call.passages
    failed = any(attempt.error for attempt in call.attempts)
    arguments = {name: value for name, value in call.arguments.items() if value != call.question}
    data: dict[str, Any] = {
        **call.model_dump(include={"number", "about", "why", "outcome", "text", "error", "note", "cypher"}),
        "tool": call.tool or "no tool",
        "arguments": [(name, value_text(value)) for name, value in arguments.items()],
        "sign": sign,
        "word": word,
        "columns": call.table.columns if call.table else (),
        "rows": [tuple(map(value_text, row)) for row in rows[:SHOWN_ROWS]],
        "hidden": max(0, len(rows) - SHOWN_ROWS),  # rows that are not shown
        "attempts": [(attempt.cypher, attempt.error) for attempt in call.attempts] if failed else [],
        "cards": numbered_cards(passages, stars),
        "used": any(passage.chunk in cited for passage in call.passages),
    }
    return data | {"told": _call_sentence(data), "brief": _brief(data)}


def critique_data(critique: Critique) -> dict[str, Any]:
    """The verdict on a round in words, for the drawing."""
    word = "Enough" if critique.complete else "Something is missing"
    return critique.model_dump(include={"complete", "reason", "questions", "ends"}) | {"word": word}


def tree_data(
    calls: Sequence[ToolCall],
    critiques: Sequence[Critique],
    answer: Answer | None,
    stars: Stars = frozenset(),
) -> dict[str, Any]:
    """The whole tree, as far as it has grown, for the drawing: per round its questions and the verdict on them."""
    cited = {item.chunk for item in answer.citations} if answer else set()
    verdicts = {critique.round: critique_data(critique) for critique in critiques}
    rounds = [
        {
            "number": number,
            "goals": _goals([call for call in calls if call.round == number], cited, stars),
            "critique": verdicts.get(number),
        }
        for number in sorted({call.round for call in calls} | set(verdicts))
    ]
    return {
        "rounds": rounds,
        "summary": f"{counted(len(calls), 'tool call')} in {counted(len(rounds), 'round')}",
        "offered": list(dict.fromkeys(name for call in calls for name in call.offered)),
    }


def _goals(calls: Sequence[ToolCall], cited: Collection[str], stars: Stars) -> list[dict[str, Any]]:
    """Each question with its calls; `text` has earlier answers filled in."""
    groups: dict[int, list[ToolCall]] = {}
    for call in calls:
        groups.setdefault(call.index, []).append(call)
    return [
        {
            "asked": group[0].asked,
            "text": group[0].question,
            "calls": [call_data(call, cited, stars) for call in group],
        }
        for _, group in sorted(groups.items())
    ]


def card(artefact: ToolCall | Critique, scene: Scene) -> Card:
    """All tool calls and critiques of the run, at the place of the first."""
    record = scene.record
    tree = tree_data(record.find(ToolCall), record.find(Critique), record.answer, scene.stars)
    drawing = Drawing("tool_calls", {"colour": scene.colour, **tree})
    # What is said of a single call stands beside it.
    return Card((Aid(READING), drawing, *provenance(artefact, note=False)), tree["summary"])


def _inside(record: Record) -> list[str]:
    """All but the first: they are one tree."""
    return [item.key for item in items_of(record) if isinstance(item.artefact, ToolCall | Critique)][1:]


def _gist(record: Record) -> str:
    calls = record.find(ToolCall)
    rounds = max((call.round for call in calls), default=0)
    tools = ", ".join(dict.fromkeys(call.tool for call in calls if call.tool))
    text = f"{counted(len(calls), 'tool call')} in {counted(rounds, 'round')}"
    return f"{text}: {tools}" if tools else text


READING_GOALS = (
    "The question on top is split into goals; each goes to tools, and a box says what came back. A filled number is a "
    "call that the answer cites. Below each round is what was missing. Choose a call to see its arguments and result."
)


def goals(scene: Scene) -> dict[str, Any] | None:
    """Data of the picture: `rounds` of goals with their calls, as far as they are; None: no tool was called."""
    record = scene.record
    calls = record.find(ToolCall)
    if not calls:
        return None
    tree = tree_data(calls, record.find(Critique), record.answer, scene.stars)
    used = sum(call["used"] for each in tree["rounds"] for goal in each["goals"] for call in goal["calls"])
    cited = f"The answer cites what {used} of {counted(len(calls), 'call')} brought." if record.answer else ""
    return tree | {"question": record.question, "cited": cited}


def _brief(call: dict[str, Any]) -> str:
    """The result of a call, in a few words."""
    rows, passages = len(call["rows"]) + call["hidden"], len(call["cards"])
    amount = counted(rows, "row") if rows else counted(passages, "passage") if passages else ""
    return " · ".join(filter(None, (f"{call['sign']} {call['word']}", amount)))


def _call_sentence(call: dict[str, Any]) -> str:
    """A call in a sentence, with its arguments."""
    arguments = ", ".join(f"{name}: {value}" for name, value in call["arguments"])
    used = " The final answer cites it." if call["used"] else ""
    return f"{call['tool']}{f' with {arguments}' if arguments else ''}: {call['word']}.{used}"


def _calls_sentence(calls: Sequence[ToolCall], scene: SceneContext) -> str:
    call = calls[-1]
    ended = {"nothing": "finds nothing", "failed": "fails", "not run": "is not run"}
    if len(calls) > 1:
        good = sum(call.outcome == "found" for call in calls)
        tools = ", ".join(f"“{name}”" for name in dict.fromkeys(call.tool for call in calls if call.tool))
        brought = "one brings" if good == 1 else f"{good or 'none'} bring"
        return f"{len(calls)} calls of {tools or 'no tool'}: {brought} something back."
    tool = f"“{call.tool.replace('_', ' ')}”" if call.tool else "No tool"
    if call.outcome != "found":
        return f"{tool} {ended[call.outcome]}: {quoted(call.question)}"
    back = call.short or first_words(call.text)
    return f"{tool} answers {quoted(call.question, 60)}{f' with {quoted(back, 60)}' if back else ''}"


def _critique_sentence(critiques: Sequence[Critique], scene: SceneContext) -> str:
    critique = critiques[-1]
    if critique.complete:
        return "The critique: enough is known to answer."
    if critique.questions:
        return f"The critique: something is missing. Asked next: {quoted(critique.questions[0])}"
    return f"Something is missing, but the loop ends. {critique.ends}"


def _picture(scene: Scene) -> Picture | None:
    return drawn_picture("The tree of goals", READING_GOALS, "goals", goals(scene), scene.colour)


KINDS = (
    Kind(
        key="tool_call",
        title="Decisions",
        icon="build",
        gist=Gist(10, _gist),
        card=card,
        inside=_inside,
        spans=True,
        sentence=Sentence(150, _calls_sentence),
        picture=_picture,
    ),
    Kind(
        key="critique",
        title="Critique",
        icon="rate_review",
        card=card,
        inside=_inside,
        spans=True,
        sentence=Sentence(140, _critique_sentence),
    ),
)
