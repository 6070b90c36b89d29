"""What happens in a scene of a replay, in one sentence that says what mattered; worked out from what its steps made.

A question's labels are known from the start, so that the sentences can name the evidence before a live run could.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from core.cards.grid import list_columns
from core.cards.kinds import KINDS
from core.cards.kinds.exploration import EXPLORE
from core.cards.kinds.grades import OUT_OF
from core.cards.kinds.grades import WAYS as SEARCH_WAYS
from core.cards.kinds.hypothetical import rankings_of
from core.cards.kinds.route import WAYS
from core.cards.outcome import Outcome, outcome
from core.cards.passages import names
from core.cards.replay import END, Take
from core.cards.reranking import came_in, reranked
from core.cards.stars import STAR, Stars, stars_of
from core.runs.gold import pieces_held
from core.runs.record import Record
from core.skills.read_into_chain import READ_INTO_CHAIN
from core.skills.replies import MARKS
from core.skills.sentences import sentences
from core.strategies import strategies
from core.trace.artefacts import (
    Answer,
    AnyArtefact,
    Baseline,
    Candidates,
    Context,
    Critique,
    DroppedQuery,
    FusedRow,
    Fusion,
    Grade,
    GraphPath,
    HypotheticalDocuments,
    Plan,
    PooledRanking,
    Queries,
    RankedList,
    Ranking,
    Refinement,
    Rewrite,
    Route,
    StepBack,
    SubAnswer,
    SubQuestions,
    Thought,
    ToolCall,
    Walk,
)
from core.trace.passages import Passage
from core.wording import counted

LETTERS = 160
"""Longest sentence."""
NAME, TEXT = 46, 80
"""Longest title, and longest text of a model, that is quoted in one."""
NEAR_TOP = 3
"""Ranks that count as near the top of a list."""
FALLS = 3
"""Fused rank from which a list's first passage has fallen."""
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


@dataclass(frozen=True)
class Told:
    """A scene, and the run that it is from."""

    run: Record
    """All of it."""
    made: Sequence[AnyArtefact]
    """What the scene's steps made."""
    before: Sequence[AnyArtefact]
    """What was made earlier."""

    @cached_property
    def stars(self) -> Stars:
        """Passages that hold evidence, as the labels say."""
        return stars_of(self.run)

    @property
    def labelled(self) -> bool:
        """Whether the labels say where the evidence is."""
        return bool(self.run.baseline and self.run.baseline.gold)

    def named(self, passages: Iterable[Passage]) -> dict[str, str]:
        """Chunk -> what its passage is called among these, in quotation marks, with a star where it holds evidence."""
        return {
            chunk: f"{STAR} “{name}”" if chunk in self.stars else f"“{name}”"
            for chunk, name in names(passages, NAME).items()
        }

    def found_before(self) -> set[str]:
        """Passages that earlier searches found."""
        return {hit.passage.chunk for one in self.before if isinstance(one, Ranking) for hit in one.used}

    def held(self, passages: Iterable[Passage], start: str = ", ") -> str:
        """How many of these passages hold evidence, in words after `start`; empty where nobody knows."""
        if not self.labelled:
            return ""
        count = sum(one.chunk in self.stars for one in passages)
        return f"{start}{count or 'none'} of them with evidence {STAR}"


def narration(run: Record, take: Take) -> str:
    """The sentence of a scene: raw text, at most `LETTERS` characters.

    Args:
        run: The whole run.
        take: One of its scenes.
    """
    return shortened(_narrated(run, take), LETTERS)


