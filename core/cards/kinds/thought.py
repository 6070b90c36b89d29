"""A chain of thoughts, as a card and as a picture: each with the paragraphs or the searches that it led to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from core.cards.kind import (
    Edit,
    Field,
    Gist,
    Kind,
    Picture,
    Scene,
    TextField,
    checked_text,
    drawn_picture,
    edited,
    items_of,
    lines_of,
    numbered_cards,
    provenance,
)
from core.cards.narration import SceneContext, Sentence, first_words, quoted
from core.cards.parts import Aid, Card, Drawing
from core.cards.passages import Stars, quotes_by_chunk
from core.cards.reranking import searches_reranked
from core.cards.texts import ending, unformatted
from core.cards.turns import Box, Names, Turn, names_in
from core.errors import InputError
from core.runs.record import Record
from core.skills.answer import read_reply
from core.skills.synthesise import renumber_citations
from core.skills.think import MOST_THOUGHTS, concludes, first_sentence
from core.skills.variants import letters
from core.trace.artefacts import Context, Ranking, SubAnswer, Thought
from core.wording import counted

AGAIN = "Not searched again: it was searched for above."
NO_MORE = "Not searched: no search was left."


def searches_data(thoughts: Sequence[Thought], scene: Scene) -> list[list[dict[str, Any]]]:
    """The searches of each thought, as far as they are, for the drawing; passages have their numbers of the evidence,
    and are new where no earlier search found them."""
    record = scene.record
    rankings = {letters(ranking.query): ranking for ranking in reversed(record.find(Ranking))}
    digests = {letters(answer.question): answer for answer in record.find(SubAnswer)}
    evidence = record.context.given_passages if record.context else []
    seen: set[str] = set()
    earlier: set[str] = set()
    chain = []
    for thought in thoughts:
        drawn = []
        for query in thought.queries:
            key = letters(query)
            ranking = None if key in seen else rankings.get(key)
            digest = digests.get(key) if ranking else None
            quotes = quotes_by_chunk(digest.citations if digest else ())
            cards = {card["id"]: card for card in numbered_cards(evidence, scene.stars, quotes)}
            found = [hit.passage.chunk for hit in ranking.used] if ranking else []
            given = [chunk for chunk in found if chunk in cards]
            drawn.append(
                {
                    "query": query,
                    "why_not": AGAIN if key in seen else "" if ranking or record.under_way else NO_MORE,
                    "cards": [cards[chunk] for chunk in given],
                    "new": sum(chunk not in earlier for chunk in given),
                    "digest": renumber_citations(digest, evidence) if digest else "",
                    "nothing": bool(digest and digest.abstained),
                    "note": digest.note if digest else "",
                }
            )
            if ranking:
                seen.add(key)
                earlier.update(found)
        chain.append(drawn)
    return chain


READING = (
    "Each sentence is the next search. A square is a paragraph: filled where the sentence brought it in, "
    "pale where it was there before."
)
ONE_TEXT = (
    "One text, from top to bottom: what the model thinks, what it searches for, and what of the passages was put into "
    "its reasoning. Numbers in brackets are those of the evidence."
)


def thought_data(
    artefact: Thought, pool: Context | None, *, searched: bool = True, stars: Stars = frozenset()
) -> dict[str, Any]:
    """A thought with the passages that it brought in, in the order they were found, for the drawing."""
    _, unused = first_sentence(artefact.written)
    passages = pool.passages if pool else ()
    new = pool.brought_in(artefact.source) if pool else ()
    later = {artefact.model_copy(update={"index": artefact.index + more}).source for more in range(1, 21)}
    gathered = sum(item.source not in later for item in passages)
    return {
        **artefact.model_dump(include={"text", "ends", "note"}),
        "number": artefact.index + 1,
        "rest": unused,
        "cards": numbered_cards(new, stars, first=gathered - len(new) + 1),
        "pool": gathered,
        "searched": searched,
    }


def reasoning_data(thoughts: Sequence[Thought], scene: Scene) -> list[dict[str, Any]]:
    """A reasoning that searches, for the drawing: its thoughts with their searches, and the answer at its end."""
    return [
        {
            **thought_data(thought, None, searched=False),
            "rest": "",
            "searches": searches,
            "answer": read_reply(thought.answer).text if thought.answer else "",
        }
        for thought, searches in zip(thoughts, searches_data(thoughts, scene), strict=True)
    ]


def summary(thoughts: Sequence[Thought], pool: Context | None) -> str:
    """Say how far a chain is, in a few words."""
    written = sum(bool(thought.text) for thought in thoughts)
    gathered = counted(len(pool.passages) if pool else 0, "passage" if asks(thoughts) else "paragraph")
    return f"{counted(written, 'thought')}, {gathered} gathered"


def card(artefact: Thought, scene: Scene) -> Card:
    """All thoughts of the run, at the place of the first."""
    record = scene.record
    thoughts, pool = record.find(Thought) or [artefact], record.context
    rankings = record.find(Ranking)
    searched = {ranking.query for ranking in rankings}
    asking = {query for item in thoughts for query in item.queries}
    one_text = asks(thoughts)
    if one_text:
        drawn = reasoning_data(thoughts, scene)
    else:
        drawn = [
            thought_data(item, pool, searched=item.text in searched, stars=scene.stars) for item in thoughts
        ]
        asking = {item.text for item in thoughts}
    data = {"colour": scene.colour, "thoughts": drawn}
    # What is said of a single thought stands beside it.
    anew = searches_reranked([ranking for ranking in rankings if ranking.query in asking], scene)
    reading = Aid(ONE_TEXT if one_text else READING)
    sources = [artefact, *record.find(SubAnswer)[:1]] if one_text else [artefact]
    by = [part for source in sources for part in provenance(source, note=False)]
    parts = (reading, Drawing("thought", data), *anew, *by)
    return Card(parts, summary(thoughts, pool))


def asks(thoughts: Sequence[Thought]) -> bool:
    """True if the thoughts ask for searches or answer, and are not themselves what is searched with."""
    return any(thought.queries or thought.answer for thought in thoughts)


def _inside(record: Record) -> Iterator[str]:
    """The later thoughts, and what each thought found."""
    chain = False
    for item in items_of(record):
        thinks = any(isinstance(artefact, Thought) for artefact in item.step.artefacts)
        searched = isinstance(item.artefact, Ranking | SubAnswer) and (thinks or chain)
        if searched or (isinstance(item.artefact, Thought) and chain):
            yield item.key
        chain = chain or isinstance(item.artefact, Thought)


def _gist(record: Record) -> str:
    thoughts = record.find(Thought)
    searches = counted(len(record.find(Ranking)), "search", "searches")
    if asks(thoughts):
        return f"{counted(len(thoughts), 'thought')}, {searches}"
    return f"{counted(len(thoughts), 'sentence')} of reasoning, {searches}"


def _fields(artefact: Thought) -> Sequence[Field]:
    text = TextField("edit-text", "Thought", artefact.text, 140)
    if not asks([artefact]):
        return (text,)
    return (
        text,
        TextField("edit-queries", "Searches, one a line", "\n".join(artefact.queries), 100),
        TextField("edit-answer", "Answer, where it searches no more", artefact.answer, 140),
    )


def _changed(artefact: Thought, values: Sequence[Any]) -> Thought:
    if len(values) == 1:
        return with_thought(artefact, values[0])
    return with_searches(artefact, *values)


READING_THOUGHTS = (
    "A rung is a sentence of reasoning, its search, and the passages that this brought in. A line leads to the "
    "sentence that was written next. Choose a box to read what is in it."
)
READING_SEARCHES = (
    "A rung is a piece of reasoning, what it searches for, and what is read of the passages found; that goes into the "
    "next piece. Choose a box to read what is in it."
)


def ladder(scene: Scene) -> dict[str, Any] | None:
    """Data of the picture; None: nothing is thought yet."""
    record = scene.record
    thoughts = record.find(Thought)
    if not thoughts:
        return None
    called = names_in(record, scene.stars)
    rungs = _with_searches(thoughts, scene, called) if asks(thoughts) else _searched(thoughts, record, called)
    if record.answer:
        rungs[-1].way, rungs[-1].led = "done", thoughts[-1].ends or "The answer is read from all passages."
    return {
        "turns": [asdict(turn) for turn in rungs],
        "ladder": True,
        "summary": summary(thoughts, record.context),
    } | ending(record)


def _searched(thoughts: Sequence[Thought], record: Record, called: Names) -> list[Turn]:
    """Thoughts that are searched with themselves (IRCoT): the question is the first rung."""
    context = record.context
    searched = {ranking.query for ranking in record.find(Ranking)}
    question = record.question
    box = Box(0, "The question", text=question, told=f"The question: {question}")
    first = Turn("The question", [box], way="back")
    first.boxes.append(_search_box(context, "the question", called))
    rungs = [first]
    for thought in thoughts:
        if not thought.text:
            continue
        rung = Turn(f"Thought {thought.index + 1}", [_thought(thought)], way="back")
        if not thought.ends and thought.text in searched:
            rung.boxes.append(_search_box(context, thought.source, called))
        rungs.append(rung)
    return rungs


def _thought(thought: Thought) -> Box:
    name, remark = f"Thought {thought.index + 1}", "a guess" if thought.guess else ""
    heading = f"{name}, {remark}" if remark else name
    return Box(0, name, remark, thought.text, told=f"{heading}: {thought.text} {thought.ends}".strip())


def _search_box(context: Context | None, source: str, called: Names) -> Box:
    """The passages of a search that were not there before."""
    new = context.brought_in(source) if context else ()
    items = tuple(called.item(passage, rank) for rank, passage in enumerate(new, 1))
    sentence = f"The search brought in {counted(len(new), 'passage') if new else 'nothing new'}."
    return Box(1, "Search", f"{len(new) or 'nothing'} new", items=items, told=sentence)


def _with_searches(thoughts: Sequence[Thought], scene: Scene, called: Names) -> list[Turn]:
    """Thoughts that ask for searches (reasoning with search): each with what was read of its passages."""
    passages = {
        hit.passage.chunk: hit.passage for ranking in scene.record.find(Ranking) for hit in ranking.used
    }
    rungs = []
    for thought, searches in zip(thoughts, searches_data(thoughts, scene), strict=True):
        rung = Turn(f"Thought {thought.index + 1}", [_thought(thought)], way="back")
        for search in searches:
            items = tuple(called.item(passages[card["id"]], int(card["rank"])) for card in search["cards"])
            new = "" if search["new"] == len(items) else f", {search['new'] or 'none'} new"
            result = search["why_not"] or f"{counted(len(items), 'passage')}{new}"
            sentence = f"Searches for “{search['query']}”: {result.removesuffix('.')}."
            rung.boxes.append(Box(1, "Search", result, search["query"], items, sentence))
            if search["digest"]:
                name = "Nothing that helps" if search["nothing"] else "Read"
                digest = unformatted(search["digest"])
                rung.boxes.append(Box(2, name, text=digest, told=f"{name}: {digest}"))
        rungs.append(rung)
    return rungs


def with_thought(artefact: Thought, text: str) -> Thought:
    """Another thought; one that no longer gives the answer is searched with, and the chain goes on."""
    text = checked_text(text)
    ends = "The chain ends: this sentence gives the answer." if concludes(text) else ""
    if artefact.ends.endswith(MOST_THOUGHTS) or artefact.answer:
        ends = artefact.ends
    return edited(artefact, text=text, written=text, ends=ends)


def with_searches(artefact: Thought, text: str, queries: str, answer: str) -> Thought:
    """Another thought of a reasoning that searches: searches, one a line, or else an answer, which ends the chain.

    Raises:
        InputError: It has neither or both.
    """
    searches = lines_of(queries) if queries.strip() else []
    if bool(searches) == bool(answer.strip()):
        raise InputError("A thought searches or answers: write searches, or an answer and no search.")
    ends = "" if searches else "The chain ends: this thought gives the answer."
    text = checked_text(text)
    reply = checked_text(answer) if not searches else ""
    return edited(artefact, text=text, written=text, queries=tuple(searches), answer=reply, ends=ends)


def _sentence(thoughts: Sequence[Thought], scene: SceneContext) -> str:
    thought = thoughts[-1]
    number = f"Thought {thought.index + 1}"
    if thought.answer:
        return f"Nothing more is searched for: the reasoning ends with {quoted(first_words(thought.answer))}"
    if thought.queries:
        more = f", and {counted(len(thought.queries) - 1, 'more thing')}" if len(thought.queries) > 1 else ""
        return f"{number} finds something missing, and searches for {quoted(thought.queries[0])}{more}"
    if thought.ends:
        return (
            f"{number} is the last. {thought.ends}"
            if not thought.text
            else f"{number} concludes: {quoted(thought.text, 120)}"
        )
    guess = " is a guess" if thought.guess else ""
    return f"{number}{guess}, and the next search: {quoted(thought.text, 110)}"


def _picture(scene: Scene) -> Picture | None:
    reading = READING_SEARCHES if asks(scene.record.find(Thought)) else READING_THOUGHTS
    return drawn_picture("Thoughts and searches", reading, "turns", ladder(scene), scene.colour)


KINDS = (
    Kind(
        key="thought",
        title="Thought",
        icon="psychology_alt",
        gist=Gist(30, _gist),
        card=card,
        inside=_inside,
        spans=True,
        edit=Edit(
            _fields,
            _changed,
            lambda artefact: [line for line in (artefact.text, *artefact.queries, artefact.answer) if line],
            lambda artefact: f"Thought {artefact.index + 1}",
        ),
        sentence=Sentence(60, _sentence),
        picture=_picture,
    ),
)
