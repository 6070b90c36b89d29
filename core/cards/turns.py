"""Runs that grade what they find, as a picture: the turns of a loop, what each threw out, and why it went on.

Plain data for its drawing; all text is raw and must not be interpreted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from core.cards.kind import Scene
from core.cards.passages import Stars, named_apart, passage_card
from core.cards.texts import ending, unformatted
from core.retrieval.kinds import RETRIEVERS
from core.runs.record import Record
from core.trace.artefacts import Answer, Artefact, Grade, Ranking, Refinement, Rewrite
from core.trace.passages import Passage
from core.wording import counted

WHAT = {
    "Retrieve": "Does the question need documents?",
    "IsRel": "Is the passage relevant to the question?",
    "IsSup": "Is the answer supported by the passages?",
    "IsUse": "Is the answer useful for the question?",
    "Holds": "Does the passage hold the answer?",
    "Search": "What is the search worth?",
}
OUT_OF = {"IsUse": " of 5"}
HALF = frozenset(("partially", "partly", "ambiguous"))
"""Verdicts with which a run goes on, but not as with the best."""
WAYS = {
    "correct": "what it found is refined",
    "ambiguous": "what it found is refined, and another way is tried",
    "incorrect": "another way is tried",
}
"""Verdict on a search -> the step that it leads to, in words."""
LIMIT = "Limit reached"
FORMER_LIMIT = "Cap reached"
"""The same in runs of earlier versions."""
AGAIN = "Not supported: written again, told what was unsupported."
PARTLY_AGAIN = "Supported only in part: written again, told what was unsupported."


def kept_strips(artefact: Refinement) -> str:
    """Say how many strips are kept, and in how many passages."""
    strips = [strip for refined in artefact.passages for strip in refined.strips]
    passages_left = sum(any(strip.kept for strip in refined.strips) for refined in artefact.passages)
    strips_left = sum(strip.kept for strip in strips)
    passages = counted(len(artefact.passages), "passage")
    return f"{strips_left} of {counted(len(strips), 'strip')} kept, in {passages_left} of {passages}"


@dataclass
class Iteration:
    """The steps between two jumps back; all text is raw and must not be interpreted."""

    title: str
    """Name of the iteration, e.g. `Search 2`."""
    ranking: Ranking | None = None
    """None: nothing was searched."""
    grades: list[Grade] = field(default_factory=list)
    """IsRel of the passages found."""
    draft: str = ""
    """Empty: none was written, so far."""
    number: int = 0
    """Number of the draft, from 1."""
    answer: list[Grade] = field(default_factory=list)
    """IsSup and IsUse."""
    led: str = ""
    """Its consequence, as a sentence; empty: not known yet."""
    way: str = "open"
    """`back`, `done`, `cap`, or `open` while the run goes on."""
    returned: bool = False
    """True if its draft is the run's answer."""


def iterations(artefacts: Iterable[Artefact]) -> list[Iteration]:
    """The iterations of a run that grades, from its artefacts in order, as far as it is."""
    laps: list[Iteration] = []
    searches = drafts = 0
    for artefact in artefacts:
        match artefact:
            case Ranking():
                searches += 1
                if laps and laps[-1].way == "open":
                    laps[-1].led, laps[-1].way = "Not useful, so documents are searched.", "back"
                laps.append(Iteration(f"Search {searches}", artefact))
            case Grade(what="IsRel") if laps:
                laps[-1].grades.append(artefact)
            case Grade(what="IsSup" | "IsUse") if laps:
                laps[-1].answer.append(artefact)
            case Answer(final=False):
                drafts += 1
                if not laps:
                    laps.append(Iteration("From memory"))
                elif laps[-1].draft:
                    partly = any(grade.verdict == "partially" for grade in laps[-1].answer)
                    laps[-1].led = PARTLY_AGAIN if partly else AGAIN
                    laps[-1].way = "back"
                    laps.append(Iteration("Same passages"))
                laps[-1].draft, laps[-1].number = artefact.text, drafts
            case Rewrite() if laps:
                laps[-1].led, laps[-1].way = f"{artefact.cause} The question is rewritten.", "back"
            case Answer() if laps:
                _end(laps, artefact)
    return laps


def _end(laps: list[Iteration], answer: Answer) -> None:
    """Note how the run ended, at its last iteration and at the one whose draft it returned."""
    written = [lap for lap in laps if lap.draft and lap.draft == answer.text]
    if written:
        written[-1].returned = True
    last = laps[-1]
    limited = LIMIT in answer.note or FORMER_LIMIT in answer.note
    if not written:
        last.led = f"{LIMIT}: no answer is given."
    elif limited:
        last.led = f"{LIMIT}: draft {written[-1].number} is the best there is, and is returned."
    else:
        last.led = f"Good enough: draft {written[-1].number} is the answer."
    last.way = "cap" if limited else "done"