def _narrated(run: Record, take: Take) -> str:
    last = run.steps[-1].id in take.steps if run.steps else take.title == END
    if last and run.state in ("failed", "stopped"):
        return f"The run {'fails' if run.state == 'failed' else 'was stopped'} here: {run.error}"
    if take.title == END and not take.steps:
        return "It ended before its first step."
    if not take.steps:
        known = strategies().get(run.started.strategy) if run.started else None
        return next(iter(sentences(known.idea)), "") if known else "A question is asked."
    made, first = take.made(run), run.steps[0].start
    first = min((step.start for step in run.steps if step.id in take.steps), default=first)
    before = [artefact for step in run.steps if step.start < first for artefact in step.artefacts]
    text = _told(Told(run, made, [one for one in before if not any(one is new for new in made)]))
    if run.fork and run.fork.step.id in take.steps:
        return f"Here the run was changed. {text}"
    return text


def _told(told: Told) -> str:
    """What the most telling kind says; of a kind without a sentence, what it is."""
    kinds = {artefact.kind for artefact in told.made}
    for kind, say in SAYS.items():
        if kind in kinds and (text := say([one for one in told.made if one.kind == kind], told)):
            return text
    unknown = next((KINDS[kind].moment for kind in kinds if kind in KINDS), "")
    return f"{unknown}." if unknown else "This step is under way, or made nothing that is shown."


# Words


def shortened(text: str, letters: int) -> str:
    """A text on one line, at most so long, and not cut within a word where that is far from its end."""
    line = " ".join(text.split())
    if len(line) <= letters:
        return line
    cut = line[: letters - 1]
    whole = cut.rpartition(" ")[0]
    return f"{(whole if len(whole) > letters * 2 // 3 else cut).rstrip(' ,;:')}…"


def quoted(text: str, letters: int = TEXT) -> str:
    """A text in quotation marks, cut."""
    return f"“{shortened(text, letters)}”"


def _ordinal(place: int) -> str:
    """Of a place from 0."""
    return _ORDINALS[place] if place < len(_ORDINALS) else f"{place + 1}th"


def _answered(artefact: Answer | SubAnswer) -> str:
    """An answer in few words, without marks."""
    text = artefact.short or next(iter(sentences(MARKS.sub("", artefact.text))), "")
    return quoted(text.replace("**", "").strip(" ."), 60)


# What is searched with


def _queries(found: Sequence[Queries], told: Told) -> str:
    queries = found[-1].queries
    itself = any(query.origin == "question" for query in queries)
    if any(query.origin == "user" for query in queries):
        text = f"You chose what is searched with: {counted(len(queries), 'query', 'queries')}"
    elif len(queries) == 1:
        text = (
            "The question is searched as it is"
            if itself
            else f"It is searched with {quoted(queries[0].text)}"
        )
    else:
        text = f"The question becomes {len(queries)} queries" + (", itself the first" if itself else "")
    return f"{text}{_dropped(found[-1].dropped)}."


def _dropped(dropped: Sequence[DroppedQuery]) -> str:
    """How many variants were dropped, and why most of them were."""
    if not dropped:
        return ""
    (reason, times), *_ = Counter(one.reason.partition(" (")[0] for one in dropped).most_common(1)
    why = reason if times == len(dropped) else f"most of them: {reason}"
    return f"; {counted(len(dropped), 'more was', 'more were')} dropped ({why})"


def _step_back(found: Sequence[StepBack], told: Told) -> str:
    made = found[-1]
    if made.general == made.question:
        return "No more general question was found, so the question is searched alone."
    return f"A step back: {quoted(made.general)} is searched beside the question."


def _hypothetical(found: Sequence[HypotheticalDocuments], told: Told) -> str:
    count = len(found[-1].texts)
    if not count:
        return "No passage was made up, so the question is searched as it is."
    one = count == 1
    made = "A passage is made up" if one else f"{count} passages are made up"
    false = "It may be false: it only leads" if one else "They may be false: they only lead"
    return f"{made} that would answer the question. {false} to real ones."


def _rewrite(found: Sequence[Rewrite], told: Told) -> str:
    return f"The question is put differently and searched again: {quoted(found[-1].after)}"


# What is found


