# What came out now, beside what the run had. Models differ, and so does one model at a temperature above 0.
from collections.abc import Sequence
from typing import Any


def compare(run: dict[str, Any], now: dict[str, Any]) -> None:
    for name, before in run.items():
        same = before == now[name]
        print(f"{name}: {'the same as in the run' if same else 'NOT the same as in the run'}")
        for label, value in (("  run", before), ("  now", now[name])):
            lines: Sequence[Any] = value if isinstance(value, list) else [value]
            for number, line in enumerate(lines, 1):
                print(f"{label} {number}. {line}")