READING = (
    "From left to right: search, grades, answer, grades of the answer. What is struck through was thrown out. A dashed "
    "line goes round again and says why. Choose a box to read what is in it."
)
LOOPING = ("IsRel", "IsSup", "IsUse")
"""Grades that may send a run back."""
READING_ONCE = (
    "From left to right: the search, what an evaluator makes of each passage and of the search, and what is kept. A "
    "dashed line leads to another way and says why. Choose a box to read what is in it."
)


@dataclass(frozen=True)
class Item:
    """A grade, or a passage that was found."""

    name: str
    """Short: the passage's title, or what is graded."""
    detail: str = ""
    """Tells the passage from others of its title."""
    verdict: str = ""
    """Empty: it is not graded."""
    kept: bool = True
    half: bool = False
    """It passes, but not in full."""
    reason: str = ""
    card: dict[str, Any] | None = None
    """The passage."""


@dataclass(frozen=True)
class Box:
    """One thing that was done."""

    place: int
    """Column, from 0."""
    name: str
    said: str = ""
    """In a few words."""
    text: str = ""
    """Cut short in the picture: a query, or a draft."""
    items: tuple[Item, ...] = ()
    told: str = ""
    """The whole of it, as a sentence."""


@dataclass
class Turn:
    """One way through the boxes."""

    title: str
    boxes: list[Box] = field(default_factory=list)
    led: str = ""
    """Its consequence, as a sentence; empty: not known yet."""
    way: str = "open"
    """As of an `Iteration`."""


@dataclass(frozen=True)
class Names:
    """The names of passages in the picture, beside their titles."""

    details: dict[str, str]
    stars: Stars = frozenset()

    def item(self, passage: Passage, rank: int, grade: Grade | None = None) -> Item:
        """A passage with its grade, if it has one."""
        card = asdict(passage_card(passage, rank, None, "", stars=self.stars))
        item = Item(passage.title, self.details.get(passage.chunk, ""), card=card)
        return _with_grade(item, grade) if grade else item


def _with_grade(item: Item, grade: Grade) -> Item:
    verdict = grade.verdict + OUT_OF.get(grade.what, "")
    half = grade.verdict in HALF
    return replace(item, verdict=verdict, kept=grade.passes, half=half, reason=grade.reason)


def turns(scene: Scene) -> dict[str, Any] | None:
    """Data of the picture; None: the run grades nothing, so far."""
    record = scene.record
    grades = record.find(Grade)
    called = names_in(record, scene.stars)
    if any(grade.what == "Holds" for grade in grades):
        drawn = _corrected(record, called)
    elif any(grade.what in LOOPING for grade in grades):
        laps = iterations(artefact for _, artefact in record.artefacts)
        drawn = [_turn(lap, called) for lap in laps]
    else:
        return None
    return {
        "turns": [asdict(turn) for turn in drawn],
        "ladder": False,
        "summary": _summary(grades, len(drawn)),
    } | ending(record)


def names_in(record: Record, stars: Stars = frozenset()) -> Names:
    """The names of the passages that a run found; `stars` hold evidence."""
    every = [hit.passage for ranking in record.find(Ranking) for hit in ranking.used]
    return Names(named_apart(every), stars)


def _summary(grades: Sequence[Grade], count: int) -> str:
    passages = [grade for grade in grades if grade.passage is not None]
    out = sum(not grade.passes for grade in passages)
    return f"{counted(count, 'turn')}; {counted(len(passages), 'passage')} graded, {out} thrown out"


def _search_box(place: int, ranking: Ranking, called: Names, name: str = "Search") -> Box:
    items = tuple(called.item(hit.passage, hit.rank) for hit in ranking.used)
    how = RETRIEVERS.get(ranking.retriever, ranking.retriever).lower()
    note = f" {ranking.note}" if ranking.note else ""
    sentence = (
        f"{how.capitalize()} search with “{ranking.query}” found {counted(len(items), 'passage')}.{note}"
    )
    return Box(place, name, counted(len(items), "passage"), ranking.query, items, sentence)


def _judged(place: int, grades: Sequence[Grade], called: Names) -> Box:
    """Passages with their verdicts, those that are kept first in the sentence."""
    items = tuple(
        called.item(grade.passage, rank, grade) for rank, grade in enumerate(grades, 1) if grade.passage
    )
    passed = sum(item.kept for item in items)
    question, thrown_out = WHAT[grades[0].what], len(items) - passed
    sentence = f"{question} {passed} of {counted(len(items), 'passage')} kept, {thrown_out} thrown out."
    return Box(place, "Grade passages", f"{passed} of {len(items)} kept", "", items, sentence)


