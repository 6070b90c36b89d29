"""Skills and methods of earlier versions, which stored runs, recordings and settings still name: their titles."""

from __future__ import annotations

FORMER_METHODS = {
    ("extract", "sentences"): "Sentence by sentence (demonstration)",
    ("reduce", "sampled"): "Many samples, sieved",
    ("reword", "taught"): "The taught model, sieved",
    ("search_queries", "sampled"): "Many samples, sieved",
    ("step_back", "sampled"): "Several samples, the best kept",
    ("sub_questions", "sampled"): "Many samples, sieved",
}
"""Title of a method that is gone, by the keys of its skill and its own."""
