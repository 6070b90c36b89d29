"""What explorables compute, under node: the engine's values."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

from core.drawings import FOLDER
from core.explorables import stored
from tests.explorables import APART, close, companion
from tests.unit.drawings.node import evaluated
from tools.explorables import explorable, stems

ROUNDS = 25
COMPUTE = """({ handles, compute }, data, states) => {
  const starts = () => structuredClone(Object.fromEntries(handles(data).map(({ name, start }) => [name, start])))
  return states.map((values) => compute(data, { ...starts(), ...values }))
}"""


@cache
def data_of(stem: str) -> dict[str, Any]:
    part = stored(stem)
    assert part is not None
    return dict(part.data)


def computed(states: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """What the scripts compute for states of these explorables; handles that a state does not name are as at first."""
    parts = {stem: stored(stem) for stem in states}
    calls = [
        (FOLDER / f"{part.name}.js", COMPUTE, [part.data, states[stem]])
        for stem, part in parts.items()
        if part
    ]
    return dict(zip(parts, evaluated(calls), strict=True))


def test_values_are_the_engines() -> None:
    states = {}
    for stem in stems():
        random = Random(7)
        states[stem] = [companion(stem).state(data_of(stem), random) for _ in range(ROUNDS)]
    for stem, answers in computed(states).items():
        for values, answer in zip(states[stem], answers, strict=True):
            expected = json.loads(json.dumps(explorable(stem).computed(data_of(stem), values)))
            for name, value in expected.items():
                assert close(answer[name], value, APART.get(stem, {}).get(name, 1e-12)), (stem, name, values)
