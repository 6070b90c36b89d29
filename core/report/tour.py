"""The tour of a run: its report, and a bar that tells it sentence by sentence, as one HTML text that stands alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.kinds import KINDS
from core.cards.parts import Card, Heading, Part, Prose
from core.cards.texts import QUIET, doubted
from core.charts.timeline import kinds, reading
from core.report.page import Back, page
from core.report.run import RunPart, run_part
from core.runs.gallery import PIECES, read
from core.runs.record import Record, record
from core.strategies import strategies
from core.strategies.base import BASELINE
from core.strategies.lessons import Tour, tour
from core.trace.artefacts import Baseline, Ranking
from core.trace.events import Event
from core.wording import counted, number_word

FIRST = "What would plain retrieval have done?"
FIRST_OF_PLAIN = "What does plain retrieval do?"
LAST = "What did it cost?"
BESIDE = "Plain retrieval, in a run of its own"


@dataclass(frozen=True)
class TourStop:
    """A stop as its page shows it; raw text."""

    card: str
    part: Sequence[str]
    read: bool
    lead: str
    """The question that the sentence answers; empty: none is asked."""
    says: str


def tours() -> tuple[str, ...]:
    """Keys of the strategies that have a tour, in teaching order."""
    return tuple(key for key in strategies() if tour(key))


def strategy_tour(key: str, theme: str = "", back: Back | None = None) -> str:
    """The tour of a strategy through its run of the gallery.

    Args:
        theme: `light` or `dark` until the reader changes it; empty: the reader's own.
        back: Where it leads back to; None: it stands alone.

    Raises:
        KeyError: It has none.
        InputError: A file of the gallery or of the tour was changed and cannot be read any more.
    """
    found = tour(key)
    if found is None:
        raise KeyError(key)
    events, plain = tour_runs(key, found)
    return tour_page(events, found, plain, theme, back)


def tour_runs(key: str, found: Tour) -> tuple[Sequence[Event], Sequence[Event]]:
    """The events of a strategy's run and of plain retrieval's beside it; these may be empty."""
    piece = next(one for one in PIECES if one.id == found.piece)
    runs = dict(zip((one.strategy for one in piece.requests), read(piece)[1], strict=True))
    return runs[key], runs.get(BASELINE, ()) if key != BASELINE else ()


def tour_page(
    events: Sequence[Event],
    found: Tour,
    plain: Sequence[Event] = (),
    theme: str = "",
    back: Back | None = None,
) -> str:
    """The report of a run with the tour's bar.

    Args:
        events: All events of the run.
        plain: Those of plain retrieval with the same question, for a run that was not held against what it finds.
        theme: As for `strategy_tour`.
        back: The same.

    Raises:
        ValueError: The tour names a card that the run does not have.
    """
    part = tour_part(events, plain)
    unknown = {stop.card for stop in found.stops} - cards(part)
    if unknown:
        raise ValueError(f"the run has no card {', '.join(sorted(unknown))}")
    return page(
        "tour.html",
        part.started.question,
        {part.key: part.strategy.colour if part.strategy else QUIET},
        more="tour",
        theme=theme,
        back=back,
        kind="tour of a run",
        run=part,
        stops=resolve_stops(part, found),
        reading=reading(part.record),
        kinds=kinds([part.record]),
    )


def tour_part(events: Sequence[Event], plain: Sequence[Event] = ()) -> RunPart:
    """The run with what plain retrieval finds; arguments as for `tour_page`."""
    part = run_part(events, "run")
    if part.baseline is not None or not plain:
        return part
    return replace(part, baseline=_plain_run(record(plain)))


def _plain_run(run: Record) -> Card:
    """The run of plain retrieval: what it found, and what it made of that."""
    found = run.find(Ranking)[0]
    parts: list[Part] = [*card_of(found, Scene(run, QUIET, "beside")).parts]
    if run.answer:
        parts += [Heading("Its answer"), Prose(doubted(run.answer.text, run.answer))]
    kind = KINDS[Baseline.model_fields["kind"].default]
    return Card(parts, counted(len(found.used), "passage"), kind.key, BESIDE, kind.icon)


def resolve_stops(part: RunPart, found: Tour) -> list[TourStop]:
    """The sentences with the run's facts in them; the first and the last answer a question."""
    known = facts(part.record, part)
    leads = {len(found.stops) - 1: LAST, 0: FIRST_OF_PLAIN if part.started.strategy == BASELINE else FIRST}
    return [
        TourStop(stop.card, stop.part, stop.read, leads.get(place, ""), _filled(stop.says, known))
        for place, stop in enumerate(found.stops)
    ]


def _filled(says: str, known: Mapping[str, str]) -> str:
    text = says.format_map(known)
    return text[0].upper() + text[1:]


def facts(run: Record, part: RunPart) -> Mapping[str, str]:
    """The values that a sentence may have filled in: small numbers are words."""
    totals, came = run.totals, part.outcome
    counts = {
        "calls": totals.calls,
        "rounds": totals.rounds,
        "searches": sum(artefact.kind == "ranking" for step in run.steps for artefact in step.artefacts),
    }
    if came:
        counts |= {"found": came.found, "evidence": came.of, "given": came.given}
        counts |= {} if came.plain is None else {"plain_found": came.plain}
        counts |= {} if came.shared is None else {"shared": came.shared}
    return {
        **{name: number_word(count) for name, count in counts.items()},
        "tokens": f"{totals.tokens_in + totals.tokens_out:,}",
        "seconds": f"{totals.seconds:.2f}",
    }


def cards(part: RunPart) -> set[str]:
    """The names of the cards of a report."""
    apart = {
        "answer": True,
        "baseline": part.baseline,
        "calls": True,
        "evidence": part.evidence,
        "outcome": part.outcome,
        "picture": part.picture,
        "timeline": True,
        "totals": True,
    }
    found = {name for name, there in apart.items() if there}
    numbers: Counter[str] = Counter({"call": len(part.calls)})
    for row in part.rows:
        numbers.update(shown.card.kind for shown in row.shown)
    for kind, count in numbers.items():
        found |= {f"{kind} {number}" for number in range(1, count + 1)}
        found |= {kind} if count else set()
    return found
