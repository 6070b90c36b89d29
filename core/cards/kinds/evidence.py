"""Answer and evidence: sentences, citation marks, and the passages they point at."""

from __future__ import annotations

from collections.abc import Sequence

from core.cards.kind import Edit, Gist, Kind, PickField, Scene, edited, passage_list, provenance
from core.cards.matching import matches
from core.cards.narration import SceneContext, Sentence, answered, quoted
from core.cards.outcome import Outcome, outcome
from core.cards.parts import Card, Chip, Cites, Fold, Note, Part, Prose
from core.cards.passages import STAR, PassageCard, Stars, names, passage_card, quotes_by_chunk
from core.cards.texts import doubt, doubt_note
from core.errors import InputError
from core.retrieval.kinds import WALK_SCORE_NAME
from core.runs.budget import chunks_given, given_passages
from core.runs.record import Record
from core.skills.answer import MARKS
from core.skills.base import MODEL
from core.skills.copying import TRY
from core.trace.artefacts import EVAL_CUTOFF, Answer, Context, ContextPassage, Fusion, Ranking, Walk
from core.wording import counted, shortened

SHOWN = 6
"""Passages of the evidence that are seen at once; IRCoT gives up to 15 of them, and its steps come below."""
TINY = (
    "Written by the tiny built-in model (135 million parameters). It makes everything work offline; "
    "expect mistakes, and choose another model in the sidebar to see a strategy at its best."
)
"""Stands below every answer that it wrote."""


ALL_GIVEN = (
    "Everything there is to search was given ({chunks}), so no other search can help. This method needs no model and "
    "copies one sentence; a capable model may find the answer in them."
)
"""Stands in the place of `TRY`."""
Cards = tuple[PassageCard, ...]


def context_view(
    artefact: Context,
    answer: Answer | None = None,
    scores: str = "score",
    question: str = "",
    stars: Stars = frozenset(),
) -> tuple[Cards, Cards]:
    """Return cards of the passages given to the answer, and of those that were not; the words that it used are
    marked. `scores` says what the scores are, e.g. `RRF`; a passage that the answer did not use begins, folded, with
    the sentence that shares most with `question`."""
    every = [item.passage for item in artefact.passages]
    called, near = names(every), matches(question, every)
    quotes = quotes_by_chunk(answer.citations if answer else ())
    cards = [
        passage_card(
            item.passage,
            item.rank,
            item.score or None,  # 0: a run stored when there was no other way to say that it has none
            scores,
            quotes=quotes.get(item.passage.chunk, ()),
            match=near.get(item.passage.chunk),
            badge=_badge(item, cited=item.passage.chunk in quotes),
            faint=not item.given,
            name=called[item.passage.chunk],
            stars=stars,
        )
        for item in artefact.passages
    ]
    return tuple(card for card in cards if not card.faint), tuple(card for card in cards if card.faint)


def _badge(item: ContextPassage, *, cited: bool) -> str:
    others = len(item.passage.stands_for)
    remarks = (
        f"found by {item.source}" if item.source else "",
        "cited" if cited else "",
        f"{counted(others, 'other says', 'others say')} the same" if others else "",
    )
    return " · ".join(filter(None, remarks))


def score_name(record: Record) -> str:
    """The name of the scores of a run's evidence: those of the fusion or the walk, else of its only ranking."""
    if record.find(Fusion):
        return "RRF"
    if any(walk.passages for walk in record.find(Walk)):
        return WALK_SCORE_NAME
    names = {ranking.score_name for ranking in record.find(Ranking)}
    return names.pop() if len(names) == 1 else "score"


def answer_first(artefact: Answer) -> str:
    """The text of an answer with the answer itself first, where its method wrote it behind the reasoning."""
    reasoning, _, last = artefact.text.strip().rpartition("\n")
    itself = MARKS.sub("", last).strip(" *")
    if not artefact.short or itself != artefact.short or not reasoning.strip():
        return artefact.text
    return f"{last.strip()}\n\n{reasoning.strip()}"


