"""Answering from the way through a knowledge graph."""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.answer import writing_methods, written
from core.skills.base import OWN, Method, Skill, SkillContext, task
from core.skills.copying import no_answer
from core.skills.frame import Framed, framed_line, unmarked
from core.skills.graph_wording import names_line
from core.trace.artefacts import Answer, Citation
from core.trace.passages import Passage

MOST_NAMES = 30

ANSWER_PATH = Skill.of(
    "answer_path",
    "Answer from the path",
    *writing_methods(
        "The model writes the answer",
        "One call; the model reads the numbered triples of the path and cites them.",
        slots=("question", "context"),
    ),
    Method(
        "end of path",
        "The end of the path",
        "No model call: the names of the nodes at the end of the best path. It does not count, compare or say yes "
        "or no.",
    ),
    builtin="end of path",
)


@task(ANSWER_PATH)
async def answer_path(
    context: SkillContext,
    question: str,
    passages: Sequence[Passage],
    ends: Sequence[str],
    more: int = 0,
    *,
    hidden: int = 0,
) -> Answer:
    """An answer from triples.

    Args:
        passages: The triples of the path, see `core.knowledge.explore.path_evidence`.
        ends: Names of the nodes at its end.
        hidden: Further triples, which are no passages.
    """
    method = context.method(ANSWER_PATH)
    if not passages:
        text = "No path was found in the graph, so there is nothing to answer from."
        return no_answer(text, ANSWER_PATH.key, method, "No model was asked.")
    if method in OWN:
        return await written(
            context,
            ANSWER_PATH,
            passages,
            question=question,
            context=framed_triples(passages, hidden),
            nodes=names_line(ends, more),
        )
    names = list(dict.fromkeys(ends))
    shown = names[:MOST_NAMES]
    left = len(names) - len(shown) + more
    text = ", ".join(shown) + (f" and {left} more" if left else "")
    citations = tuple(
        Citation(sentence=0, chunk=passage.chunk, quote=passage.text)
        for passage in passages
        if any(name in passage.title or name in passage.text for name in shown)
    )
    return Answer(
        text=text,
        sentences=(text,),
        citations=citations,
        skill=ANSWER_PATH.key,
        method=method,
        note="The end of the path, not written: the nodes to which the best chain of relations leads.",
    )


def framed_triples(passages: Sequence[Passage], hidden: int = 0) -> Framed:
    """Triples as a model reads them, each between tags with its number, and with the words that state it, if any."""
    rows = [
        f'<triple number="{number}">\n{framed_line(unmarked(passage.title))}\n'
        + (f"Stated so: {framed_line(unmarked(passage.text))}\n" if passage.text != passage.title else "")
        + "</triple>"
        for number, passage in enumerate(passages, 1)
    ]
    if hidden:
        rows.append(f"({hidden} more triples are not shown)")
    return Framed("\n".join(rows))


def gave_up(failed: int) -> Answer:
    """The answer after too many failed plans."""
    return Answer(
        text="Sorry, no way through the graph was found that answers this question.",
        abstained=True,
        skill=ANSWER_PATH.key,
        note=f"Limit reached: {failed} plans were tried and given up.",
    )
