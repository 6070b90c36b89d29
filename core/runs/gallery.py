"""The gallery: runs and a comparison that come with the app, and how its questions to the demo documents are asked.

A new database gets them once, so that there is something to open before the first question. The files are made by
`make examples`, which also finds the demo questions that the built-in model answers rightly: those that a page offers
first with that model are ones that get an answer.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from contextlib import closing, suppress
from csv import DictReader
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from core.corpora.demo import DEMO_CORPUS, WORLD
from core.errors import UnknownRun
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.runs.comparisons import Comparison, row_of
from core.runs.request import RunRequest
from core.runs.store import GalleryRow, RunEntry, RunRow, RunStore, insert_events
from core.runs.transfer import Header, read_file
from core.strategies import get_strategy
from core.trace.events import Event, RunStarted

FOLDER = Path(__file__).parents[2] / "data" / "gallery"
OWNER = "gallery"
ANSWERED = WORLD / "answered.tsv"
"""A line for each strategy and question that was tried: the strategy's key, the question's id, the verdict."""
RIGHT = "right"
DEMO_GRAPH = next(graph.name for graph in DEMO_GRAPHS if graph.corpus == DEMO_CORPUS)
"""The graph of the facts that the demo documents tell."""


def demo_request(question: str, strategy: str, **how: Any) -> RunRequest:
    """A question through a strategy with default parameters: to the demo corpus, its graph, or both, as it needs them;
    `how`: further fields of the request.

    Raises:
        InputError: There is no such strategy.
    """
    definition = get_strategy(strategy)
    return RunRequest(
        question,
        strategy,
        corpus=DEMO_CORPUS if definition.retrieves else None,
        graph=DEMO_GRAPH if definition.explores else None,
        **how,
    )


@dataclass(frozen=True)
class GalleryPiece:
    """A run of the gallery, or, with several requests, a comparison."""

    id: str
    """Its id in every store, and the name of its file."""
    title: str
    requests: tuple[RunRequest, ...]
    recorded: bool = False
    """Whether the recording that comes with the app is played; else the built-in model answers."""

    @property
    def name(self) -> str:
        """Its name in the lists."""
        return f"Gallery: {self.title}"

    @property
    def file(self) -> Path:
        """The file that holds it."""
        return FOLDER / f"{self.id}.jsonl"

    def run_id(self, place: int) -> str:
        """Id of one of its runs, from 0."""
        return self.id if len(self.requests) == 1 else f"{self.id}-{place + 1}"


def _pieces() -> tuple[GalleryPiece, ...]:
    """As `pieces.toml` lists them."""
    listed = tomllib.loads((FOLDER / "pieces.toml").read_text(encoding="utf-8"))["pieces"]
    return tuple(
        GalleryPiece(
            entry["id"],
            entry["title"],
            tuple(demo_request(entry["question"], strategy) for strategy in entry["strategies"]),
            entry.get("recorded", False),
        )
        for entry in listed
    )


PIECES = _pieces()
"""Everything in it; the first is what an empty page offers."""


def install(database: str) -> int:
    """Put what the database with this SQLAlchemy URL was never given into it; how many pieces that were. Blocks; cheap
    when there are none.

    What somebody deleted does not come back. Of two processes that do it at once, one puts each piece in.

    Raises:
        InputError: A file of the gallery was changed and is no run any more.
        StoreError: The database cannot be written.
    """
    with closing(RunStore(database)) as store:
        with store.session() as session:
            installed = set(session.scalars(select(GalleryRow.id)))
        return sum(
            _put(store, piece) for piece in PIECES if piece.id not in installed and piece.file.exists()
        )


def example_run(store: RunStore, strategy: str) -> RunEntry | None:
    """A run of the gallery that is still stored: one of this strategy, else any; None: all were deleted."""
    runs = [(piece.requests[0].strategy, piece.id) for piece in PIECES if len(piece.requests) == 1]
    for _, run in sorted(runs, key=lambda run: run[0] != strategy):
        with suppress(UnknownRun):
            return store.entry(run)
    return None


def label(started: RunStarted) -> str:
    """Says that a run is of the gallery, and which model made it; the model's name is not ours."""
    if started.recording:
        return f"Gallery: replies of {started.chat_model}, from the recording “{started.recording}”"
    model = "the tiny built-in model" if started.builtin else started.chat_model
    return f"Gallery: made with {model}"


def read(piece: GalleryPiece) -> tuple[Header | None, list[list[Event]]]:
    """The runs of a piece, and the header if it is a comparison.

    Raises:
        InputError: Its file was changed and does not hold that any more.
    """
    return read_file(piece.file.name, piece.file.read_bytes())


def _put(store: RunStore, piece: GalleryPiece) -> bool:
    """Put a piece into the database. False: another process was quicker."""
    header, runs = read(piece)
    try:
        with store.session(passed=IntegrityError) as session:
            # First: whoever comes second fails here, before anything else of it is written.
            session.add(GalleryRow(id=piece.id))
            session.flush()
            for place, events in enumerate(runs):
                insert_events(session, piece.run_id(place), events, OWNER)
                change = update(RunRow).where(RunRow.id == piece.run_id(place))
                session.execute(change.values(name=piece.name, pinned=header is None))
            first = runs[0][0]
            if header and isinstance(first, RunStarted):
                ids = tuple(piece.run_id(place) for place in range(len(runs)))
                fields = header.question, ids, header.gold, piece.name
                session.add(row_of(Comparison(piece.id, OWNER, first.created, *fields, True)))
    except IntegrityError:
        return False
    return True


def answered(strategies: Iterable[str]) -> frozenset[str]:
    """Ids of the questions that at least one of the strategies with these keys was seen to answer rightly with the
    built-in model, the built-in embeddings and default settings. Blocks while reading, once."""
    keys = frozenset(strategies)
    return frozenset(question for strategy, question in _right() if strategy in keys)


@cache
def _right() -> tuple[tuple[str, str], ...]:
    if not ANSWERED.exists():
        return ()
    with ANSWERED.open(encoding="utf-8", newline="") as file:
        rows = DictReader(file, delimiter="\t")
        return tuple((row["strategy"], row["question"]) for row in rows if row["verdict"] == RIGHT)