def answer_view(
    artefact: Answer, context: Context | None = None, stars: Stars = frozenset()
) -> tuple[str, tuple[Chip, ...]]:
    """The answer's text with citation marks as `[n]`, and its citations, numbered as the passages were given.

    A method that writes no marks of its own gets them: each sentence is followed by the passages it cites. A
    title begins with a star where the passage holds evidence.
    """
    passages = context.given_passages if context else ()
    called = names(passages)
    numbers = {passage.chunk: number for number, passage in enumerate(passages, 1)}
    uses: dict[str, set[int]] = {}
    for citation in artefact.citations:
        if citation.chunk in numbers:
            uses.setdefault(citation.chunk, set()).add(citation.sentence)
    chips = tuple(
        Chip(numbers[chunk], chunk, f"{STAR} " * (chunk in stars) + called[chunk], len(where))
        for chunk, where in sorted(uses.items(), key=lambda pair: numbers[pair[0]])
    )
    text = answer_first(artefact)
    if chips and not MARKS.search(text):
        text = " ".join(
            sentence + "".join(f" [{chip.number}]" for chip in chips if index in uses[chip.chunk])
            for index, sentence in enumerate(artefact.sentences)
        )
    return text, chips


DRAFT_CHARS = 90


def context_card(artefact: Context, scene: Scene) -> Card:
    """The evidence in the strategy's order; what the answer used is marked."""
    record = scene.record
    question = record.question
    given_cards, rest = context_view(artefact, record.answer, score_name(record), question, scene.stars)
    parts: list[Part] = []
    if not given_cards:
        missing = "No passage was judged relevant." if rest else "No passage was found."
        hint = "Try another wording, another retriever, or a corpus that covers the topic."
        parts.append(Note(f"{missing} {hint}"))
    parts.append(passage_list(given_cards, "given", compact=False, fold=SHOWN, id=scene.evidence))
    if rest:
        title = f"{len(rest)} more found, not given to the answer"
        parts.append(Fold(title, (passage_list(rest, "rest"),), slot="evidence-more"))
    return Card((*parts, *provenance(artefact)), f"{len(given_cards)} given to the answer")


def answer_card(artefact: Answer, scene: Scene) -> Card:
    """The answer with its citations; one that is not final is a folded draft."""
    if not artefact.final:
        draft = Fold(shortened(artefact.text, DRAFT_CHARS) or "Empty", (Prose(artefact.text),), slot="draft")
        return Card((draft, *provenance(artefact)), "a draft")
    text, chips = answer_view(artefact, scene.record.context, scene.stars)
    prose = Prose(text, {chip.number: chip.chunk for chip in chips}, scene.evidence)
    parts: list[Part] = [prose if text.strip() else Note("The model replied with nothing.")]
    if note := doubt_note(artefact):
        parts.append(Note(note, "do_not_disturb_on" if artefact.abstained else "help"))
    if chips:
        parts.append(Cites(chips, scene.evidence))
    # That a model wrote the answer is the rule; where something else did, that is said.
    advised = artefact.model_copy(update={"note": _advice(artefact.note, scene.record)})
    return Card((*parts, *provenance(advised, method=artefact.method != MODEL)))


def _advice(note: str, record: Record) -> str:
    """The note of an answer, without the advice to search again where all that could be searched had been given."""
    given = {passage.chunk for passage in given_passages(record)}
    if TRY in note and any(
        # One that compares meanings ranks every chunk, so a short ranking holds all there are.
        ranking.retriever in ("dense", "hybrid")
        and len(ranking.hits) < max(ranking.k, EVAL_CUTOFF)
        and given.issuperset(hit.passage.chunk for hit in ranking.places)
        for ranking in record.find(Ranking)
    ):
        return note.replace(TRY, ALL_GIVEN.format(chunks=counted(chunks_given(record), "chunk")))
    return note


def _passages(artefact: Context) -> tuple[PickField]:
    options = {
        item.passage.chunk: f"{item.rank}. {item.passage.title}, chunk {item.passage.position + 1}"
        for item in artefact.passages
    }
    hint = "Take passages out, or add those that were found and not given; the order is that of choosing."
    label = "Passages given to the answer, in this order"
    return (PickField("edit-given", label, options, _given_chunks(artefact), hint),)


