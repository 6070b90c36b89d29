"""Makes the gallery anew, by running: `python -m core.cli.gallery [--piece ID ...] [--home FOLDER] [--out FOLDER]`.

The built-in model, the demo corpus and the demo graphs, default parameters: what the files hold is what came out.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from core.corpora.demo import DEMO_CORPUS
from core.jobs import run_blocking
from core.runs.budget import rankings_for
from core.runs.comparison_files import comparison_lines
from core.runs.comparisons import Comparison
from core.runs.gallery import FOLDER, OWNER, PIECES, Piece
from core.runs.gold import known_gold
from core.runs.record import record
from core.runs.request import RunRequest
from core.runs.transfer import to_lines
from core.runs.workbench import Workbench
from core.settings import Settings
from core.trace.events import Event, RunStarted, now


def main() -> None:
    """Run every piece and write its file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--piece", action="append", metavar="ID", help="only these")
    parser.add_argument("--home", type=Path, help="where the demo corpus is indexed (default: somewhere new)")
    parser.add_argument("--out", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as somewhere:
        bench = Workbench(Settings(_env_file=None, rag_loupe_home=arguments.home or Path(somewhere)))
        bench.corpora.demo().result()
        for piece in PIECES:
            if not arguments.piece or piece.id in arguments.piece:
                text = made(bench, piece)
                (arguments.out / piece.file.name).write_text(text, encoding="utf-8")
                print(f"{piece.file.name}: {len(text) / 1024:.0f} KB", flush=True)
        bench.graphs.graphs.close()
        bench.backends.supervisor.release()


def made(bench: Workbench, piece: Piece) -> str:
    """A piece of the gallery as JSON Lines.

    Raises:
        SystemExit: A run did not finish.
    """
    runs = [asked(bench, request, piece.run_id(place)) for place, request in enumerate(piece.requests)]
    if len(runs) == 1:
        return to_lines(runs[0])
    question = piece.requests[0].question
    gold = known_gold(bench.corpora.catalogue, DEMO_CORPUS, question)
    ids = tuple(piece.run_id(place) for place in range(len(runs)))
    plain = run_blocking(rankings_for(bench.corpora, [record(events) for events in runs])) if gold else ()
    made = Comparison(piece.id, OWNER, now(), question, ids, gold, piece.name, plain=plain)
    return comparison_lines(made, runs)


def asked(bench: Workbench, request: RunRequest, run: str) -> list[Event]:
    """A run of the built-in model to its end, under the id given.

    Raises:
        SystemExit: It did not finish, or another model answered.
    """
    events = list(bench.launcher.start(request).result())
    started = events[0]
    found = record(events)
    if found.state != "finished" or not isinstance(started, RunStarted) or not started.builtin:
        raise SystemExit(f"{run}: {found.error or 'another model answered'}")
    return [started.model_copy(update={"run": run}), *events[1:]]


if __name__ == "__main__":
    main()
