"""Questions in parts, thoughts, graphs, tools, judgements and answers, in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.cards.answers import doubt
from core.cards.kinds.exploration import EXPLORE
from core.cards.kinds.grades import OUT_OF
from core.cards.kinds.grades import WAYS as SEARCH_WAYS
from core.cards.kinds.route import WAYS
from core.cards.narration.words import SceneContext, answered, ordinal, quoted
from core.cards.outcome import Outcome, outcome
from core.skills.read_into_chain import READ_INTO_CHAIN
from core.skills.replies import MARKS
from core.skills.sentences import sentences
from core.trace.artefacts import (
    Answer,
    Candidates,
    Critique,
    Grade,
    GraphPath,
    Plan,
    Route,
    SubAnswer,
    SubQuestions,
    Thought,
    ToolCall,
)
from core.wording import counted, shortened


def sub_questions(found: Sequence[SubQuestions], scene: SceneContext) -> str:
    questions = found[-1].questions
    if len(questions) <= 1:
        return "The question stays whole: it is not split."
    waits = next((place for place, one in enumerate(questions) if "#" in one), None)
    what = "questions for the tools" if found[-1].by_tools else "sub-questions"
    text = f"The question becomes {len(questions)} {what}"
    if waits:
        return f"{text}; the {ordinal(waits)} waits for an answer before it: {quoted(questions[waits], 60)}"
    return f"{text}. The first: {quoted(questions[0])}"


def sub_answers(found: Sequence[SubAnswer], scene: SceneContext) -> str:
    if found[0].skill == READ_INTO_CHAIN.key:
        return _read(found)
    if len(found) > 1:
        silent = [one for one in found if one.abstained]
        text = f"{len(found) - len(silent)} of {counted(len(found), 'sub-question')} are answered, each by itself"
        return f"{text}; none is found for {quoted(silent[0].question, 60)}" if silent else f"{text}."
    made = found[0]
    if made.abstained:
        return f"The {ordinal(made.index)} sub-question finds no answer: {quoted(made.question)}"
    split = [one for one in scene.before if isinstance(one, SubQuestions)]
    questions = split[-1].questions if split else ()
    text = f"The {ordinal(made.index)} sub-answer, {answered(made)},"
    waiting = [
        place for place, one in enumerate(questions) if place > made.index and f"#{made.index + 1}" in one
    ]
    if waiting:
        return f"{text} goes into the {ordinal(waiting[0])} question."
    if made.index + 1 == len(questions):
        return f"The last sub-answer is {answered(made)}."
    return f"{text} is kept for those that follow."


def _read(found: Sequence[SubAnswer]) -> str:
    """The sentence on what was read in the passages of a search, in a chain of thoughts."""
    helpful = [one for one in found if not one.abstained]
    if not helpful:
        return f"Nothing that helps is read of the passages for {quoted(found[0].question)}"
    text = next(iter(sentences(MARKS.sub("", helpful[-1].text))), "").replace("**", "")
    return f"Of the passages, this is put into the reasoning: {quoted(text, 100)}"


def thoughts(found: Sequence[Thought], scene: SceneContext) -> str:
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


def plan(found: Sequence[Plan], scene: SceneContext) -> str:
    made = found[-1]
    first = f", from {quoted(made.steps[0].text, 60)} on" if made.steps else ""
    again = f"The plan before led nowhere; plan {made.attempt} has" if made.attempt > 1 else "The plan has"
    return f"{again} {counted(len(made.steps), 'step')} through the graph{first}."


def candidates(found: Sequence[Candidates], scene: SceneContext) -> str:
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


def path(found: Sequence[GraphPath], scene: SceneContext) -> str:
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


def tool_calls(found: Sequence[ToolCall], scene: SceneContext) -> str:
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


def grades(found: Sequence[Grade], scene: SceneContext) -> str:
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
    good = "it is good enough"
    if grades[-1].verdict == "partially":
        good += ", unless it can be put right"
    return f"{text}: {good if all(one.passes for one in every) else 'not good enough'}."


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
"""Thing that is judged -> its sentence, from its own grades and from all of the scene; the most telling first."""


def route(found: Sequence[Route], scene: SceneContext) -> str:
    made = found[-1]
    way = WAYS[made.way][0].lower()
    votes = sum(vote.way == made.way for vote in made.votes)
    if made.votes:
        return f"The way taken is “{way}”: {votes} of the {len(made.votes)} questions most like it took it."
    return f"The way taken is “{way}”{f': {shortened(made.reason, 110)}' if made.reason else '.'}"


def critique(found: Sequence[Critique], scene: SceneContext) -> str:
    made = found[-1]
    if made.complete:
        return "The critique: enough is known to answer."
    if made.questions:
        return f"The critique: something is missing. Asked next: {quoted(made.questions[0])}"
    return f"Something is missing, but the loop ends. {made.ends}"


def answers(found: Sequence[Answer], scene: SceneContext) -> str:
    made = found[-1]
    if not made.final:
        if made.abstained:
            return "The draft gives no answer: the passages do not hold one. It is judged next."
        return f"A draft is written, to be judged next: {answered(made)}"
    came = outcome(scene.run)
    if came and (came.of or came.verdict not in (None, "unclear")):
        return f"{_judged(made, came)}{_beside(came)}."
    if made.abstained:
        return "No answer is given: nothing that was found supports one."
    unsure = f", {words}" if (words := doubt(made)) else ""
    context = scene.run.context
    given = {item.passage.chunk for item in context.passages if item.given} if context else set()
    cited = len(given.intersection(one.chunk for one in made.citations))
    if not given:
        return f"The answer is {answered(made)}{unsure}."
    return f"The answer, {answered(made)}{unsure}, cites {cited or 'none'} of {counted(len(given), 'passage')} given."


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
        return f"{held}, as {came.plain_named} has"
    return f"{held}, {came.plain_named} finds {came.plain or 'none'}"
