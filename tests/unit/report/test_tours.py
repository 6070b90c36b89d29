"""Tours: what is said about a run is about that run, and every page of one stands alone."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from core.report.run import run_report
from core.report.tour import FIRST, LAST, cards, resolve_stops, strategy_tour, tour_page, tour_part, tour_runs
from core.runs.record import record
from core.strategies import strategies
from core.strategies.base import BASELINE
from core.strategies.lessons import Stop, Tour, tour
from core.trace.artefacts import AnyArtefact
from core.trace.events import Event, RunStarted
from tests import examples
from tests.cases import cases
from tests.unit.report.reading import reading
from tests.unit.report.test_run_report import EVIL, poisoned

FEWEST, MOST, WORDS = 8, 12, 30
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
PART = re.compile(r"[a-z_]+(?: [1-9]\d*)?(?: > [a-z_]+(?: [1-9]\d*)?)*")
KEYS = tuple(strategies())


@cache
def toured(key: str) -> tuple[Tour, Sequence[Event], Sequence[Event]]:
    found = tour(key)
    assert found is not None, f"{key} has no tour"
    return found, *tour_runs(key, found)


def artefacts(*runs: Sequence[Event]) -> list[AnyArtefact]:
    return [one for events in runs for step in record(events).steps for one in step.artefacts]


def digest(made: Sequence[AnyArtefact]) -> str:
    """The artefacts of a run in twelve digits: with others, what was said of it has to be read again."""
    dumped = json.dumps([artefact.model_dump(mode="json") for artefact in made], sort_keys=True)
    return hashlib.sha256(dumped.encode()).hexdigest()[:12]


@cases("key", KEYS)
def test_a_tour_is_about_its_run(key: str) -> None:
    found, events, plain = toured(key)
    started = events[0]
    assert isinstance(started, RunStarted)
    assert started.strategy == key
    made = digest(artefacts(events, plain))
    assert found.made == made, f"The run has changed: read what is said of it again, then write {made}"
    part = tour_part(events, plain)
    assert {stop.card for stop in found.stops} <= cards(part).keys()
    assert all(PART.fullmatch(one) for stop in found.stops for one in stop.part)


@cases("key", KEYS)
def test_a_tour_is_told_in_short_sentences_from_plain_retrieval_to_what_it_cost(key: str) -> None:
    found, events, plain = toured(key)
    said = resolve_stops(tour_part(events, plain), found)
    assert FEWEST <= len(said) <= MOST
    assert said[0].card == ("ranking 1" if key == BASELINE else "baseline")
    assert said[-1].lead == LAST
    assert said[-1].card == "totals"
    assert all("{" + name + "}" in found.stops[-1].says for name in ("calls", "seconds"))
    for stop in said:
        assert len(stop.says.split()) <= WORDS, stop.says
        assert re.fullmatch(r"[A-Z“][^\n]*[.?]", stop.says), stop.says
        assert not re.search(r"[.?!] [A-Z]", stop.says), f"more than one sentence: {stop.says}"
    if key != BASELINE:
        assert said[0].lead == FIRST


@cases("key", KEYS)
def test_numbers_in_a_tour_stand_in_its_run(key: str) -> None:
    found, events, plain = toured(key)
    page = reading(run_report(events))
    text = " ".join(
        [page.text, json.dumps(page.drawings), *(one.model_dump_json() for one in [*events, *plain])]
    )
    known = {float(one.replace(",", "")) for one in NUMBER.findall(text)}
    said = " ".join(stop.says for stop in found.stops)
    assert [one for one in NUMBER.findall(said) if not _known(one.replace(",", ""), known)] == []


def _known(number: str, known: set[float]) -> bool:
    """True if it is one of them, perhaps rounded, or as percent."""
    digits = len(number.partition(".")[2])
    return float(number) in known or any(float(number) in (round(one, digits), 100 * one) for one in known)


@cases("key", KEYS)
def test_the_page_of_a_tour_needs_nothing_else(key: str) -> None:
    page = reading(strategy_tour(key, "dark"))
    assert page.policy.startswith("default-src 'none'; script-src 'sha256-")
    asked = ("src", "href")
    assert not [
        value for _, own in page.elements for name, value in own.items() if name in asked and value[:1] != "#"
    ]
    assert [own["data-theme"] for tag, own in page.elements if tag == "html"] == ["dark"]


def test_a_card_that_the_run_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="no card ranking 9"):
        tour_page(
            examples.rag_fusion(), Tour(piece="none", made="", stops=(Stop(card="ranking 9", says="Here."),))
        )


def test_what_a_hostile_run_holds_is_text_in_its_tour() -> None:
    page = reading(tour_page(poisoned(examples.rag_fusion(), EVIL), _of_everything()))
    assert not {"img", "iframe"} & {tag for tag, _ in page.elements}
    assert len(page.scripts) == 1


def _of_everything() -> Tour:
    def stops() -> Iterator[Stop]:
        yield Stop(card="answer", says="<b>Answer</b>.")
        yield Stop(card="totals", says="It took {calls}.")

    return Tour(piece="none", made="", stops=tuple(stops()))
