"""The outcome of a run in one line: evidence found, the finds of plain retrieval, the verdict on the answer; and the
evidence that it missed, with where it was lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.cards.passages import STAR, PassageCard, passage_card, passages_in
from core.runs.budget import LOOK_UP_DEPTH, LookUp, chunks_given, given_passages, plain_with
from core.runs.record import Record
from core.strategies.base import BASELINE
from core.trace.artefacts import Answer, Fusion, Grade, Ranking
from core.trace.gold import Gold, pieces_held
from core.trace.passages import Passage
from core.wording import counted, shortened

if TYPE_CHECKING:
    from core.evaluation.answers import Verdict

VERDICTS: dict[Verdict, tuple[str, str]] = {
    "right": ("check_circle", "Answer right"),
    "wrong": ("cancel", "Answer wrong"),
    "refusal": ("do_not_disturb_on", "No answer"),
    "unclear": ("balance", "Judge for yourself"),
}
"""Verdict -> its icon, and what it is called."""

MISSING = "☆"
"""A star for a piece of evidence that was not found."""
NOT_THERE = "it is not in the documents"
"""The right answer to a question that the documents do not answer."""
FEW_WORDS = 4
"""Words up to which an answer that does not hold the right one is called wrong."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run; raw text."""

    stars: str
    """A star for each piece of evidence, filled where it was found; empty: there are many, or none is known."""
    found: int
    """Pieces of evidence that it gave to its answers."""
    of: int
    """Pieces of evidence in all; 0: nobody knows, or there is none."""
    plain: int | None
    """Pieces that as many passages of plain retrieval hold; None: it is plain retrieval, or searched no documents."""
    given: int
    """Passages that it gave to its answers; 0: none, or they are none of documents that were searched."""
    shared: int | None
    """How many of these plain retrieval finds, too; None as for `plain`."""
    verdict: Verdict | None
    """On its answer; None: nobody knows the right one, or there is no answer yet."""
    answers: tuple[str, ...]
    """Right answers."""

    @property
    def evidence(self) -> str:
        """How much of the evidence was found, in words; empty where nobody knows."""
        if self.of == 1:
            return f"The one piece of evidence was {'' if self.found else 'not '}found"
        return f"{self.found} of {self.of} pieces of evidence found" if self.of else ""

    @property
    def beside(self) -> str:
        """How much of it plain retrieval finds, in words; empty where there is nothing to say."""
        if self.plain is None or not self.of:
            return ""
        if self.of == 1:
            return f"{self.plain_named} {'finds it' if self.plain else 'does not find it'}"
        return f"{self.plain_named} finds {self.plain}"

    @property
    def plain_named(self) -> str:
        """Plain retrieval with its number of passages, in words."""
        return plain_with(self.given)

    @property
    def line(self) -> str:
        """All of it in one line of plain words."""
        finds = f"{self.stars} {self.evidence}".strip() if self.of else self.passages
        verdict = VERDICTS[self.verdict][1] if self.verdict else ""
        return " · ".join(filter(None, (finds, self.beside, verdict, self.right)))

    @property
    def right(self) -> str:
        """The right answer in words; empty where nobody knows, or the answer says it."""
        given = self.verdict == "right" and self.answers != (NOT_THERE,)
        return "" if self.verdict is None or given else f"Right answer: {self.answers[0]}"

    @property
    def passages(self) -> str:
        """How many passages were given, and how many of them a plain search finds, in words; empty: none were."""
        if not self.given:
            return ""
        text = f"{counted(self.given, 'passage')} given"
        if self.shared is None:
            return text
        return f"{text}, {self.shared} of which {self.plain_named} finds, too"


def outcome(record: Record, *, judge: bool = True) -> Outcome | None:
    """The outcome of a run; None: it has not ended, or was not measured against anything.

    `judge`: False leaves the verdict on its answer out, whose word lists take a moment to compile when first used.
    """
    baseline, started = record.baseline, record.started
    if baseline is None or started is None:
        return None
    passages = given_passages(record)
    pieces = pieces_held(baseline.gold, passages)
    plain = baseline.passages
    chunks = {chunk for passage in plain for chunk in passage.ids}
    alone = not baseline.retriever or started.strategy == BASELINE
    answer = record.answer if judge else None
    answers = right_answers(record)
    return Outcome(
        stars=rating(pieces, len(baseline.gold)),
        found=pieces,
        of=len(baseline.gold),
        plain=None if alone else pieces_held(baseline.gold, plain),
        given=chunks_given(record) if baseline.retriever else 0,
        shared=None if alone else sum(bool(chunks & set(passage.ids)) for passage in passages),
        verdict=judged(answer, answers, started.question) if answer and answers else None,
        answers=answers,
    )


def right_answers(record: Record) -> tuple[str, ...]:
    """The right answers to the question of a run: those that it keeps, or `NOT_THERE` for a question of the demo that
    its documents do not answer; empty: nobody knows."""
    from core.corpora.demo import DEMO_CORPORA, unanswerable

    started = record.started
    if record.baseline and record.baseline.answers:
        return record.baseline.answers
    asks_demo = started is not None and (started.corpus or DEMO_CORPORA[0]) in DEMO_CORPORA
    return (NOT_THERE,) if started and asks_demo and started.question in unanswerable() else ()