def _rankings(found: Sequence[Ranking], told: Told) -> str:
    if not any(one.used for one in found):
        return "Nothing is found."
    written = [one for one in told.before if isinstance(one, HypotheticalDocuments)]
    if written and written[-1].texts and (text := _resembling(found[-1], written[-1], told)):
        return text
    return _one_search(found[0], told) if len(found) == 1 else _searches(found, told)


def _resembling(found: Ranking, written: HypotheticalDocuments, told: Told) -> str:
    """What hypothetical passages found that the question alone did not; empty: that was not searched."""
    _, beside = rankings_of(written, told.run.find(Ranking))
    if beside is None or beside is found:
        return ""
    alone = {hit.passage.chunk for hit in beside.used}
    new = [hit.passage for hit in found.used if hit.passage.chunk not in alone]
    if not new:
        return "Searching with them finds what the question alone finds, too."
    return (
        f"{len(new)} of {counted(len(found.used), 'passage')} would not have been found with the question alone"
        f"{told.held(new)}."
    )


def _one_search(found: Ranking, told: Told) -> str:
    used = [hit.passage for hit in found.used]
    first = told.named(hit.passage for hit in found.hits)[used[0].chunk]
    if reranked(found):
        was = found.used[0].before
        moved = "stays first" if was == 1 else f"comes first, which the search had at rank {was}"
        came = came_in(found)
        brought = f"; {counted(came, 'passage')} of {len(used)} came in from below" if came else ""
        return f"Judged anew, {first} {moved}{brought}{told.held(used)}."
    if earlier := told.found_before():
        new = [one for one in used if one.chunk not in earlier]
        what = f"Searching with {quoted(found.query, 60)}"
        if not new:
            return f"{what} finds nothing that was not found before."
        return f"{what} finds {counted(len(new), 'new passage')}{told.held(new)}."
    return f"One search finds {counted(len(used), 'passage')}, {first} first{told.held(used)}."


def _searches(found: Sequence[Ranking], told: Told) -> str:
    """Several searches at once: what one alone found, or what each found first."""
    columns = list_columns([RankedList(query=one.query, retriever=one.retriever) for one in found])
    called = told.named(hit.passage for one in found for hit in one.used)
    finders: dict[str, list[int]] = {}
    for place, one in enumerate(found):
        for hit in one.used:
            finders.setdefault(hit.passage.chunk, []).append(place)
    asked = told.run.started.question if told.run.started else ""
    for chunk, places in finders.items():
        if chunk in told.stars and len(places) == 1 and found[places[0]].query != asked:
            only, query = columns[places[0]].name, quoted(found[places[0]].query, 60)
            return f"{only} alone finds {called[chunk]}, which holds evidence: {query}"
    firsts = Counter(one.used[0].passage.chunk for one in found if one.used)
    (top, times), *others = firsts.most_common()
    if times == len(found):
        return f"Every query finds {called[top]} first; together they find {len(finders)} different passages."
    if len(others) == 1 and others[0][1] == 1 and times > 1:
        odd = others[0][0]
        name = next(
            column.name
            for column, one in zip(columns, found, strict=True)
            if one.used and one.used[0].passage.chunk == odd
        )
        return f"{name} is the only query that puts {called[odd]} first; the others begin with {called[top]}."
    lead = (
        f"{times} of {len(found)} queries find {called[top]} first"
        if times > 1
        else f"Each of the {len(found)} queries finds another passage first"
    )
    return f"{lead}; together they find {len(finders)} different passages."