def _given_chunks(artefact: Context) -> list[str]:
    return [passage.chunk for passage in artefact.given_passages]


def _titles(artefact: Context) -> list[str]:
    called = names(item.passage for item in artefact.passages)
    return [f"{item.rank}. {called[item.passage.chunk]}" for item in artefact.passages if item.given]


def _gist(record: Record) -> str:
    count = len(record.context.given_passages) if record.context else 0
    return (
        f"No search: the answer is given {counted(count, 'document')}"
        if count
        else "No search: the model alone"
    )


def with_given(artefact: Context, chunks: Sequence[str]) -> Context:
    """These passages are given to the answer, in this order; the others follow and are not. The same ones: the artefact
    as it is."""
    if list(chunks) == _given_chunks(artefact):
        return artefact
    by_chunk = {item.passage.chunk: item for item in artefact.passages}
    order = [chunk for chunk in dict.fromkeys(chunks) if chunk in by_chunk]
    if not order:
        raise InputError("At least one passage is needed for an answer. Choose one.")
    rest = [chunk for chunk in by_chunk if chunk not in order]
    passages = tuple(
        by_chunk[chunk].model_copy(update={"rank": rank, "given": rank <= len(order)})
        for rank, chunk in enumerate([*order, *rest], 1)
    )
    return edited(artefact, passages=passages)


def _context_sentence(contexts: Sequence[Context], scene: SceneContext) -> str:
    passages = contexts[-1].given_passages
    if not passages:
        return "No passage is left for the model to read."
    goes = "passage goes" if len(passages) == 1 else "passages go"
    return f"{len(passages)} {goes} to the model{scene.with_evidence(passages)}."


def _answer_sentence(answers: Sequence[Answer], scene: SceneContext) -> str:
    answer = answers[-1]
    if not answer.final:
        if answer.abstained:
            return "The draft gives no answer: the passages do not hold one. It is judged next."
        return f"A draft is written, to be judged next: {answered(answer)}"
    result = outcome(scene.run)
    if result and (result.of or result.verdict not in (None, "unclear")):
        return f"{_judged(answer, result)}{_beside(result)}."
    if answer.abstained:
        return "No answer is given: nothing that was found supports one."
    unsure = f", {words}" if (words := doubt(answer)) else ""
    context = scene.run.context
    chunks = {passage.chunk for passage in context.given_passages} if context else set()
    cited = len(chunks.intersection(citation.chunk for citation in answer.citations))
    if not chunks:
        return f"The answer is {answered(answer)}{unsure}."
    passages = counted(len(chunks), "passage")
    return f"The answer, {answered(answer)}{unsure}, cites {cited or 'none'} of {passages} given."


def _judged(answer: Answer, result: Outcome) -> str:
    right = quoted(result.answers[0], 40) if result.answers else ""
    match result.verdict:
        case "right":
            return f"The answer is right: {right}"
        case "wrong":
            return f"The answer is wrong; the right one is {right}"
        case "refusal":
            return f"No answer is given; the right one is {right}"
    return "No answer is given" if answer.abstained else "The answer is given"


def _beside(result: Outcome) -> str:
    """The evidence before it, and what plain retrieval finds."""
    if not result.of:
        return ""
    pieces = (
        f"{result.found} of {result.of} pieces of evidence" if result.of > 1 else "the one piece of evidence"
    )
    text = f"; it had {pieces if result.found else 'none of the evidence'}"
    if result.plain is None:
        return text
    if result.plain == result.found:
        return f"{text}, as {result.plain_named} has"
    return f"{text}, {result.plain_named} finds {result.plain or 'none'}"


KINDS = (
    Kind(
        key="context",
        title="Passages",
        icon="library_books",
        card=context_card,
        apart=lambda artefact: True,
        edit=Edit(_passages, lambda artefact, values: with_given(artefact, values[0]), _titles),
        sentence=Sentence(210, _context_sentence),
    ),
    Kind(
        key="answer",
        title="Answer",
        icon="forum",
        gist=Gist(100, _gist),
        card=answer_card,
        apart=lambda artefact: artefact.final,
        sentence=Sentence(10, _answer_sentence),
    ),
)