def judged(answer: Answer, gold: Sequence[str], question: str) -> Verdict:
    """The verdict on an answer, as in Evaluate; but where the right answer is long, that an answer lacks its words is
    no proof against it, and where the documents do not tell, only declining is right."""
    from core.evaluation.answers import verdict  # no other part of a card needs what judges answers
    from core.evaluation.words import tokens

    result = verdict(answer, gold, question)
    if tuple(gold) == (NOT_THERE,):
        return "right" if result == "refusal" else "wrong"
    if result == "wrong" and all(len(tokens(right)) > FEW_WORDS for right in gold):
        return "unclear"
    return result


def rating(pieces: int, of: int, most: int = 8) -> str:
    """Found and missing pieces of evidence as stars, e.g. `★★☆`; empty above `most`, where nobody counts them."""
    return STAR * pieces + MISSING * (of - pieces) if of <= most else ""


@dataclass(frozen=True)
class Missed:
    """A piece of evidence that no answer of a run was given; raw text."""

    fate: str
    """Where it was lost, in one or two sentences."""
    card: PassageCard
    """The passage that holds it, its words marked; where nobody has the passage, these words alone."""


def missed(
    record: Record, gold: Sequence[Gold] | None = None, looked: LookUp | None = None
) -> tuple[Missed, ...]:
    """The evidence that a run did not give to its answers; empty before its end. `gold` is the evidence, None: as the
    run has it; `looked` is the same in the corpus, None: it was not looked up, or the corpus is gone."""
    if gold is None:
        gold = record.baseline.gold if record.baseline else ()
    if record.under_way or not gold:
        return ()
    passages = given_passages(record)
    found = [*passages_in(artefact for _, artefact in record.artefacts), *(looked.passages if looked else ())]
    return tuple(
        Missed(_fate(record, piece, looked), _missed_card(piece, found))
        for piece in gold
        if not pieces_held([piece], passages)
    )


def _missed_card(piece: Gold, found: Sequence[Passage]) -> PassageCard:
    passage = next((passage for passage in found if piece.found_in(passage)), None)
    words = Passage(
        chunk=piece.document,
        document=piece.document,
        title=piece.title,
        text=piece.quote,
        position=0,
        start=0,
        end=0,
    )
    card = passage_card(passage or words, 0, None, "", quotes=[piece.quote] if piece.quote else ())
    return replace(card, rank=MISSING, where=card.where if passage else "the words of its label")


def _fate(record: Record, piece: Gold, looked: LookUp | None) -> str:
    given = counted(chunks_given(record), "passage")
    if any(piece.lost_from(passage) for passage in given_passages(record)):
        return "Its passage was given to the answer, but refining had cut these words out."
    rankings = record.find(Ranking)
    hits = [(ranking, hit) for ranking in rankings for hit in ranking.hits if piece.held_by(hit.passage)]
    if not hits:
        return _not_found(rankings, record, piece, looked)
    ranking, hit = min(hits, key=lambda pair: (pair[1].rank > pair[0].k, pair[1].rank))
    search = "The search" if len(rankings) == 1 else f"The search with “{shortened(ranking.query, 60)}”"
    had = f"{search} had it at rank {hit.rank}"
    if hit.before is not None and hit.before != hit.rank:
        had = f"{search} had it at rank {hit.before}, which reranking made rank {hit.rank}"
    if hit.rank > ranking.k:
        return (
            f"{had}; {given} were given."
            if len(rankings) == 1
            else f"{had}; its first {ranking.k} were used."
        )
    if any(
        grade.passage and piece.held_by(grade.passage) and not grade.passes for grade in record.find(Grade)
    ):
        return f"{had}, but it was judged not relevant and dropped."
    for fusion in record.find(Fusion):
        for rank, row in enumerate(fusion.places, 1):
            if piece.held_by(row.passage):
                return f"{had}, which fusing made rank {rank}; {given} were given."
    return f"{had}, but it was dropped later; {given} were given."


def _not_found(rankings: Sequence[Ranking], record: Record, piece: Gold, looked: LookUp | None) -> str:
    """The fate of what no search of the run found, and its rank in a deeper search where there was one."""
    ranks = [hit.rank for hit in looked.ranking.hits if piece.held_by(hit.passage)] if looked else []
    alone = len(rankings) == 1 and record.started is not None and rankings[0].query == record.started.question
    if alone and ranks:
        return f"The search has it at rank {ranks[0]}; {counted(chunks_given(record), 'passage')} were given."
    depth = LOOK_UP_DEPTH if alone and looked else max((len(ranking.hits) for ranking in rankings), default=0)
    if alone:
        return f"The first {depth} passages of the search don't contain it."
    own = "" if rankings else "This run did not search the documents for it."
    own = own or f"None of its {counted(len(rankings), 'search', 'searches')} had it among the first {depth}."
    if looked is None:
        return own
    where = f"has it at rank {ranks[0]}" if ranks else f"does not have it among its first {LOOK_UP_DEPTH}"
    return f"{own} One search with the question {where}."
