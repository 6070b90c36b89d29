"""A run that reasons with search: three searches, one of which held nothing, and one asked for twice."""

from __future__ import annotations

from collections.abc import Sequence

from core.skills.answer import cite
from core.trace.artefacts import Context, ContextPassage, SubAnswer, Thought
from core.trace.events import Event, RunFinished
from core.trace.passages import Hit
from tests.examples.parts import ranking
from tests.examples.script import Script

QUERIES = ("Full Moon High director", "A Dangerous Age director", "Larry Cohen year of birth")
DIGESTS = (
    "Full Moon High was written and directed by Larry Cohen [1].",
    "[0] They do not name who directed A Dangerous Age.",
    "Larry Cohen was born in 1936 [2], another source says 1941 [1].",
)
PIECES = (
    (
        "Both directors are needed. Neither depends on the other, so both can be looked up at once.",
        QUERIES[:2],
    ),
    ("The first is Larry Cohen. Of the second nothing was found.", (QUERIES[2], QUERIES[1].upper())),
)
ANSWER = "Larry Cohen [1]\n\nHe directed Full Moon High [1]; who directed the other film was not found."


def search_o1(run: str = "") -> list[Event]:
    """A finished run of reasoning with search."""
    script, pool, layer = Script(), Context(passages=()), 0
    script.start("search-o1", run=run)

    def think(index: int, thought: Thought) -> None:
        step = f"s-think-{index}"
        script.step(step, "think", layer)
        script.call(step, f"c-think-{index}", "reason", thought.text)
        script.make(step, thought)
        script.done(step)

    done = 0
    for index, (text, queries) in enumerate(PIECES):
        think(index, _thought(index, text, queries=queries))
        made = [query for query in queries if query in QUERIES]
        script.step(f"s-search-{index}", "search", layer + 1, f"s-think-{index}")
        for number, query in enumerate(made, done):
            found = ranking(number).model_copy(update={"query": query})
            pool = _joined(pool, found.used, f"search {number + 1}")
            script.make(f"s-search-{index}", found)
        script.make(f"s-search-{index}", pool)
        script.done(f"s-search-{index}")
        script.step(f"s-read-{index}", "read", layer + 2, f"s-search-{index}")
        for number, query in enumerate(made, done):
            script.call(f"s-read-{index}", f"c-read-{number}", "read_into_chain", DIGESTS[number])
            script.make(f"s-read-{index}", _digest(number, query))
        script.done(f"s-read-{index}")
        done, layer = done + len(made), layer + 3
    last = _thought(
        2, "That is all that was found.", answer=ANSWER, ends="The chain ends: the model gives its answer."
    )
    think(2, last)
    script.step("s-answer", "answer", layer + 1, "s-think-2")
    given = [item.passage for item in pool.passages]
    script.make("s-answer", cite(ANSWER, given, skill="reason", method="model"))
    script.done("s-answer")
    script.add(RunFinished(), after=0.01)
    return script.events


def _thought(index: int, text: str, **more: object) -> Thought:
    made = {"index": index, "text": text, "written": text, "skill": "reason", "method": "model"}
    return Thought.model_validate(made | more)


def _joined(pool: Context, hits: Sequence[Hit], source: str) -> Context:
    known = {item.passage.chunk for item in pool.passages}
    new = [hit for hit in hits if hit.passage.chunk not in known]
    items = [
        ContextPassage(rank=rank, score=hit.score, passage=hit.passage, given=True, source=source)
        for rank, hit in enumerate(new, len(pool.passages) + 1)
    ]
    return Context(passages=(*pool.passages, *items))


def _digest(number: int, query: str) -> SubAnswer:
    passages = [hit.passage for hit in ranking(number).used]
    read = cite(DIGESTS[number], passages, skill="read_into_chain", method="model")
    return SubAnswer(
        index=number,
        question=query,
        searched=query,
        passages=tuple(passages),
        text=read.text,
        citations=read.citations,
        abstained=read.abstained,
        skill="read_into_chain",
        method="model",
    )
