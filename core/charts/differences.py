"""Values, differences and verdicts of an evaluation in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.evaluation.measures import metric
from core.evaluation.statistics import LEVEL, Difference, Interval, Verdict
from core.wording import counted

VERDICT_MARKS: Mapping[Verdict, str] = {
    "better": "▲",
    "worse": "▼",
    "higher": "△",
    "lower": "▽",
    "no significant difference": "≈",
}


def number(key: str, value: float, *, signed: bool = False) -> str:
    """The value of a metric as text, with a sign if asked and the metric's unit."""
    known = metric(key)
    shown = round(value, known.digits) or 0.0  # nothing has no sign
    text = f"{shown:{'+' if signed and shown else ''},.{known.digits}f}".replace("-", "−")
    return text + (f" {known.unit}" if known.unit else "")


def numbers(key: str, found: Interval, *, signed: bool = False) -> tuple[str, str, str]:
    """Mean, lower and upper end of an interval as text."""
    mean, low, high = (number(key, one, signed=signed) for one in (found.mean, found.low, found.high))
    return mean, low, high


def span(key: str, found: Interval) -> str:
    """A difference with its interval, all signed."""
    mean, low, high = numbers(key, found, signed=True)
    return f"{mean} [{low}, {high}]"


def explained(found: Difference) -> str:
    """How a difference comes about, for a hover; raw text."""
    p = "below 0.001" if found.p_holm < 0.001 else f"{found.p_holm:.3f}"
    text = (
        f"{counted(found.interval.questions, 'question')}: higher than {found.baseline} on {found.more}, lower on "
        f"{found.less}, the same on {found.same}. p = {p}, corrected for the number of comparisons{_looks(found)}."
    )
    return f"{text} {reason}" if (reason := _reason(found)) else text


def uncertain_sentence(found: Difference) -> str:
    """Why a difference does not count although its interval leaves 0 out, in full; empty: nothing is to be said."""
    if not (reason := _reason(found)):
        return ""
    _, low, high = numbers(found.metric, found.interval, signed=True)
    return (
        f"{found.strategy}, {metric(found.metric).title} [{low}, {high}]: no significant difference. {reason} "
        f"p = {found.p:.3f}, corrected for the number of comparisons{_looks(found)} {found.p_holm:.3f}."
    )


def _looks(found: Difference) -> str:
    return f" and for {found.looks} looks at these questions" if found.looks > 1 else ""


def _reason(found: Difference) -> str:
    """The reason of a verdict that the interval seems to contradict; empty: it does not."""
    if found.verdict != "no significant difference" or found.interval.low <= 0 <= found.interval.high:
        return ""
    if found.p < 1 - LEVEL:
        return (
            "Alone it would count, since its interval leaves 0 out; among several comparisons one such is likely by "
            "chance."
        )
    return "Its interval leaves 0 out, but on so few questions that may be chance."


def reading(key: str, baseline: str, found: Sequence[Difference]) -> str:
    """A sentence on the first metric over all strategies."""
    if not found:
        return ""
    counts = {word: sum(one.verdict == word for one in found) for word in VERDICT_MARKS}
    said = [
        f"{counted(count, f'is {word}', f'are {word}')}"
        for word, count in counts.items()
        if count and word != "no significant difference"
    ]
    if unclear := counts["no significant difference"]:
        said.append(f"for {unclear} there is no significant difference")
    return f"{metric(key).title} against {baseline}, {len(found)} compared: {'; '.join(said)}."
