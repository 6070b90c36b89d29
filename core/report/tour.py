"""The tour of a run: its report, and a bar that tells it sentence by sentence, as one HTML text that stands alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from core.cards.groups import card_of
from core.cards.kind import Scene
from core.cards.kinds import KINDS
from core.cards.parts import Card, Heading, Part, Prose
from core.cards.texts import QUIET, doubted
from core.charts.timeline import kinds, reading
from core.report.page import Back, page
from core.report.run import RunPart, diagram, run_part
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
    done: Sequence[str]
    """Nodes of the diagram that have run by then."""


def tours() -> tuple[str, ...]:
    """Keys of the strategies that have a tour, in teaching order."""
    return tuple(key for key in strategies() if tour(key))


def strategy_tour(key: str, theme: str = "", back: Back | None = None) -> str:
    """Return the tour of a strategy through its run of the gallery, in a theme (`light` or `dark`) until the reader
    changes it (empty: the reader's own), with a link `back` unless it stands alone.

    Raises:
        KeyError: It has none.
        InputError: A file of the gallery or of the tour was changed and cannot be read any more.
    """
    own_tour = tour(key)
    if own_tour is None:
        raise KeyError(key)
    events, plain = tour_runs(key, own_tour)
    return tour_page(events, own_tour, plain, theme, back)


def tour_runs(key: str, own_tour: Tour) -> tuple[Sequence[Event], Sequence[Event]]:
    """The events of a strategy's run and of plain retrieval's beside it; these may be empty."""
    piece = next(piece for piece in PIECES if piece.id == own_tour.piece)
    runs = dict(zip((request.strategy for request in piece.requests), read(piece)[1], strict=True))
    return runs[key], runs.get(BASELINE, ()) if key != BASELINE else ()


def tour_page(
    events: Sequence[Event],
    own_tour: Tour,
    plain: Sequence[Event] = (),
    theme: str = "",
    back: Back | None = None,
) -> str:
    """Return the report of a run with the tour's bar; `theme` and `back` as for `strategy_tour`. `plain` are the events
    of plain retrieval with the same question, for a run that was not compared with what it finds.

    Raises:
        ValueError: The tour names a card that the run does not have.
    """
    part = tour_part(events, plain)
    unknown = {stop.card for stop in own_tour.stops} - cards(part).keys()
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
        toured=True,
        run=part,
        idle=diagram(part.strategy, part.started.params) if part.strategy else None,
        stops=resolve_stops(part, own_tour),
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
    ranking = run.find(Ranking)[0]
    parts: list[Part] = [*card_of(ranking, Scene(run, QUIET, "beside")).parts]
    if run.answer:
        parts += [Heading("Its answer"), Prose(doubted(run.answer.text, run.answer))]
    kind = KINDS[Baseline.model_fields["kind"].default]
    return Card(parts, counted(len(ranking.used), "passage"), kind.key, BESIDE, kind.icon)


def resolve_stops(part: RunPart, own_tour: Tour) -> list[TourStop]:
    """The sentences with the run's facts in them; the first and the last answer a question."""
    known = facts(part.record, part)
    leads = {len(own_tour.stops) - 1: LAST, 0: FIRST_OF_PLAIN if part.started.strategy == BASELINE else FIRST}
    steps, reached = part.record.steps, cards(part)
    shown = list(accumulate((reached[stop.card] for stop in own_tour.stops), max))
    return [
        TourStop(
            stop.card,
            stop.part,
            stop.read,
            leads.get(place, ""),
            _filled(stop.says, known),
            tuple(dict.fromkeys(step.node for step in steps[: shown[place]])),
        )
        for place, stop in enumerate(own_tour.stops)
    ]


def _filled(says: str, known: Mapping[str, str]) -> str:
    text = says.format_map(known)
    return text[0].upper() + text[1:]


def facts(run: Record, part: RunPart) -> Mapping[str, str]:
    """The values that a sentence may have filled in: small numbers are words."""
    totals, result = run.totals, part.outcome
    counts = {
        "calls": totals.calls,
        "rounds": totals.rounds,
        "searches": sum(artefact.kind == "ranking" for step in run.steps for artefact in step.artefacts),
    }
    if result:
        counts |= {"found": result.found, "evidence": result.of, "given": result.given}
        counts |= {} if result.plain is None else {"plain_found": result.plain}
        counts |= {} if result.shared is None else {"shared": result.shared}
    return {
        **{name: number_word(count) for name, count in counts.items()},
        "tokens": f"{totals.tokens_in + totals.tokens_out:,}",
        "seconds": f"{totals.seconds:.2f}",
    }


def cards(part: RunPart) -> Mapping[str, int]:
    """Return the names of the cards of a report, each with the number of steps that have run when there is such a card;
    picture and evidence are there before the answer."""
    steps = {step.id: number for number, step in enumerate(part.record.steps, 1)}
    last = len(steps)
    sections = {
        "answer": last,
        "baseline": 0 if part.baseline else None,
        "calls": last,
        "evidence": last - 1 if part.evidence else None,
        "outcome": last if part.outcome else None,
        "picture": last - 1 if part.picture else None,
        "timeline": last,
        "totals": last,
    }
    found = {name: number for name, number in sections.items() if number is not None}
    shown = [one for row in part.rows for one in row.shown]
    made = [(one.card.kind, max(steps[item.step.id] for item in one.items)) for one in shown]
    made += [("call", steps.get(call.step, last)) for call in part.record.calls]
    numbers: Counter[str] = Counter()
    for kind, number in made:
        numbers[kind] += 1
        found.setdefault(kind, number)
        found[f"{kind} {numbers[kind]}"] = number
    return found
