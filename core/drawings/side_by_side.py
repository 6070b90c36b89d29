"""Several runs side by side: state, answer, what it cost, evidence and steps of each, as far as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from core.cards.kinds.evidence import answer_view, context_view, score_name
from core.cards.outcome import VERDICTS, missed, rating
from core.cards.parts import Mark
from core.cards.passages import names
from core.cards.recorded import answer_mark, origin, step_mark, tiny_wrote
from core.cards.status import status_line, stopped_before, totals_view
from core.cards.texts import doubt_note, drafted
from core.charts.columns import Column
from core.charts.difference import SameAnswer, same_answers, searches, with_as_many
from core.charts.shared_evidence import gold_found
from core.evaluation.answers import Verdict
from core.runs.budget import LookUp, chunks_given
from core.runs.record import Record, Step
from core.strategies import node_titles
from core.trace.artefacts import Answer
from core.trace.gold import Gold, Known
from core.wording import counted

Prices = Mapping[str, tuple[float, float]]
"""Model name -> US dollars per million tokens sent and written."""


def cost(record: Record, prices: Prices) -> float | None:
    """US dollars for the calls of a run, those that its parent paid left out; None where a price or a number of tokens
    is not known. The built-in model costs nothing, nor does a reply that was played from a recording."""
    if record.started is None:
        return None
    total = 0.0
    for call in record.calls:
        if call.inherited or call.builtin or call.recorded:
            continue
        sent, written = call.usage.input, call.usage.output
        if call.model not in prices or sent is None or written is None:
            return None
        price_sent, price_written = prices[call.model]
        total += (sent * price_sent + written * price_written) / 1e6
    return total


JUDGED: dict[Verdict, str] = {"right": "✓", "wrong": "✗", "refusal": "–", "unclear": "?"}
SIGNS = {"running": "…", "paused": "‖", "finished": "✓", "failed": "✗", "stopped": "■"}


def live_columns(
    columns: Sequence[Column],
    known: Known = Known(),  # noqa: B008
    prices: Prices | None = None,
    attempts: int = 4,
    replayed: Sequence[str] = (),
    looked: Mapping[str, LookUp] | None = None,
) -> dict[str, Any]:
    """Return all columns as plain values for the page, made anew at every redraw: the runs as far as they are,
    beside what is known, with the models' prices. `attempts` are the tries per model call in all; `replayed` is
    what each does in the scene of a replay, empty where it is at its end; none: it is no replay. `looked` has, by run,
    the evidence that it missed, as its corpus has it."""
    ended = all(column.record.state != "running" for column in columns)
    numbers = [_numbers(column.record, prices or {}) for column in columns]
    shown = any(own["Cost"] is not None for own in numbers)
    played = any(column.record.totals.played for column in columns)
    same = same_answers(columns, known.answers)
    folded = ended and any(len(answer.columns) > 1 for answer in same)
    views = []
    for column, own, doing in zip(columns, numbers, replayed or [""] * len(columns), strict=True):
        figures = [
            {"name": name, "value": text, "explains": explains}
            # What was played took no time of a model, and cost nobody anything: no column is quicker for that.
            | {"best": ended and not (played and name in ("Seconds", "Cost")) and _best(name, own, numbers)}
            | {"replayed": name == "Seconds" and column.record.totals.played > 0}
            for name, (text, explains) in _figures(column.record, own["Cost"]).items()
            if name != "Cost" or shown
        ]
        verdict = next((answer.said for answer in same if column in answer.columns), None)
        outcome = _outcome(column, known.gold, None if folded else verdict, (looked or {}).get(column.run))
        view = _column(column, known.gold, attempts) | {"figures": figures, "outcome": outcome}
        views.append(view | ({"status": doing, "stops": False} if doing else {}))
    return {
        "columns": views,
        "ended": ended,
        # Each answer once, where several columns gave the same; empty: each column has its own.
        "answers": [_answer(answer) for answer in same] if folded else [],
    }


def _answer(answer: SameAnswer) -> dict[str, Any]:
    return {
        "columns": [
            {"mark": column.mark, "title": column.title, "colour": column.colour} for column in answer.columns
        ],
        "run": answer.columns[0].run,
        "text": f"{answer.text} ({answer.doubt})" if answer.doubt else answer.text,
        "judged": judged_view(answer.said),
        "weak": any(tiny_wrote(column.record) for column in answer.columns),
    }


def _outcome(
    column: Column, gold: Sequence[Gold], verdict: Verdict | None, looked: LookUp | None
) -> dict[str, Any] | None:
    """The outcome of an ended column; None: it has not ended, or nobody knows what it should have come to."""
    if column.record.under_way:
        return None
    searched = searches(column)
    gold = gold if searched else ()
    pieces = gold_found(column, gold)
    passages = counted(chunks_given(column.record), "passage")
    return {
        "stars": rating(pieces, len(gold)),
        "all": bool(gold) and pieces == len(gold),
        "evidence": _evidence(pieces, len(gold)),
        "passages": f"in {passages}" if gold else f"{passages} given" if searched else "",
        "plain": with_as_many(column, gold),
        "missed": [asdict(piece) for piece in missed(column.record, gold, looked)],
        "judged": judged_view(verdict),
    }


def _evidence(found: int, of: int) -> str:
    """How much of the evidence was found, to go before the number of passages; empty where nobody knows."""
    if of == 1:
        return "Evidence found" if found else "Evidence not found"
    return f"{found} of {of} pieces of evidence" if of else ""


def judged_view(verdict: Verdict | None) -> dict[str, str] | None:
    """A verdict with its sign; None: nobody knows the right answer."""
    if verdict is None:
        return None
    return {"verdict": verdict, "sign": JUDGED[verdict], "said": VERDICTS[verdict][1]}


def _numbers(record: Record, prices: Prices) -> dict[str, float | None]:
    totals = record.totals
    return {
        "Calls": totals.calls,
        "Rounds": totals.rounds,
        "Tokens": totals.tokens_in + totals.tokens_out if totals.tokens_known else None,
        "Seconds": totals.seconds,
        "Cost": cost(record, prices),
    }


def _figures(record: Record, dollars: float | None) -> dict[str, tuple[str, str]]:
    """Name of a figure -> its value in words, and how it comes about; `dollars` as from `cost`."""
    figures = {figure.label: (figure.value, figure.help) for figure in totals_view(record)}
    seconds = f"{record.totals.seconds:.1f} s"
    shared = f"{figures['Seconds'][1]} Columns that run at once share the machine."
    price = "unknown" if dollars is None else f"${dollars:.4f}" if dollars < 0.1 else f"${dollars:.2f}"
    explained = "Tokens times the prices that were set for the model, in US dollars."
    return figures | {"Seconds": (seconds, shared), "Cost": ("free" if dollars == 0 else price, explained)}


def _best(name: str, own: Mapping[str, float | None], every: Sequence[Mapping[str, float | None]]) -> bool:
    """True if no other column has a better figure, and some a worse one."""
    values = [value for other in every if (value := other[name]) is not None]
    return own[name] is not None and own[name] == min(values) < max(values)


def _column(column: Column, gold: Sequence[Gold], attempts: int) -> dict[str, Any]:
    """One column without its figures and its outcome; all text is raw."""
    record = column.record
    answer, context = record.answer, record.context
    text = answer_view(answer, context)[0] if answer else drafted(record.draft)
    question = record.question
    given_cards, rest = context_view(context, answer, score_name(record), question) if context else ((), ())
    passages = {item.passage.chunk: item.passage for item in context.passages} if context else {}
    called = names(context.given_passages) if context else {}
    titles = node_titles(record.started)
    return {
        "mark": column.mark,
        "title": column.title,
        "detail": column.detail,
        "colour": column.colour,
        "run": column.run,
        "state": record.state,
        "sign": SIGNS[record.state],
        # Whether it can be stopped.
        "stops": record.state == "running",
        "status": _status(record, titles, attempts),
        # Where its replies come from, if its model did not give all of them, and what its answer's step had of it.
        "origin": origin(record),
        "recorded": _mark(answer_mark(record)),
        "answer": text,
        "draft": answer is None and record.state == "running",
        "abstained": answer.abstained if answer else False,
        # Whether the tiny built-in model wrote the answer.
        "weak": tiny_wrote(record),
        # Where it abstained, a line of its own says so.
        "note": _note(answer) if answer else "",
        "cards": [
            # Their place in the document is shown only when they are unfolded.
            {
                "card": asdict(replace(card, title=called[card.id])),
                # What it holds of the evidence, in words; empty: nothing.
                "gold": "\n".join(piece.name for piece in gold if piece.held_by(passages[card.id])),
            }
            for card in given_cards
        ],
        # Passages found and not given to the answer.
        "left": len(rest),
        "steps": [_step(step, titles, record) for step in record.steps],
    }


def _note(answer: Answer) -> str:
    note = "" if answer.abstained else doubt_note(answer)
    return " ".join(filter(None, (note, answer.note)))


def _status(record: Record, titles: dict[str, str], attempts: int) -> str:
    """The step under way, or the end of the run, in words."""
    match record.state:
        case "running":
            return status_line(record, titles, attempts)
        case "finished":
            return f"Done in {record.totals.seconds:.1f} s"
        case "paused":
            return stopped_before(record, titles)
        case "stopped":
            return f"Stopped. {record.error}"
    return f"Failed. {record.error}"


def _mark(mark: Mark | None) -> dict[str, Any] | None:
    return asdict(mark) if mark else None


def _step(step: Step, titles: Mapping[str, str], record: Record) -> dict[str, Any]:
    seconds = (record.seconds if step.end is None else step.end) - step.start
    return {
        "title": titles.get(step.node, step.node),
        "detail": step.label,
        "state": step.state,
        "seconds": f"{max(0.0, seconds):.2f} s",
        "recorded": _mark(step_mark(step, record)),
    }
