"""Query variants from a tiny model: many short samples under a grammar, then a strict sieve.

Asked for a list, a 135M model repeats the question or drifts away. Asked many times for one question, each time
with another beginning and with the question's own names as the only capitalised words it may write, many of its
replies are good; embeddings and simple rules find out which.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.errors import EmptyReplyError
from core.jobs import at_once
from core.models.capabilities import Sampling
from core.models.embedding_vectors import cosine_matrix
from core.skills.base import Skill, SkillContext
from core.skills.names import lacks_name, names_in
from core.skills.variants import tidy, why_gibberish, why_other_meaning
from core.trace.artefacts import DroppedQuery
from core.wording import words_beside

SAMPLES = 18
TEMPERATURES = (0.4, 0.6, 0.8)
EXTRA = {"top_p": 0.95, "min_p": 0.05}
OPENERS: dict[str, list[str]] = words_beside(__file__)["openers"]
"""How a rewording may begin, by what is asked for."""
SAMPLED = "sampled"
"""The method key of skills that sample rewordings."""


@dataclass(frozen=True)
class VariantLimits:
    """Limits that a method's variants must keep to."""

    min_similarity: float
    """Lowest cosine to the question; below it, a variant asks something else."""
    max_mutual_similarity: float
    """Highest cosine between two variants; above it, the second adds nothing."""
    all_names: bool
    """True if a variant must have every name of the question, or at least one of them."""
    max_similarity: float = 0.985
    """Highest cosine to the question; above it, a variant says nothing new."""


REWORDING = VariantLimits(min_similarity=0.85, max_mutual_similarity=0.985, all_names=True)
SEARCHING = VariantLimits(min_similarity=0.6, max_mutual_similarity=0.95, all_names=False)


async def sample_rewordings(
    context: SkillContext, skill: Skill, question: str, *, places: range = range(SAMPLES)
) -> tuple[list[str], list[DroppedQuery]]:
    """Rewordings worth searching, nearest in meaning first, and what the sieve refused, with reasons.

    Each of the `places` is one sample; its beginning, and after all beginnings its temperature, follow from it.
    """
    grammars = grammars_of(question)

    def sampling(index: int) -> Sampling:
        extra = EXTRA | {"grammar": grammars[index % len(grammars)]} if context.builtin else {}
        return Sampling(
            temperature=TEMPERATURES[index // len(grammars) % len(TEMPERATURES)], max_tokens=70, extra=extra
        )

    return await filtered_samples(context, skill, SAMPLED, question, REWORDING, map(sampling, places))


async def filtered_samples(
    context: SkillContext,
    skill: Skill,
    method: str,
    question: str,
    wanted: VariantLimits,
    samplings: Iterable[Sampling],
) -> tuple[list[str], list[DroppedQuery]]:
    """Variants within the limits, nearest in meaning first, and what the sieve refused; one concurrent call for each of
    the given samplings."""

    async def sample(sampling: Sampling) -> str:
        try:
            return await context.text(skill, method, sampling, question=question)
        except EmptyReplyError:
            return ""  # one of many

    replies = await at_once(map(sample, samplings))
    unique = list(dict.fromkeys(filter(None, (tidy(reply) for reply in replies))))
    return await filter_variants(context, question, unique, wanted)


def kind_of(question: str) -> str:
    """The kind of thing that a question asks for: a key of `OPENERS`."""
    text = question.casefold()
    first = re.match(r"\w*", text)
    word = first.group() if first else ""
    if " or " in question and word not in ("who", "where", "when", "how", "why"):
        return "choice"
    if word in ("is", "are", "was", "were", "do", "does", "did", "has", "have", "can"):
        return "whether"
    for kind, pattern in (
        ("when", r"\bwhen\b|\bdate\b|\byear\b"),
        ("where", r"\bwhere\b|\bplace of\b|\bcountry\b"),
    ):
        if re.search(pattern, text):
            return kind
    return word if word in OPENERS else "what"


def grammars_of(question: str) -> list[str]:
    """One GBNF grammar per beginning: lower-case words around the question's names, which stay as they are."""
    names = names_in(question)
    return [_grammar(opener, names) for opener in OPENERS[kind_of(question)]]


def _grammar(opener: str, names: Sequence[str]) -> str:
    """A question that begins with `opener` and has all `names`, in their order or, if they are two, in the other."""
    orders = [names, names[::-1]] if len(names) == 2 else [names]
    rows = []
    for order in orders:
        literal = [json.dumps(name, ensure_ascii=False) for name in order]
        if not literal:
            rows.append(f"{json.dumps(opener)} words words")
        else:
            rows.append(
                f"{json.dumps(opener)} " + " between ".join(["gap " + literal[0], *literal[1:]]) + " end"
            )
    return (
        f'root ::= ({" | ".join(rows)}) "?"\n'
        'gap ::= word{0,8} " "\n'
        'between ::= "\'s"? ","? word{1,6} " "\n'
        'end ::= "\'s"? ","? word{0,7}\n'
        "words ::= word{1,9}\n"
        'word ::= ","? " " [a-z] [a-z-]{0,14}\n'
    )


async def filter_variants(
    context: SkillContext, question: str, candidates: Sequence[str], wanted: VariantLimits
) -> tuple[list[str], list[DroppedQuery]]:
    """The candidates within the limits, the most similar to the question first; and the others, with reasons."""
    if not candidates:
        return [], []
    vectors = await context.embedder.embed_documents([question, *candidates])
    similar = cosine_matrix(vectors, vectors)
    names = names_in(question)
    chosen: list[int] = []
    dropped: list[DroppedQuery] = []
    for index in sorted(range(1, len(vectors)), key=lambda i: -similar[0, i]):
        text, likeness = candidates[index - 1], similar[0, index]
        lost = [name for name in names if lacks_name(name, text)]
        if likeness > wanted.max_similarity:
            reason = f"nearly the same as the question (cosine {likeness:.2f})"
        elif likeness < wanted.min_similarity:
            reason = f"asks something else (cosine {likeness:.2f})"
        elif lost and (wanted.all_names or len(lost) == len(names)):
            reason = f"loses {', '.join(lost)}"
        elif why := why_other_meaning(question, text, strict=wanted.all_names) or why_gibberish(
            question, text
        ):
            reason = why
        elif any(similar[index, place] > wanted.max_mutual_similarity for place in chosen):
            reason = "nearly the same as a better variant"
        else:
            chosen.append(index)
            continue
        dropped.append(DroppedQuery(text=text, reason=reason))
    return [candidates[index - 1] for index in chosen], dropped
