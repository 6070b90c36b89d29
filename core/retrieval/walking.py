"""How linked retrieval walks: read without the libraries that it takes to do so."""

from __future__ import annotations

from dataclasses import dataclass

SCORE_NAME = "walk and cosine"


@dataclass(frozen=True)
class Walking:
    """How is walked and joined. The values were chosen on 300 questions of 2WikiMultihopQA."""

    seeds: int = 5
    """First hits of the ranking, at which the walk begins: at each with a chance by its reciprocal rank."""
    restart: float = 0.35
    """Chance to stop at a passage."""
    weight: float = 0.5
    """Of the cosine, where the walk has 1."""
