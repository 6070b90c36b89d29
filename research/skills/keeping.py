"""Outcomes in a file, a line each: what is there is not measured again, so that measuring may stop at any moment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from research.skills.measuring import Outcome


class Kept:
    """Outcomes by what they measured, each written down as soon as it is there."""

    def __init__(self, file: Path | None = None) -> None:
        """
        Args:
            file: Holds them, and gets those that are added; None: they are kept in memory alone.
        """
        self._file = file
        self._by_key: dict[tuple[str, ...], Outcome] = {}
        if file and file.exists():
            whole = file.read_text(encoding="utf-8")
            # What is cut off by a kill is no line, and another one must not be put behind it.
            if whole and not whole.endswith("\n"):
                file.write_text(whole[: whole.rfind("\n") + 1], encoding="utf-8")
            self._by_key = {one.key: one for one in _read([file])}

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self._by_key.values())

    def get(self, key: tuple[str, ...]) -> Outcome | None:
        """The outcome of that key; None: it was not measured yet."""
        return self._by_key.get(key)

    def add(self, one: Outcome) -> None:
        """Keep an outcome."""
        self._by_key[one.key] = one
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as lines:
                lines.write(_rounded(one).model_dump_json(exclude_defaults=True) + "\n")

    def longest(self, task: str, method: str, model: str) -> float:
        """The most seconds that one of a task's cases took; 0: none was measured yet."""
        return max(
            (one.seconds for one in self if (one.task, one.method, one.model) == (task, method, model)),
            default=0,
        )


def outcomes_in(*files: Path) -> list[Outcome]:
    """The outcomes of files, of several with other prompts the last. Lines that are none are left out."""
    return list({one.asked: one for one in _read(files)}.values())


def _read(files: Iterable[Path]) -> Iterator[Outcome]:
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                yield Outcome.model_validate_json(line)
            except ValidationError:
                continue


def _rounded(one: Outcome) -> Outcome:
    def short(value: float) -> float:
        return round(value, 4)

    return one.model_copy(
        update={
            "values": {key: short(value) for key, value in one.values.items()},
            "score": short(one.score),
            "seconds": round(one.seconds, 2),
            "cpu": round(one.cpu, 2),
            "own": round(one.own, 2),
        }
    )