def _union(found: Sequence[PooledRanking], told: Told) -> str:
    rows, lists = found[-1].rows, found[-1].lists
    if not rows:
        return "Nothing was found, so the pool is empty."
    text = f"The pool of {counted(len(lists), 'search', 'searches')} holds {counted(len(rows), 'different passage')}"
    asked = told.run.started.question if told.run.started else ""
    own = [place for place, one in enumerate(lists) if one.query == asked]
    gained = [
        row
        for row in rows
        if row.passage.chunk in told.stars and all(row.ranks[place] is None for place in own)
    ]
    if gained and own:
        return f"{text}; {len(gained)} with evidence {STAR} would have been missed by the question alone."
    single = sum(sum(rank is not None for rank in row.ranks) == 1 for row in rows)
    alone = f"; {single} of them were found by one query alone" if single > 1 and len(lists) > 1 else ""
    return f"{text}{alone}."


def _fusion(found: Sequence[Fusion], told: Told) -> str:
    made = found[-1]
    if not made.rows:
        return "Nothing was found, so there is nothing to fuse."
    called, lists = told.named(row.passage for row in made.rows), len(made.lists)
    best = made.rows[0]
    near = sum(rank is not None and rank <= NEAR_TOP for rank in best.ranks)
    holding = sum(rank is not None for rank in best.ranks)
    where = f"near the top of {_of(near, lists)}" if near > 1 or lists == 1 else f"in {_of(holding, lists)}"
    text = f"{called[best.passage.chunk]} wins: it is {where}."
    columns = list_columns(made.lists)
    fallen = [
        (row, fused, row.ranks.index(1))
        for fused, row in enumerate(made.rows, 1)
        if fused >= FALLS and 1 in row.ranks
    ]
    if fallen:
        row, fused, place = max(fallen, key=lambda one: (_alone(one[0]), one[1]))
        alone = " alone" if _alone(row) else ""
        text += f" {called[row.passage.chunk]}, first in {columns[place].name}{alone}, falls to rank {fused}."
    return text


def _of(near: int, lists: int) -> str:
    if lists == 1:
        return "the only list"
    return f"all {lists} lists" if near == lists else f"{near} of {lists} lists"


def _alone(row: FusedRow) -> bool:
    return sum(rank is not None for rank in row.ranks) == 1


def _walk(found: Sequence[Walk], told: Told) -> str:
    made = found[-1]
    if not made.passages:
        return "There is nothing to walk along: no passage mentions another."
    ranked = sorted(made.passages, key=lambda one: one.rank)
    called = told.named(one.passage for one in ranked)
    reached = [one for one in ranked if one.via and not (one.visits and one.visits[0])]
    seeds = min(made.seeds, made.reached)
    text = f"The walk goes from {counted(seeds, 'first hit')} to {counted(made.reached, 'passage')}"
    if not reached:
        return f"{text}."
    best = next((one for one in reached if one.passage.chunk in told.stars), reached[0])
    return f"{text}; {called[best.passage.chunk]} is reached by a mention and comes to rank {best.rank}."


def _refinement(found: Sequence[Refinement], told: Told) -> str:
    strips = [strip for one in found[-1].passages for strip in one.strips]
    struck = sum(not strip.kept for strip in strips)
    if not struck:
        return f"Every one of {counted(len(strips), 'sentence')} is kept for the answer."
    empty = sum(not any(strip.kept for strip in one.strips) for one in found[-1].passages)
    gone = f", and with them {counted(empty, 'whole passage')}" if empty else ""
    return f"{struck} of {counted(len(strips), 'sentence')} are struck out, since the answer does not need them{gone}."


def _context(found: Sequence[Context], told: Told) -> str:
    given = [item.passage for item in found[-1].passages if item.given]
    if not given:
        return "No passage is left for the model to read."
    goes = "passage goes" if len(given) == 1 else "passages go"
    return f"{len(given)} {goes} to the model{told.held(given)}."


def _baseline(found: Sequence[Baseline], told: Told) -> str:
    made = found[-1]
    if not made.retriever:  # nothing was searched for comparison
        return ""
    if not made.gold:
        return f"Plain retrieval finds {counted(len(made.hits), 'passage')}, for comparison."
    held = pieces_held(made.gold, [hit.passage for hit in made.hits])
    return f"Plain retrieval finds {held} of {counted(len(made.gold), 'piece')} of evidence."


