# What came out now, beside what the run had. Models differ, and so does one model at a temperature above 0.
import re
from collections.abc import Sequence
from typing import Any

MARK = re.compile(r"(?:(?<![ \t])[ \t]+)?\[\s*[0?+]\s*\][ \t]*[:：]?[ \t]*")


def without_mark(answer: str) -> str:
    """An answer as the run keeps it, without the mark in front of it: [0], [?] or [+]."""

    def blank(mark: re.Match[str]) -> str:
        before, after = mark.string[: mark.start()], mark.string[mark.end() :]
        inside = before and after and not before.endswith("\n") and not after.startswith("\n")
        return " " if inside else ""

    return MARK.sub(blank, answer.strip()).strip()


def compare(run: dict[str, Any], now: dict[str, Any]) -> None:
    for name, before in run.items():
        same = before == now[name]
        print(f"{name}: {'the same as in the run' if same else 'NOT the same as in the run'}")
        for label, value in (("  run", before), ("  now", now[name])):
            lines: Sequence[Any] = value if isinstance(value, list) else [value]
            for number, line in enumerate(lines, 1):
                print(f"{label} {number}. {line}")
