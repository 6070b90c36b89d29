"""The retriever with which a corpus is searched where nobody chose one: the one that finds most in its languages with
the built-in embeddings, as measured, and hybrid search with any others.

`python -m research.retriever_by_language` measures the built-in embeddings, on labelled questions of which one half
chose and the other judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

METRIC = "nDCG@10"
BUILTIN_NAME = "the built-in embeddings"


@dataclass(frozen=True)
class Quality:
    """The quality of retrievers in a language: nDCG@10, from 0 to 1."""

    dense: float
    hybrid: float
    keyword: float
    dense_share: float | None = None
    """Weight of the dense scores in hybrid retrieval, see `core.retrieval.fusion.combine`; None: ranks are fused."""


@dataclass(frozen=True)
class Default:
    """The usual way to search a corpus, where nobody chose one."""

    retriever: str
    dense_share: float | None = None
    """Weight of the dense scores in its hybrid retrieval, whichever retriever is the default."""
    why: str = ""
    """One sentence for anyone who chooses; empty: there is nothing to say."""


BUILTIN: Mapping[str, Quality] = {
    "Chinese": Quality(0.694, 0.972, 0.965, 0.4),
    "English": Quality(0.803, 0.831, 0.778, 0.6),
    "German": Quality(0.885, 0.974, 0.951, 0.4),
    "Spanish": Quality(0.845, 0.968, 0.947, 0.4),
    "Romanian": Quality(0.716, 0.938, 0.922, 0.4),
    "Russian": Quality(0.799, 0.859, 0.824, 0.4),
    "Turkish": Quality(0.745, 0.883, 0.854, 0.2),
    "Greek": Quality(0.261, 0.899, 0.899, 0.1),
    "Arabic": Quality(0.482, 0.860, 0.852, 0.2),
    "Hindi": Quality(0.127, 0.961, 0.963, 0.2),
    "Vietnamese": Quality(0.539, 0.974, 0.967, 0.2),
    "Thai": Quality(0.600, 0.629, 0.211),
    "Korean": Quality(0.487, 0.864, 0.831, 0.3),
    "Japanese": Quality(0.719, 0.963, 0.958, 0.3),
}
"""Language -> what was measured with the built-in embeddings, on the judging halves; the weights are of the others."""
BUILTIN_SHARE = 0.3
"""Weight of the dense scores of the built-in embeddings in other languages: within 0.015 of the best of dense, keyword
and fused ranks in each that was measured."""
MARGIN = 0.01
"""The least lead of dense or keyword search over hybrid search, which is the safest where questions are of
another kind than those that were measured."""
FALLBACK: str = "hybrid"
"""Where nothing was measured: near the best in each language that was."""


def default_for(
    languages: Mapping[str, float],
    known: Mapping[str, Quality],
    other_share: float | None = None,
) -> Default:
    """Return the retriever that finds most.

    Where documents are in several languages, each counts by its share of the chunks, in what is found as in the weight
    of the dense scores; languages that were not measured do not count.

    Args:
        languages: English name of each language -> its share of the chunks.
        known: Language -> what was measured with the built-in embeddings.
        other_share: Weight of the dense scores where none of the languages was measured.
    """
    shares = {name: share for name, share in languages.items() if name in known and share > 0}
    if not shares:
        most = max(languages, key=languages.__getitem__, default="")
        how = shared_words(other_share)
        why = (
            f"{most} was not measured with {BUILTIN_NAME}: hybrid search{how} takes both, meanings and words."
        )
        return Default(FALLBACK, other_share, why if most else "")
    mean = _mean(shares, known)
    measured: dict[str, float] = {"hybrid": mean.hybrid, "dense": mean.dense, "keyword": mean.keyword}
    best: str = max(measured, key=lambda name: measured[name] + MARGIN * (name == "hybrid"))
    other: str = "keyword" if best == "dense" else "dense"
    than = f"{other} search with {BUILTIN_NAME}" if other == "dense" else f"{other} search"
    how = shared_words(mean.dense_share) if best == "hybrid" else ""
    why = (
        f"{' and '.join(list(shares)[:3])} documents: {best} search{how} finds more than {than} "
        f"({measured[best]:.2f} against {measured[other]:.2f} {METRIC})."
    )
    return Default(best, mean.dense_share, why)


def unmeasured(embeddings: str) -> Default:
    """Return the default with an embedding model, given by its name, that was not measured: hybrid by fused ranks."""
    why = f"“{embeddings}” was not measured in this app: hybrid search takes both, meanings and words."
    return Default(FALLBACK, why=why)


def shared_words(dense_share: float | None) -> str:
    """Return the weights of hybrid search, to follow its name; empty: it fuses ranks."""
    if dense_share is None:
        return ""
    return f" ({100 * dense_share:.0f} % by meaning, {100 - 100 * dense_share:.0f} % by words)"


def _mean(shares: Mapping[str, float], known: Mapping[str, Quality]) -> Quality:
    """Return the mean quality of retrievers; ranks are fused where they are for the languages of most chunks."""
    total = sum(shares.values())
    dense, hybrid, keyword = (
        sum(share * getattr(known[name], which) for name, share in shares.items()) / total
        for which in ("dense", "hybrid", "keyword")
    )
    weighed = {name: known[name].dense_share for name in shares}
    summed = [(shares[name], weight) for name, weight in weighed.items() if weight is not None]
    counted = sum(share for share, _ in summed)
    weight = sum(share * weight for share, weight in summed) / counted if 2 * counted > total else None
    return Quality(dense, hybrid, keyword, None if weight is None else round(weight, 2))