# The question in parts


def _sub_questions(found: Sequence[SubQuestions], told: Told) -> str:
    questions = found[-1].questions
    if len(questions) <= 1:
        return "The question stays whole: it is not split."
    waits = next((place for place, one in enumerate(questions) if "#" in one), None)
    what = "questions for the tools" if found[-1].by_tools else "sub-questions"
    text = f"The question becomes {len(questions)} {what}"
    if waits:
        return f"{text}; the {_ordinal(waits)} waits for an answer before it: {quoted(questions[waits], 60)}"
    return f"{text}. The first: {quoted(questions[0])}"


def _sub_answers(found: Sequence[SubAnswer], told: Told) -> str:
    if found[0].skill == READ_INTO_CHAIN.key:
        return _read(found)
    if len(found) > 1:
        silent = [one for one in found if one.abstained]
        text = f"{len(found) - len(silent)} of {counted(len(found), 'sub-question')} are answered, each by itself"
        return f"{text}; none is found for {quoted(silent[0].question, 60)}" if silent else f"{text}."
    made = found[0]
    if made.abstained:
        return f"The {_ordinal(made.index)} sub-question finds no answer: {quoted(made.question)}"
    split = [one for one in told.before if isinstance(one, SubQuestions)]
    questions = split[-1].questions if split else ()
    text = f"The {_ordinal(made.index)} sub-answer, {_answered(made)},"
    waiting = [
        place for place, one in enumerate(questions) if place > made.index and f"#{made.index + 1}" in one
    ]
    if waiting:
        return f"{text} goes into the {_ordinal(waiting[0])} question."
    if made.index + 1 == len(questions):
        return f"The last sub-answer is {_answered(made)}."
    return f"{text} is kept for those that follow."


def _read(found: Sequence[SubAnswer]) -> str:
    """What was read of the passages of a search, in a chain of thoughts."""
    told = [one for one in found if not one.abstained]
    if not told:
        return f"Nothing that helps is read of the passages for {quoted(found[0].question)}"
    text = next(iter(sentences(MARKS.sub("", told[-1].text))), "").replace("**", "")
    return f"Of the passages, this is put into the reasoning: {quoted(text, 100)}"


def _thoughts(found: Sequence[Thought], told: Told) -> str:
    made = found[-1]
    number = f"Thought {made.index + 1}"
    if made.answer:
        answer = next(iter(sentences(MARKS.sub("", made.answer))), "")
        return f"Nothing more is searched for: the reasoning ends with {quoted(answer)}"
    if made.queries:
        more = f", and {counted(len(made.queries) - 1, 'more thing')}" if len(made.queries) > 1 else ""
        return f"{number} finds something missing, and searches for {quoted(made.queries[0])}{more}"
    if made.ends:
        return (
            f"{number} is the last. {made.ends}"
            if not made.text
            else f"{number} concludes: {quoted(made.text, 120)}"
        )
    guess = " is a guess" if made.guess else ""
    return f"{number}{guess}, and the next search: {quoted(made.text, 110)}"


# Judgements


def _grades(found: Sequence[Grade], told: Told) -> str:
    for what, say in _JUDGED.items():
        if grades := [grade for grade in found if grade.what == what]:
            return say(grades, found)
    return ""


