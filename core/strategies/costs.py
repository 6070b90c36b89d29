"""The model calls that a strategy will cost: the stages of its model work, reranking among them, and their sum."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from core.skills import SKILLS
from core.wording import counted


@dataclass(frozen=True)
class Stage:
    """Model work that can run at once; the next stage has to wait for it."""

    skill: str
    count: int = 1
    """Uses of the skill, as a rule; 0: only with other parameters, or as a further turn of a loop."""
    most: int | None = None
    """Largest number of uses; None: as `count`."""
    beside: bool = False
    """True if it runs at once with the stage before it."""
    together: bool = False
    """True if all its uses run at once also where `count` is 0: on a way that a run takes once at most."""
    only: str = ""
    """The only method with which it is ever done; empty: with each."""
    way: str = ""
    """Where a run takes one of several ways: the way that it is a part of. The last of them is the usual one."""
    asked_with: tuple[str, ...] | None = None
    """Names of the parameters that decide what is asked, with the question and nothing that was found before; None:
    what was found counts too, as passages do."""


@dataclass(frozen=True)
class Forecast:
    """The model calls of a run, retries left out."""

    rounds: int
    """Calls that have to wait for one another, as a rule."""
    calls_expected: int
    calls_most: int
    rounds_most: int
    seconds: float = 0.0
    """Seconds of the calls that are expected, where those of each are known."""
    seconds_most: float = 0.0

    @property
    def calls_in_words(self) -> str:
        """A sentence on the calls of a run with default parameters."""
        usual = counted(self.calls_expected, "model call")
        most = f", at most {self.calls_most}" if self.calls_most > self.calls_expected else ""
        return f"What it costs with default settings and a capable model, by forecast: {usual}{most}."


def unknown(skill: str) -> float:
    """The seconds of a call of a skill, where nobody knows them."""
    return 0.0


def forecast(
    stages: Sequence[Stage], methods: Mapping[str, str], seconds: Callable[[str], float] = unknown
) -> Forecast:
    """Rounds, calls and seconds of a run. Of several ways, the usual one is expected, and the most expensive the most.

    Args:
        methods: Skill key -> method key; a skill without one asks no model.
        seconds: The seconds of a call of a skill; what runs at once adds up, as on one machine.
    """
    names = dict.fromkeys(stage.way for stage in stages if stage.way)
    ways = [[stage for stage in stages if stage.way in ("", name)] for name in names] or [list(stages)]
    each = [_summed(way, methods, seconds) for way in ways]
    most = {
        name: max(getattr(cost, name) for cost in each)
        for name in ("calls_most", "rounds_most", "seconds_most")
    }
    return replace(each[-1], **most)


def asked_with(stages: Sequence[Stage]) -> frozenset[str] | None:
    """Names of the parameters that decide what all these stages ask; None: what is found counts too."""
    names = set[str]()
    for stage in stages:
        if stage.count or stage.most:
            if stage.asked_with is None:
                return None
            names.update(stage.asked_with)
    return frozenset(names)


def _summed(stages: Sequence[Stage], methods: Mapping[str, str], seconds: Callable[[str], float]) -> Forecast:
    """Rounds, calls and seconds of stages one after the other."""
    rounds = rounds_most = expected = most = 0
    usual = longest = 0.0
    waited = False
    for stage in stages:
        if not (stage.count or stage.most):
            continue
        done = stage.skill in methods and stage.only in ("", methods[stage.skill])
        calls = SKILLS[stage.skill].method(methods[stage.skill]).calls if done else 0
        uses = stage.count if stage.most is None else stage.most
        waits = calls * stage.count > 0
        if not (stage.beside and waited):
            rounds += waits
            # Uses beyond the usual ones come with further turns of a loop.
            turns = 1 if stage.together else ceil(uses / max(1, stage.count))
            rounds_most += turns if calls else 0
        waited = waits or (stage.beside and waited)
        expected += calls * stage.count
        most += calls * uses
        if calls:
            usual += seconds(stage.skill) * calls * stage.count
            longest += seconds(stage.skill) * calls * uses
    return Forecast(rounds, expected, most, rounds_most, usual, longest)
