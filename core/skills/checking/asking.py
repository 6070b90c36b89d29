"""Asking a model the items of the check, each through the skill that a run would use, and judging what comes.

Nothing is judged by a model: verdicts are compared, names and citations are looked for.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from core.errors import ModelError, UnusableReply
from core.jobs import at_once
from core.skills.answer import ANSWER, answer
from core.skills.base import MODEL, SkillContext
from core.skills.checking.items import Item, Items, Probe
from core.skills.checking.results import ProbeResult
from core.skills.choose_tool import CHOOSE_TOOL, Choice, Surroundings, choose_tool
from core.skills.decide_retrieval import DECIDE_RETRIEVAL, decide_retrieval
from core.skills.extract import EXTRACT, extract, triple_text
from core.skills.grade_relevance import GRADE_RELEVANCE, grade_relevance
from core.skills.grade_support import GRADE_SUPPORT, grade_support
from core.skills.passage import PASSAGE, passages
from core.skills.reword import REWORD, variants
from core.skills.step_back import STEP_BACK, step_back
from core.skills.sub_questions import SUB_QUESTIONS, split
from core.trace.artefacts import Answer

AT_ONCE = 4
"""Probes under way, each with one call: as many as the local servers answer at once."""
ITEM_SECONDS = 180.0
"""After which an item counts as wrong: a tiny model may write without end."""
VARIANTS, FEWEST = 3, 2
"""Rewordings asked for, and those that must keep the names."""
PARTS = 4
PASSAGE_WORDS = 20
_REFUSES = re.compile(r"\b(sorry|cannot|can't|unable|as an ai|no information|not sure|don't know)\b", re.I)

Judge = Callable[[SkillContext, Items, Item], Awaitable[bool]]


async def ask_all(
    context: SkillContext, asked: Items, told: Callable[[int], None] = lambda done: None
) -> tuple[ProbeResult, ...]:
    """Ask every item.

    Args:
        context: With the model; its methods are set here.
        asked: The items.
        told: Is told how many items are through.

    Raises:
        ModelError: The endpoint fails, and not for one kind of request alone.
        CallLimitReached: The budget of the context is used up.
    """
    context = replace(context, builtin=False, fallback=None, methods=dict.fromkeys(_METHODS, MODEL))
    failing: dict[str, ModelError] = {}
    free = asyncio.Semaphore(AT_ONCE)
    done = 0

    async def right(probe: Probe, item: Item) -> bool:
        try:
            return await asyncio.wait_for(JUDGES[probe.key](context, asked, item), ITEM_SECONDS)
        except (UnusableReply, TimeoutError):
            return False
        except ModelError as error:
            # An endpoint may refuse one kind of request, such as tools; two kinds are a failure of the endpoint.
            failing[probe.key] = error
            if len(failing) > 1:
                raise
            return False

    async def one(probe: Probe) -> ProbeResult:
        nonlocal done
        found: list[bool] = []
        async with free:
            for item in probe.items:
                if len(probe.items) - found.count(False) < probe.need:
                    break  # it has failed already: the rest would only cost time
                found.append(await right(probe, item))
                done += 1
                told(done)
        done += len(probe.items) - len(found)
        told(done)
        return ProbeResult(
            key=probe.key,
            does=probe.does,
            right=sum(found),
            asked=len(found),
            passed=sum(found) >= probe.need,
            skills=probe.skills,
        )

    return tuple(await at_once(map(one, asked.probes)))


async def _relevance(context: SkillContext, asked: Items, item: Item) -> bool:
    grade = await grade_relevance(context, item.question, asked.passage(item.passages[0]))
    return not grade.note and grade.verdict == item.verdict


async def _support(context: SkillContext, asked: Items, item: Item) -> bool:
    given = [asked.passage(key) for key in item.passages]
    said = Answer(text=item.answer, sentences=(item.answer,))
    grade = await grade_support(context, item.question, said, given)
    return not grade.note and (grade.verdict == "fully") == (item.verdict == "yes")


async def _retrieve(context: SkillContext, _: Items, item: Item) -> bool:
    grade = await decide_retrieval(context, item.question)
    return not grade.note and grade.verdict == item.verdict


async def _reword(context: SkillContext, _: Items, item: Item) -> bool:
    made = await variants(context, REWORD, item.question, n=VARIANTS, include_original=False)
    kept = [query.text for query in made.queries if query.origin == "model" and holds(query.text, item.names)]
    return len(kept) >= FEWEST


async def _split(context: SkillContext, _: Items, item: Item) -> bool:
    parts = (await split(context, item.question, n=PARTS)).questions
    if item.single:
        return parts == (item.question,)
    if len(parts) < 2 or not holds(" ".join(parts), item.names):
        return False
    alone = [[name for name in item.names if holds(part, [name])] for part in parts]
    return not item.apart or all([name] in alone for name in item.names)


async def _step_back(context: SkillContext, _: Items, item: Item) -> bool:
    made = await step_back(context, item.question)
    return (
        made.general != item.question
        and holds(made.general, item.names)
        and not any(holds(made.general, [part]) for part in item.without)
    )


async def _passage(context: SkillContext, _: Items, item: Item) -> bool:
    made = await passages(context, item.question, n=1, style="encyclopedia", with_question=True)
    text = " ".join(made.texts)
    return len(text.split()) >= PASSAGE_WORDS and holds(text, item.names) and not _REFUSES.search(text)


async def _schema(context: SkillContext, asked: Items, item: Item) -> bool:
    made = await extract(context, asked.passage(item.passages[0]))
    return holds(" ".join(triple_text(found.triple) for found in made.found), item.names)


async def _tools(context: SkillContext, asked: Items, item: Item) -> bool:
    chosen = await choose_tool(
        context,
        item.question,
        [tool.described for tool in asked.tools],
        [],
        _nobody,
        around=Surroundings(
            graph="people, with the dates on which they were born; places", documents="annual reports"
        ),
    )
    return any(
        call.tool == item.tool and holds(" ".join(map(str, call.arguments.values())), [item.argument])
        for call in chosen.requests[:1]
    )


async def _answer(context: SkillContext, asked: Items, item: Item) -> bool:
    made = await answer(context, item.question, [asked.passage(key) for key in item.passages])
    if item.declines:
        return made.abstained
    cited = {citation.chunk for citation in made.citations}
    return not made.abstained and holds(made.text, [item.answer]) and asked.passage(item.cites).chunk in cited


def holds(text: str, names: tuple[str, ...] | list[str]) -> bool:
    """Whether all of these stand in a text, whatever their case."""
    return all(name.casefold() in text.casefold() for name in names)


async def _nobody(_: str) -> Choice:
    raise ValueError("the model chooses")


JUDGES: Mapping[str, Judge] = {
    "relevance": _relevance,
    "support": _support,
    "retrieve": _retrieve,
    "reword": _reword,
    "split": _split,
    "step_back": _step_back,
    "passage": _passage,
    "schema": _schema,
    "tools": _tools,
    "answer": _answer,
}
"""How each probe is asked and judged."""
_METHODS = tuple(
    skill.key
    for skill in (
        GRADE_RELEVANCE,
        GRADE_SUPPORT,
        DECIDE_RETRIEVAL,
        REWORD,
        SUB_QUESTIONS,
        STEP_BACK,
        PASSAGE,
        EXTRACT,
        CHOOSE_TOOL,
        ANSWER,
    )
)
