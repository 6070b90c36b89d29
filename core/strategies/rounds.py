"""A chain of sub-questions in rounds: each is answered as soon as the answers are there that it needs.

What needs none is answered at the same time as others. A sub-question whose answer is missing, only suggested or
incomplete is searched once more in other words, before anything is built on it.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from core.corpora.sentence_spans import language
from core.retrieval.repeats import without_repeats
from core.skills.answer import MARKS
from core.skills.answer_sub import ANSWER_SUB, answer_sub
from core.skills.base import MODEL
from core.skills.names import names_in
from core.skills.references import CANDIDATES, fill_references, referenced
from core.skills.resolve import RESOLVE, Resolved, points_back, resolve
from core.skills.rewrite_question import REWRITE_QUESTION, rewrite_question
from core.skills.synthesise import pair_of
from core.strategies.base import END, START, Graph, NodeRuntime, Stage, Update
from core.strategies.links import LinkParams, LinkState, answer_link, answers_of, gather
from core.strategies.nodes import Branch, Node, node, reranking, search, unconnected
from core.trace.artefacts import Answer, Pair, Rewrite, SubAnswer
from core.trace.events import emit_artefact
from core.trace.passages import Hit, Passage

STATED = 2
"""What an answer is worth that its passages state in full; see `_worth`."""
CAUSE_CHARS = 400
"""Of what an answer says is missing, as the rewriting is told."""


class ChainParams(LinkParams):
    """Parameters of strategies whose sub-questions may refer to earlier answers."""

    resolve_references: bool = Field(
        True,
        title="Fill in references",
        description="Rewrite a sub-question from the earlier answers before searching: “When was he born?” finds "
        "nothing until “he” has a name. A mark such as “#1” is filled in by code; what code cannot fill takes one more "
        "call. The built-in model leaves such words as they stand, unless you choose a rule for it.",
    )
    again: bool = Field(
        True,
        title="Search again in doubt",
        description="Where a sub-answer is not found, only suggested or incomplete, search once more in other "
        "words, and keep the better answer: all that follows is built on it. It takes two more calls. The built-in "
        "model does without.",
    )


class ChainState(LinkState, total=False):
    """Adds which sub-questions are in doubt, and how they are reworded."""

    doubtful: Annotated[list[int], operator.add]
    """Places of those to be searched again."""
    rewrite: Annotated[list[tuple[int, Rewrite]], operator.add]


class Link(ChainState, Branch):
    """The state of a branch: all that is known, and the sub-question that it works on."""


def in_doubt(answer: SubAnswer) -> bool:
    """True if an answer is missing, only suggested, or incomplete."""
    return _worth(answer) < STATED


def needs(questions: Sequence[str], index: int, main_question: str) -> set[int]:
    """Places of the sub-questions that have to be answered before one of them; the question itself needs all."""
    question, before = questions[index], set(range(index))
    if question == main_question or points_back(question):
        return before
    if marked := referenced(question, questions):
        return before.intersection(marked)
    if language(question) == "en":  # or another that writes names with capitals, and the first word
        return set() if any(not question.startswith(name) for name in names_in(question)) else before
    # A model that writes marks elsewhere does not write “he”.
    return set() if any(referenced(sub_question, questions) for sub_question in questions) else before


def due(state: ChainState) -> Iterator[tuple[str, int]]:
    """The nodes that come next, all at once, each with the place of its sub-question; none: all are answered."""
    questions = state["sub_questions"].questions
    answers = {answer.index: answer for answer in answers_of(state)}
    times = Counter(index for index, _ in state.get("sub_answers", []))
    reworded = dict(state.get("rewrite", []))
    open_ = {place for place in state.get("doubtful", []) if place in answers and in_doubt(answers[place])}
    unsettled = {
        place for place in open_ if times[place] == 1 and (place not in reworded or is_new(reworded[place]))
    }
    settled = answers.keys() - unsettled
    for index in range(len(questions)):
        if index in unsettled:
            yield ("answer_sub" if index in reworded else "reword"), index
        elif index not in answers and needs(questions, index, state["question"]) <= settled:
            yield "answer_sub", index


def is_new(rewrite: Rewrite) -> bool:
    """True if a rewriting found other words."""
    return rewrite.after != rewrite.before


@node("answer_sub", "Answer, round by round")
async def answer_next(link: Link, runtime: NodeRuntime[ChainParams]) -> Update:
    """Each sub-question is searched and answered once the answers that it needs are filled in; what needs none is
    answered at the same time."""
    context, index = runtime.context, link["index"]
    rewrite = dict(link.get("rewrite", [])).get(index)
    if rewrite is None:
        answer, hits = await _first(link, runtime)
        asks_again = context.params.again and context.skills.method(REWRITE_QUESTION) == MODEL
        doubtful = [index] if asks_again and in_doubt(answer) else []
    else:
        answer, hits = await _again(link, rewrite, runtime)
        doubtful = []
    emit_artefact(context.tracer, answer)
    return {"sub_answers": [(index, answer)], "hits": [(index, hits)], "doubtful": doubtful}


async def _first(link: Link, runtime: NodeRuntime[ChainParams]) -> tuple[SubAnswer, tuple[Hit, ...]]:
    """The answer with the earlier answers filled in, and the hits of its search."""
    context, index, question = runtime.context, link["index"], link["label"]
    answers = answers_of(link)
    pairs, ready = [pair_of(answer) for answer in answers], filled(link)
    is_last = question == link["question"]  # least-to-most ends with the question itself
    resolved = ready
    known = {answer.index for answer in answers if not answer.abstained}
    points = (
        is_last
        or points_back(ready.text)
        or not known.issuperset(referenced(question, link["sub_questions"].questions[:index]))
    )
    if context.params.resolve_references and points:
        resolved = await resolve(context.skills, ready.text, pairs)
        queries = ready.queries if resolved.text == ready.text else ()
        note = " ".join(filter(None, (ready.note, resolved.note)))
        resolved = replace(resolved, note=note, queries=queries)
    return await answer_link(
        context,
        index,
        question,
        resolved,
        pairs,
        wording=ready.text,
        also=_cited(answers) if is_last else (),
        show=is_last,
    )


async def _again(
    link: Link, rewrite: Rewrite, runtime: NodeRuntime[ChainParams]
) -> tuple[SubAnswer, tuple[Hit, ...]]:
    """The better one of the answer so far and another from the passages of both searches, and the new hits."""
    context, index = runtime.context, link["index"]
    first = next(answer for answer in answers_of(link) if answer.index == index)
    ranking = await search(context, rewrite.after)
    evidence = without_repeats(
        (passage, None) for passage in (*first.passages, *(hit.passage for hit in ranking.used))
    )
    passages = tuple(passage for passage, _ in evidence)
    searched_line = f"Searched again with “{rewrite.after}”"
    queries = (*(first.queries or (first.searched,)), rewrite.after)
    unchanged = first.model_copy(
        update={"queries": queries, "note": f"{searched_line}: no better answer. {first.note}".strip()}
    )
    if {passage.chunk for passage in passages} <= {passage.chunk for passage in first.passages}:
        return unchanged, ranking.used
    pairs = [pair_of(answer) for answer in answers_of(link) if answer.index != index]
    show = link["label"] == link["question"]
    answer = await answer_sub(context.skills, filled(link).text, passages, pairs, show=show)
    if _worth(answer) < _worth(first):
        return unchanged, ranking.used
    better = SubAnswer.of(
        answer,
        index=index,
        question=first.question,
        searched=first.searched,
        queries=queries,
        given=tuple(pairs),
        passages=passages,
        note=f"{searched_line}, and answered from the passages of both searches. {answer.note}".strip(),
    )
    return better, ranking.used


def _worth(answer: Answer | SubAnswer) -> int:
    """A stated answer before a suggested or incomplete one, and that before none."""
    return 0 if answer.abstained else 1 if answer.suggested or answer.incomplete else STATED


@node("reword", "Put differently")
async def reword(link: Link, runtime: NodeRuntime[ChainParams]) -> Update:
    """A sub-question whose answer is missing, only suggested or incomplete is put in other words, to search again."""
    context, index = runtime.context, link["index"]
    answers = answers_of(link)
    doubtful = next(answer for answer in answers if answer.index == index)
    cited = {citation.chunk for citation in doubtful.citations}
    rewritten = await rewrite_question(
        context.skills,
        filled(link).text,
        doubtful.queries or (doubtful.searched,),
        cause(doubtful),
        number=1,
        draft=MARKS.sub("", doubtful.text),
        findings=[
            *(f"{pair.question} {pair.short}" for pair in _for_marks(link) if pair.answer and pair.short),
            *(passage.title for passage in doubtful.passages if passage.chunk in cited),
        ],
    )
    emit_artefact(context.tracer, rewritten)
    return {"rewrite": [(index, rewritten)]}


def cause(answer: SubAnswer) -> str:
    """Why a sub-question is searched again, with what its answer says is missing."""
    first, _, rest = MARKS.sub("", answer.text).partition("\n\n")
    missing = " ".join((first if answer.abstained else rest).split())[:CAUSE_CHARS]
    why = (
        "No passage holds the answer."
        if answer.abstained
        else "The passages only suggest the answer."
        if answer.suggested
        else "The passages hold only a part of the answer."
    )
    return f"{why} {missing}".strip()


def filled(link: Link) -> Resolved:
    """A branch's sub-question with the answers in the place of its marks; a “#1” in the question itself is none."""
    question = link["label"]
    return (
        Resolved(question, "", "")
        if question == link["question"]
        else fill_references(question, _for_marks(link))
    )