def _relevance(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    out = sum(not grade.passes for grade in grades)
    if not out:
        return (
            f"All {len(grades)} passages count as relevant."
            if len(grades) > 1
            else "The passage counts as relevant."
        )
    if out == len(grades):
        return f"None of {counted(out, 'passage')} counts as relevant."
    return f"{out} of {len(grades)} passages {'is' if out == 1 else 'are'} thrown out as not relevant."


def _holds(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    full, part = (sum(grade.verdict == one for grade in grades) for one in ("yes", "partly"))
    if not full + part:
        return f"None of {counted(len(grades), 'passage')} is judged to hold the answer."
    partly = f", {part} a part of it" if part else ""
    judged = "is judged" if full <= 1 else "are judged"
    return f"{full or 'None'} of {counted(len(grades), 'passage')} {judged} to hold the answer{partly}."


def _search(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    return f"The search is judged {grades[-1].verdict}: {SEARCH_WAYS.get(grades[-1].verdict, 'it goes on')}."


def _support(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    words = {"fully": "supported", "partially": "supported only in part", "no": "not supported"}
    text = f"The draft is {words.get(grades[-1].verdict, grades[-1].verdict)} by its passages"
    useful = [grade for grade in every if grade.what == "IsUse"]
    if useful:
        text += f", and its use for the question is {useful[-1].verdict}{OUT_OF['IsUse']}"
    return f"{text}: {'it is good enough' if all(one.passes for one in every) else 'not good enough'}."


def _use(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    good = "good enough" if grades[-1].passes else "not good enough"
    return f"The draft's use for the question is {grades[-1].verdict}{OUT_OF['IsUse']}: {good}."


def _need(grades: Sequence[Grade], every: Sequence[Grade]) -> str:
    return f"The question {'needs' if grades[-1].passes else 'does not need'} documents."


_JUDGED: Mapping[str, Callable[[Sequence[Grade], Sequence[Grade]], str]] = {
    "IsSup": _support,
    "IsUse": _use,
    "IsRel": _relevance,
    "Holds": _holds,
    "Search": _search,
    "Retrieve": _need,
}
"""What is judged -> its sentence, from its own grades and from all of the scene; the most telling first."""


def _route(found: Sequence[Route], told: Told) -> str:
    made = found[-1]
    way = WAYS[made.way][0].lower()
    votes = sum(vote.way == made.way for vote in made.votes)
    if made.votes:
        return f"The way taken is “{way}”: {votes} of the {len(made.votes)} questions most like it took it."
    return f"The way taken is “{way}”{f': {shortened(made.reason, 110)}' if made.reason else '.'}"


def _critique(found: Sequence[Critique], told: Told) -> str:
    made = found[-1]
    if made.complete:
        return "The critique: enough is known to answer."
    if made.questions:
        return f"The critique: something is missing. Asked next: {quoted(made.questions[0])}"
    return f"Something is missing, but the loop ends. {made.ends}"


# Graphs and tools


def _plan(found: Sequence[Plan], told: Told) -> str:
    made = found[-1]
    first = f", from {quoted(made.steps[0].text, 60)} on" if made.steps else ""
    again = f"The plan before led nowhere; plan {made.attempt} has" if made.attempt > 1 else "The plan has"
    return f"{again} {counted(len(made.steps), 'step')} through the graph{first}."


def _candidates(found: Sequence[Candidates], told: Told) -> str:
    made = found[-1]
    chosen, what = [one for one in made.candidates if one.chosen], EXPLORE[made.explore]
    if not made.candidates:
        return f"There is nothing to go on with for {quoted(made.text, 60)}"
    if not chosen:
        return f"None of {len(made.candidates)} {what} fits {quoted(made.text, 60)}"
    more = f" and {len(chosen) - 1} more are" if len(chosen) > 1 else " is"
    of = f"out of {len(made.candidates)} {what}" if len(made.candidates) > 1 else "as there is no other"
    leads = f": it leads to {quoted(chosen[0].leads[0], 40)}" if len(chosen) == 1 and chosen[0].leads else ""
    return f"{quoted(chosen[0].label, 60)}{more} chosen {of}{leads}."


def _path(found: Sequence[GraphPath], told: Told) -> str:
    made = found[-1]
    if made.verdict == "refine":
        return f"This way leads nowhere, and a new plan is made: {shortened(made.reason, 100)}"
    hops = len({triple.hop for triple in made.triples})
    to = f" {quoted(made.nodes[-1], 60)}" if made.nodes else ""
    if made.verdict == "respond":
        leads = (
            f"After {counted(hops, 'hop')} the path leads to{to or ' an answer'}" if hops else "The path ends"
        )
        return f"{leads}: enough to answer."
    return (
        f"The path has {counted(hops, 'hop')} so far and goes on{f' from{to}' if to else ''}."
        if hops
        else (f"The start is found{f':{to}' if to else ''}; its relations are looked at next.")
    )


def _tool_calls(found: Sequence[ToolCall], told: Told) -> str:
    made = found[-1]
    ended = {"nothing": "finds nothing", "failed": "fails", "not run": "is not run"}
    if len(found) > 1:
        good = sum(one.outcome == "found" for one in found)
        tools = ", ".join(f"“{name}”" for name in dict.fromkeys(one.tool for one in found if one.tool))
        brought = "one brings" if good == 1 else f"{good or 'none'} bring"
        return f"{len(found)} calls of {tools or 'no tool'}: {brought} something back."
    tool = f"“{made.tool.replace('_', ' ')}”" if made.tool else "No tool"
    if made.outcome != "found":
        return f"{tool} {ended[made.outcome]}: {quoted(made.question)}"
    back = made.short or next(iter(sentences(MARKS.sub("", made.text))), "")
    return f"{tool} answers {quoted(made.question, 60)}{f' with {quoted(back, 60)}' if back else ''}"


# The end


def _answers(found: Sequence[Answer], told: Told) -> str:
    made = found[-1]
    if not made.final:
        if made.abstained:
            return "The draft gives no answer: the passages do not hold one. It is judged next."
        return f"A draft is written, to be judged next: {_answered(made)}"
    came = outcome(told.run)
    if came and (came.of or came.verdict not in (None, "unclear")):
        return f"{_judged(made, came)}{_beside(came)}."
    if made.abstained:
        return "No answer is given: nothing that was found supports one."
    context = told.run.context
    given = {item.passage.chunk for item in context.passages if item.given} if context else set()
    cited = len(given.intersection(one.chunk for one in made.citations))
    if not given:
        return f"The answer is {_answered(made)}."
    return (
        f"The answer, {_answered(made)}, cites {cited or 'none'} of {counted(len(given), 'passage')} given."
    )


def _judged(answer: Answer, came: Outcome) -> str:
    right = quoted(came.answers[0], 40) if came.answers else ""
    match came.verdict:
        case "right":
            return "The answer is right"
        case "wrong":
            return f"The answer is wrong, right is {right}"
        case "refusal":
            return f"No answer is given, right would be {right}"
    return "No answer is given" if answer.abstained else "The answer is given"


def _beside(came: Outcome) -> str:
    """The evidence before it, and what plain retrieval finds."""
    if not came.of:
        return ""
    held = f"; it had {came.found or 'none'} of {counted(came.of, 'piece')} of evidence"
    if came.plain is None:
        return held
    if came.plain == came.found:
        return f"{held}, as plain retrieval has"
    return f"{held}, plain retrieval finds {came.plain or 'none'}"


SAYS: Mapping[str, Callable[[Sequence[Any], Told], str]] = {
    "answer": _answers,
    "fusion": _fusion,
    "union": _union,
    "sub_answer": _sub_answers,
    "sub_questions": _sub_questions,
    "thought": _thoughts,
    "grade": _grades,
    "rewrite": _rewrite,
    "refinement": _refinement,
    "route": _route,
    "step_back": _step_back,
    "passages": _hypothetical,
    "queries": _queries,
    "critique": _critique,
    "tool_call": _tool_calls,
    "plan": _plan,
    "path": _path,
    "candidates": _candidates,
    "walk": _walk,
    "ranking": _rankings,
    "context": _context,
    "baseline": _baseline,
}
"""Kind -> its sentence, from those that the scene made; of several kinds the first that has something to say speaks."""
