"""The gallery: each piece that `data/gallery/pieces.toml` lists, as it came out."""

from __future__ import annotations

from core.corpora.demo import DEMO_CORPUS
from core.runs.budget import known_gold
from core.runs.comparisons import Comparison
from core.runs.gallery import OWNER, GalleryPiece
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.transfer import comparison_lines, to_lines
from core.trace.events import Event, RunStarted, now
from tools.examples.asking import Asking, Unfinished
from tools.verdicts import right


def made(asking: Asking, piece: GalleryPiece) -> str:
    """A piece of the gallery as JSON Lines.

    Raises:
        Unfinished: A run did not reach its end, or no answer is right: then the piece needs another question, which
            must be one of the demo corpus.
    """
    runs = [_asked(asking, request, piece.run_id(place)) for place, request in enumerate(piece.requests)]
    labelled = [one for one in asking.questions if one.text == piece.requests[0].question]
    if not any(right(record(events), one) for events in runs for one in labelled):
        raise Unfinished("no answer is right")
    if len(runs) == 1:
        return to_lines(runs[0])
    bench, question = asking.bench, piece.requests[0].question
    gold = known_gold(bench.corpora.catalogue, DEMO_CORPUS, question)
    ids = tuple(piece.run_id(place) for place in range(len(runs)))
    return comparison_lines(Comparison(piece.id, OWNER, now(), question, ids, gold, piece.name), runs)


def _asked(asking: Asking, request: RunRequest, run: str) -> list[Event]:
    """A run under the id that it has in the gallery."""
    started, *events = asking.events(request, whole=True)
    assert isinstance(started, RunStarted)
    return [started.model_copy(update={"run": run}), *events]
