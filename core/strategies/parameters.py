"""Parameters of strategies: the form and the command line are made from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.fields import FieldInfo


class StrategyParams(BaseModel):
    """Parameters of a strategy; the form and the command line are made from the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    gives: ClassVar[str] = ""
    """Parameter that says how many passages the answer is given in all; empty: its searches decide that."""


Rerank: TypeAlias = Annotated[
    int,
    Field(
        ge=0,
        le=50,
        title="Rerank",
        description="How many of the first hits of each search a second judge, who takes longer, puts in a new order; "
        "at least as many as the search brings in. 0: none. The chat model takes a call for up to 20 hits of each "
        "search; token by token, or at an endpoint of its own, it takes none.",
    ),
]
"""The parameter `rerank` of every strategy that searches documents; `RunContext.retriever` heeds it."""


class RetrievalParams(StrategyParams):
    """Parameters of every strategy that retrieves."""

    gives = "context_size"
    k: int = Field(
        4, ge=1, le=20, title="Chunks per query", description="How many chunks each query brings in."
    )
    context_size: int = Field(
        6, ge=1, le=20, title="Passages for the answer", description="How many passages the answer is given."
    )
    rerank: Rerank = 0


class OneSearchParams(StrategyParams):
    """Parameters of a strategy whose answer is given all that its search brings in."""

    gives = "k"
    k: int = Field(
        6,
        ge=1,
        le=20,
        title="Passages",
        description="How many passages the search brings in. The answer is given all of them.",
    )
    rerank: Rerank = 0

    @model_validator(mode="before")
    @classmethod
    def _as_stored_before(cls, values: Any) -> Any:
        """Runs stored earlier searched for `k`, 4 if not said, and gave at most `context_size` of them."""
        if not isinstance(values, dict) or "context_size" not in values:
            return values
        kept = {name: value for name, value in values.items() if name != "context_size"}
        return kept | {"k": min(kept.get("k", 4), values["context_size"])}


def bounds(field: FieldInfo) -> tuple[float | None, float | None]:
    """Smallest and largest value of a numeric parameter, ends included; None: no bound."""
    low = next((m.ge for m in field.metadata if hasattr(m, "ge")), None)
    high = next((m.le for m in field.metadata if hasattr(m, "le")), None)
    return low, high


def applies(field: FieldInfo, values: Mapping[str, Any]) -> bool:
    """True if a parameter means anything beside the values of those before it; where it says nothing of that
    (`applies` in its `json_schema_extra`: name of a parameter -> its values), it does."""
    extra = field.json_schema_extra
    wanted: Any = extra.get("applies", {}) if isinstance(extra, dict) else {}
    return all(values.get(name, allowed[0]) in allowed for name, allowed in wanted.items())
