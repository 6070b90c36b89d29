"""Runs that stand side by side: what each column is called, and what tells it from the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.cards.texts import QUIET
from core.corpora.filtering import where_text
from core.runs.record import Record
from core.skills import skill_title
from core.strategies import strategies
from core.trace.events import RunStarted

MARKS = "ABCD"


@dataclass(frozen=True)
class Column:
    """A run beside others; all text is raw."""

    mark: str
    """A letter: two columns may have the same strategy, and so the same colour."""
    title: str
    """Title of the strategy."""
    detail: str
    """How it differs from other columns of the same strategy, or from all in model, recording or retriever; may be
    empty."""
    colour: str
    """Colour of the strategy."""
    run: str
    record: Record

    @property
    def name(self) -> str:
        """Unique among the columns, for legends and tables."""
        return f"{self.mark} · {self.title}" + (f" ({self.detail})" if self.detail else "")


def columns(records: Sequence[Record]) -> tuple[Column, ...]:
    """The columns of a comparison of at most four runs, each as far as it is, in order; one without its first event is
    called after its place."""
    starts = [record.started for record in records]
    known = strategies()
    beside: list[Column] = []
    for mark, record in zip(MARKS, records, strict=False):
        started = record.started
        strategy = known.get(started.strategy) if started else None
        beside.append(
            Column(
                mark=mark,
                title=strategy.title if strategy else started.strategy if started else "…",
                detail=_detail(started, starts) if started else "",
                colour=strategy.colour if strategy else QUIET,
                run=started.run if started else "",
                record=record,
            )
        )
    return tuple(beside)


def _detail(started: RunStarted, every: Sequence[RunStarted | None]) -> str:
    others = [other for other in every if other is not None and other is not started]
    alike = [other for other in others if other.strategy == started.strategy]
    parts: list[str | None] = []
    if any(other.chat_model and started.chat_model != other.chat_model for other in others):
        parts.append(started.chat_model)
    if any(other.recording != started.recording for other in others):
        parts.append(f"recording “{started.recording}”" if started.recording else "no recording")
    if started.retriever and any(other.retriever not in (None, started.retriever) for other in others):
        parts.append(started.retriever)
    if {other.corpus for other in alike} - {started.corpus}:
        parts.append(started.corpus)
    if any(other.where != started.where for other in alike):
        parts.append(where_text(started.where) or "no filter")
    parts += _differing(started.params, [other.params for other in alike], param_titles(started.strategy))
    titles = {key: skill_title(key) for key in started.methods}
    parts += _differing(started.methods, [other.methods for other in alike], titles)
    if _differing(started.prompts, [other.prompts for other in alike], {}):
        parts.append("other prompts")
    return ", ".join(filter(None, parts))


def _differing(
    own: Mapping[str, Any], others: Sequence[Mapping[str, Any]], titles: Mapping[str, str]
) -> list[str]:
    return [
        f"{titles.get(name, name)}: {shown_value(value)}"
        for name, value in own.items()
        if any(other.get(name, value) != value for other in others)
    ]


def param_titles(strategy: str) -> dict[str, str]:
    """Parameter -> its title; empty: the strategy is not known."""
    known = strategies().get(strategy)
    fields = known.params.model_fields if known else {}
    return {name: field.title or name.replace("_", " ") for name, field in fields.items()}


def params_in_words(strategy: str, params: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Title and value of parameters of a strategy."""
    titles = param_titles(strategy)
    return [(titles.get(name, name), shown_value(value)) for name, value in params.items()]


def shown_value(value: Any) -> str:
    """The value of a parameter in words."""
    return "yes" if value is True else "no" if value is False else str(value)
