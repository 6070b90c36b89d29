"""Makes the worked examples of the lessons and the gallery by running: `make examples`, or

    python -m benchmarks.examples [--strategy KEY ...] [--piece ID ...] [--limit 24] [--endpoint]

The demo corpus and the demo graph, default parameters, built-in embeddings; the built-in model, or with `--endpoint`
the one that the environment names. What is written says which model answered. With `--strategy` or `--piece` only what
is named is made. Each file is written as soon as it can be; runs are kept in `.examples` until all is made, so that a
command that was stopped goes on without asking anything twice.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.examples.asking import Asking, Unfinished
from benchmarks.examples.gallery import made
from benchmarks.examples.lessons import worked_examples
from core.runs.gallery import PIECES, Piece
from core.strategies import strategies
from core.strategies.lessons import stem

LESSONS = Path(__file__).parents[2] / "core" / "strategies" / "lessons"


def lesson(asking: Asking, strategy: str, limit: int) -> None:
    """Find and write the worked examples of a strategy."""
    found = worked_examples(asking, strategy, limit)
    file = LESSONS / f"{stem(strategy)}.json"
    file.write_text(found.model_dump_json(indent=2) + "\n", encoding="utf-8")
    shown = [one.id if one else "none" for one in (found.helps, found.fails)]
    print(f"  helps: {shown[0]}; fails: {shown[1]}; {found.tried} tried", flush=True)


def piece(asking: Asking, wanted: Piece) -> None:
    """Run and write a piece of the gallery."""
    text = made(asking, wanted)
    wanted.file.write_text(text, encoding="utf-8")
    print(f"  {len(text.encode()) / 1024:.0f} KB", flush=True)


def timed(title: str, make: Callable[[], None]) -> bool:
    """Make something and say how long it took; whether it could be made."""
    print(title, flush=True)
    began = time.monotonic()
    try:
        make()
    except Unfinished as problem:
        print(f"  NOT MADE: {problem}", flush=True)
        return False
    print(f"  {time.monotonic() - began:.0f} s", flush=True)
    return True


def main() -> None:
    """Make what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    pieces = {one.id: one for one in PIECES}
    parser.add_argument("--strategy", action="append", choices=list(strategies()), help="only its lesson")
    parser.add_argument("--piece", action="append", choices=list(pieces), help="only this of the gallery")
    parser.add_argument(
        "--limit", type=int, default=24, help="questions tried at most for one where a strategy helps"
    )
    parser.add_argument("--endpoint", action="store_true", help="ask the model that the environment names")
    arguments = parser.parse_args()
    chosen = arguments.strategy or arguments.piece
    began = time.monotonic()
    able = [key for key, one in strategies().items() if not one.lacking(not arguments.endpoint)]
    asking = Asking(endpoint=arguments.endpoint)
    print("Going on where it stopped." if asking.goes_on else "Beginning.", flush=True)
    todo = {
        f"Lesson: {key}": partial(lesson, asking, key, arguments.limit)
        for key in arguments.strategy or ([] if chosen else able)
    } | {
        f"Gallery: {key}": partial(piece, asking, pieces[key])
        for key in arguments.piece or ([] if chosen else pieces)
    }
    failed = [title for title, make in todo.items() if not timed(title, make)]
    asking.close()
    print(f"{len(todo) - len(failed)} of {len(todo)} made in {(time.monotonic() - began) / 60:.1f} minutes.")
    if failed:
        raise SystemExit(f"Not made: {', '.join(failed)}. The same command goes on.")
    if not chosen:
        Asking.forget()


if __name__ == "__main__":
    main()
