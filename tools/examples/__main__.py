"""Makes the worked examples of the lessons and the gallery by running: `make examples`, or

    python -m tools.examples [--who recording|builtin|endpoint] [--strategy KEY ...] [--piece ID ...] [--limit 24]

The demo corpus and the demo graph, default parameters, built-in embeddings. Without `--who` it is made twice: with the
recording that comes with the app, as far as that knows the questions, and with the built-in model, for which it is
found out first which questions it answers (`data/demo_world/answered.tsv`); `endpoint` is the model that the
environment names, for lessons alone. What is written says who answered; what others answered stays
beside it. With `--strategy` or `--piece` only what is named is made. Each file is written as soon as it can be; runs
are kept in `.examples` until all is made, so that a command that was stopped goes on without asking anything twice.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from core.runs.gallery import PIECES, GalleryPiece
from core.strategies import strategies
from core.strategies.lessons import EXAMPLES, stem
from tools.examples.answered import every, write
from tools.examples.asking import WHO, Asking, Unfinished, Who
from tools.examples.gallery import made
from tools.examples.lessons import worked_examples

LESSONS = Path(__file__).parents[2] / "core" / "strategies" / "lessons"


def lesson(asking: Asking, strategy: str, limit: int) -> None:
    """Find and write the worked examples of a strategy."""
    found = worked_examples(asking, strategy, limit)
    file = LESSONS / f"{stem(strategy)}.json"
    before = EXAMPLES.validate_json(file.read_bytes()) if file.exists() else ()
    others = [one for one in before if (one.builtin, one.recording) != (found.builtin, found.recording)]
    kept = tuple(sorted([*others, found], key=lambda one: (one.builtin, not one.recording)))
    file.write_bytes(EXAMPLES.dump_json(kept, indent=2) + b"\n")
    shown = [one.id if one else "none" for one in (found.helps, found.fails)]
    print(f"  helps: {shown[0]}; fails: {shown[1]}; {found.tried} tried", flush=True)


def piece(asking: Asking, wanted: GalleryPiece) -> None:
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
    parser.add_argument("--strategy", action="append", choices=list(strategies()), help="only its lesson")
    parser.add_argument(
        "--piece", action="append", choices=[one.id for one in PIECES], help="only this of the gallery"
    )
    parser.add_argument(
        "--limit", type=int, default=24, help="questions tried at most for one where a strategy helps"
    )
    parser.add_argument("--who", choices=WHO, help="only with this one's answers")
    arguments = parser.parse_args()
    asked: tuple[Who, ...] = (arguments.who,) if arguments.who else ("recording", "builtin")
    failed = [
        one for who in asked for one in made_with(who, arguments.strategy, arguments.piece, arguments.limit)
    ]
    if failed:
        raise SystemExit(f"Not made: {', '.join(failed)}. The same command goes on.")
    if not (arguments.strategy or arguments.piece):
        Asking.forget()


def made_with(who: Who, keys: Sequence[str] | None, ids: Sequence[str] | None, limit: int) -> list[str]:
    """Make what one of them answers; the titles of what could not be made.

    Args:
        who: Who answers.
        keys: Strategies whose lessons are made; None: all, or none where pieces are named.
        ids: Pieces of the gallery; None: all that this one answers, or none where lessons are named.
        limit: See `worked_examples`.
    """
    began = time.monotonic()
    asking = Asking(who)
    print(f"With the {who}: {'going on where it stopped' if asking.goes_on else 'beginning'}.", flush=True)
    able = [key for key, one in strategies().items() if not one.lacking(who == "builtin")]
    if asking.known is not None:
        told = {key for key, _ in asking.known}
        able = [key for key in able if key in told]
    lessons = [key for key in able if (key in keys if keys else not ids)]
    pieces = [one for one in PIECES if who == ("recording" if one.recorded else "builtin")]
    chosen = [one for one in pieces if (one.id in ids if ids else not keys)]
    todo: dict[str, Callable[[], None]] = {}
    if who == "builtin" and not (keys or ids):
        todo["What it answers"] = lambda: write(list(every(asking)))
    todo |= {f"Lesson: {key}": partial(lesson, asking, key, limit) for key in lessons}
    todo |= {f"Gallery: {one.id}": partial(piece, asking, one) for one in chosen}
    failed = [title for title, make in todo.items() if not timed(title, make)]
    asking.close()
    print(f"{len(todo) - len(failed)} of {len(todo)} made in {(time.monotonic() - began) / 60:.1f} minutes.")
    return failed


if __name__ == "__main__":
    main()