def _verdicts(place: int, grades: Sequence[Grade], name: str) -> Box:
    """A box of grades that are not of passages."""
    items = tuple(_with_grade(Item("" if grade.what == "Search" else grade.what), grade) for grade in grades)
    sentences = [
        f"{WHAT[grade.what]} {item.verdict}. {grade.reason}"
        for grade, item in zip(grades, items, strict=True)
    ]
    return Box(place, name, "", "", items, " ".join(sentences).strip())


def _turn(lap: Iteration, called: Names) -> Turn:
    """An iteration of Self-RAG: search, grade, answer, critique."""
    turn = Turn(lap.title, led=lap.led, way=lap.way)
    if lap.ranking:
        turn.boxes.append(_search_box(0, lap.ranking, called, lap.title))
        if lap.grades:
            turn.boxes.append(_judged(1, lap.grades, called))
    else:
        memory = "No documents are searched: the model answers from memory."
        again = "The answer is written again from the same passages, told what was unsupported."
        turn.boxes.append(Box(0, lap.title, told=again if lap.title == "Same passages" else memory))
    if lap.draft:
        remark, draft = "returned" if lap.returned else "", unformatted(lap.draft)
        turn.boxes.append(Box(2, f"Draft {lap.number}", remark, draft, told=f"Draft {lap.number}: {draft}"))
    if lap.answer:
        turn.boxes.append(_verdicts(3, lap.answer, "Grade the answer"))
    return turn


def _corrected(record: Record, called: Names) -> list[Turn]:
    """Corrective RAG: search, evaluate, judge, refine, and another way where that is not enough."""
    rankings, grades = record.find(Ranking), record.find(Grade)
    search = [grade for grade in grades if grade.what == "Search"][-1:]
    first = Turn("Search")
    first.boxes += [_search_box(0, ranking, called) for ranking in rankings[:1]]
    if judged := _evaluation(1, grades, rankings, 1, called):
        first.boxes.append(judged)
    if search:
        first.boxes.append(_verdicts(2, search, "Judge the search"))
        first.led, first.way = f"{search[0].verdict.capitalize()}: {WAYS[search[0].verdict]}.", "done"
    refined = record.find(Refinement)
    own = 0 if search and search[0].verdict == "incorrect" else 1
    first.boxes += [_strips(refinement) for refinement in refined[:own]]
    path = [first]
    if search and search[0].verdict != "correct":
        first.way = "back"
        elsewhere = _elsewhere(record, rankings[1:], called)
        if judged := _evaluation(2, grades, rankings, 2, called):
            elsewhere.boxes.append(judged)
            chunks = {item.card["id"] for item in judged.items if item.card}
            elsewhere.boxes += [_strips(refinement, chunks) for refinement in refined[own:]]
        path.append(elsewhere)
    if record.answer:
        path[-1].way, path[-1].led = "done", "The answer is made from what was kept and what was found."
    return path


def _evaluation(
    place: int, grades: Sequence[Grade], rankings: Sequence[Ranking], number: int, called: Names
) -> Box | None:
    """The grades of a search's passages, in their order, by the number of the search; None: nobody judged them."""
    own = [grade for grade in grades if grade.what == "Holds" and grade.round == number]
    return _judged(place, by_rank(own, rankings), called) if own else None


def by_rank(grades: Sequence[Grade], rankings: Sequence[Ranking]) -> list[Grade]:
    """Grades of the passages of one search in the order of its hits, of all the `rankings` of the run."""
    number = grades[0].round
    ranks = {hit.passage.chunk: hit.rank for ranking in rankings[number - 1 : number] for hit in ranking.hits}
    return sorted(
        grades, key=lambda grade: ranks.get(grade.passage.chunk if grade.passage else "", len(ranks))
    )


def _strips(refinement: Refinement, chunks: Collection[str] | None = None) -> Box:
    """A box of the strips that are kept of the passages, or only of those with these ids."""
    some = tuple(
        refined for refined in refinement.passages if chunks is None or refined.passage.chunk in chunks
    )
    summary = kept_strips(refinement.model_copy(update={"passages": some}))
    return Box(3, "Keep what is needed", summary, told=f"Cut into sentences: {summary}.")


def _elsewhere(record: Record, rankings: Sequence[Ranking], called: Names) -> Turn:
    """The other way: a search with other words, or the model's memory."""
    turn = Turn("Elsewhere")
    for rewrite in record.find(Rewrite)[-1:]:
        sentence = f"The question is rewritten because of {rewrite.cause}"
        turn.boxes.append(Box(0, "Rewrite", "", rewrite.after, told=sentence))
    turn.boxes += [_search_box(1, ranking, called, "Search elsewhere") for ranking in rankings[:1]]
    for draft in [answer for answer in record.find(Answer) if not answer.final][:1]:
        sentence = "The model is asked what it knows, without documents."
        turn.boxes.append(Box(1, "From memory", "", unformatted(draft.text), told=sentence))
    return turn
