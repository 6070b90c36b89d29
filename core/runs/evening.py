"""The same number of passages for all columns of a comparison, where their strategies have a number to set: more
passages hold more evidence, whatever found them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.runs.request import RunRequest
from core.strategies import get_strategy
from core.strategies.parameters import bounds


@dataclass(frozen=True)
class Evened:
    """Columns as they are evened out."""

    requests: tuple[RunRequest, ...]
    number: int
    """Passages that each is given; 0: fewer than two columns have a number, or two were set to different ones."""
    changed: tuple[int, ...]
    """Places of the columns whose number is another than it was."""
    without: tuple[int, ...]
    """Places of the columns that search documents, but have no number to set."""


def evened(requests: Sequence[RunRequest]) -> Evened:
    """The same columns with the same number of passages.

    A number that was set by hand holds for all; else the smallest does, so that no answer has to read more than its
    strategy would have it read.

    Raises:
        InputError: There is no such strategy, or its parameters are not as they should be.
    """
    strategies = [get_strategy(request.strategy) for request in requests]
    numbers: dict[int, int] = {}
    by_hand: set[int] = set()
    for place, (request, strategy) in enumerate(zip(requests, strategies, strict=True)):
        if name := strategy.params.gives:
            numbers[place] = getattr(strategy.parse(request.params), name)
            if numbers[place] != strategy.params.model_fields[name].default:
                by_hand.add(numbers[place])
    without = tuple(
        place for place, strategy in enumerate(strategies) if strategy.retrieves and place not in numbers
    )
    if len(numbers) < 2 or len(by_hand) > 1:
        return Evened(tuple(requests), 0, (), without)
    number = min(by_hand or numbers.values())
    changed = tuple(place for place, own in numbers.items() if own != number)
    made = list(requests)
    for place in changed:
        name = strategies[place].params.gives
        low, high = bounds(strategies[place].params.model_fields[name])
        fits = min(max(number, int(low or number)), int(high or number))
        made[place] = replace(made[place], params={**made[place].params, name: fits})
    return Evened(tuple(made), number, changed, without)