def _for_marks(link: Link) -> list[Pair]:
    """For each sub-question before a branch's own what was searched and found, in short where it can be; without an
    answer where there is none."""
    answers = {answer.index: answer for answer in answers_of(link)}
    pairs = []
    for index, question in enumerate(link["sub_questions"].questions[: link["index"]]):
        answer = answers.get(index)
        if answer is None or answer.abstained:
            pairs.append(Pair(question=answer.searched if answer else question, answer=""))
        else:
            text = MARKS.sub("", answer.text)
            pairs.append(Pair(question=answer.searched, answer=text, short=answer.short))
    return pairs


def _cited(answers: Iterable[SubAnswer]) -> list[Passage]:
    """The passages that earlier answers cite, so that the last answer can cite them too."""
    cited = {citation.chunk for answer in answers for citation in answer.citations}
    return [passage for answer in answers for passage in answer.passages if passage.chunk in cited]


def link_stages(params: ChainParams, count: int, *, last_resolved: bool = False) -> tuple[Stage, ...]:
    """The model work on a number of sub-questions where each waits for the one before it, which is the longest way.

    With `last_resolved`, the last one is made searchable as a rule: where it is the question itself.
    """
    resolving = int(params.resolve_references)
    answering = Stage(ANSWER_SUB.key)
    later = *reranking(params, most=CANDIDATES), answering
    between = (Stage(RESOLVE.key, 0, most=resolving), *later) * (count - 2)
    last = (Stage(RESOLVE.key, resolving * last_resolved, most=resolving), *later) if count > 1 else ()
    most = count if params.again else 0
    again = (
        Stage(REWRITE_QUESTION.key, 0, most=most, only=MODEL),
        *reranking(params, 0, most=most),
        Stage(ANSWER_SUB.key, 0, most=most),
    )
    return *reranking(params), answering, *between, *last, *again


def in_rounds(first: Node, last: Node) -> Graph:
    """first → answer_sub for all that are due at once → gather, again and again, with a rewording before what is
    answered again → last."""
    from langgraph.types import Send

    def forth(
        state: ChainState,
    ) -> Any:  # langgraph evaluates these types, and its own are imported here only
        questions = state["sub_questions"].questions
        known = {name: value for name, value in state.items() if name not in ("context", "hits", "answer")}
        return [
            Send(node, {**known, "index": index, "label": questions[index]}) for node, index in due(state)
        ] or last.name

    graph = unconnected(ChainState, first, answer_next, gather, reword, last)
    graph.add_edge(START, first.name)
    graph.add_conditional_edges(first.name, forth, ["answer_sub"])
    graph.add_edge("answer_sub", "gather")
    graph.add_edge("reword", "gather")
    graph.add_conditional_edges("gather", forth, ["answer_sub", "reword", last.name])
    graph.add_edge(last.name, END)
    return graph
