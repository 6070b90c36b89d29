"""The sentence that supports a short answer, found where the model that wrote the answer cites nothing.

Words are compared, as for every quote in this app: that costs no model call, and anyone can check it by eye.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.retrieval.tokens import tokens
from core.skills.evidence import statements
from core.skills.relevance import shared_terms, titled
from core.trace.artefacts import Answer, Citation
from core.trace.passages import Passage

UNCITED = "The model cited no passage, so nothing here can be traced to a source."
FOUND = "The model cited no passage: the sentences that its answer rests on were found by comparing words."

HELD = 0.5
"""Share of an answer's word stems that a passage must hold to count as its source."""


def with_found_sources(question: str, answer: Answer, passages: Sequence[Passage]) -> Answer:
    """An answer whose model cited no passage, with the sentences that it rests on; as it was where none is found.

    Args:
        question: What was answered; it tells apart sentences that hold as much of the answer.
        answer: As the model wrote it.
        passages: What the model was given.
    """
    found = []
    for place, part in enumerate(answer.sentences):
        equals = _holding(part, passages)
        if equals:
            passage, sentence = max(
                equals, key=lambda one: shared_terms(question, titled(one[0].title, one[1])) or 0
            )
            found.append(Citation(sentence=place, chunk=passage.chunk, quote=sentence))
    if not found:
        return answer
    return answer.model_copy(
        update={"citations": tuple(found), "note": answer.note.replace(UNCITED, FOUND) or FOUND}
    )


def _holding(said: str, passages: Sequence[Passage]) -> list[tuple[Passage, str]]:
    """The sentences that hold most of an answer's stems, in passages that hold enough of them."""
    terms = set(tokens(said))

    def held(text: str) -> int:
        return len(terms & set(tokens(text)))

    pool = [
        (passage, sentence)
        for passage in passages
        if terms and held(titled(passage.title, passage.text)) >= HELD * len(terms)
        for sentence in statements(passage)
    ]
    counts = [held(titled(passage.title, sentence)) for passage, sentence in pool]
    return [one for one, count in zip(pool, counts, strict=True) if count == max(counts)]
