"""Graphs and tools, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from core.cards.kinds.exploration import EXPLORE
from core.cards.narration.told import Told
from core.cards.narration.words import quoted
from core.skills.replies import MARKS
from core.skills.sentences import sentences
from core.trace.artefacts import Candidates, GraphPath, Plan, ToolCall
from core.wording import counted, shortened


def plan(found: Sequence[Plan], told: Told) -> str:
    made = found[-1]
    first = f", from {quoted(made.steps[0].text, 60)} on" if made.steps else ""
    again = f"The plan before led nowhere; plan {made.attempt} has" if made.attempt > 1 else "The plan has"
    return f"{again} {counted(len(made.steps), 'step')} through the graph{first}."


def candidates(found: Sequence[Candidates], told: Told) -> str:
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


def path(found: Sequence[GraphPath], told: Told) -> str:
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


def tool_calls(found: Sequence[ToolCall], told: Told) -> str:
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
