"""What a scripted model replies to the items of the check."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from typing import Any

from core.skills.checking.items import Item, Items, items
from tests.scripted import Rule

SKILL = {
    "relevance": "grade_relevance",
    "support": "grade_support",
    "retrieve": "decide_retrieval",
    "reword": "reword",
    "split": "sub_questions",
    "step_back": "step_back",
    "passage": "passage",
    "schema": "extract",
    "tools": "choose_tool",
    "answer": "answer",
}
"""Probe -> the skill by which it is asked."""


def rules(failed: Collection[str] = ()) -> list[Rule]:
    """The replies of a model that passes all probes but these, in which it says the same useless thing each time."""
    asked = items()
    useless = [Rule(skill=SKILL[key], reply="I think so.") for key in failed]
    pairs = ((probe.key, item) for probe in asked.probes for item in probe.items)
    return [*useless, *(rule for key, item in pairs for rule in _rule(asked, key, item))]


def _rule(asked: Items, probe: str, item: Item) -> Iterator[Rule]:
    told = {"question": f"^{re.escape(item.question)}$"} if item.question else {}
    reply: Any = None
    if probe == "relevance":
        told["passage"] = re.escape(asked.passages[item.passages[0]].text)
        reply = {"reason": "It is so.", "verdict": item.verdict}
    elif probe == "support":
        told["answer"] = re.escape(item.answer)
        reply = {"reason": "It is so.", "verdict": "fully" if item.verdict == "yes" else "no"}
    elif probe == "retrieve":
        reply = {"reason": "It is so.", "verdict": item.verdict}
    elif probe == "reword":
        said = " and ".join(item.names)
        reply = {"queries": [f"Which one was it, of {said}?", f"Tell me of {said}: which?", "What else?"]}
    elif probe == "split":
        reply = {
            "queries": [] if item.single else [f"Who made {name}?" for name in item.names] + ["When was #1?"]
        }
    elif probe == "step_back":
        reply = {"question": f"What is known about {item.names[0]}?"}
    elif probe == "passage":
        text = f"{item.names[0]} is known " + "far and wide, and much is said of it " * 3
        yield Rule(skill="passage", told=told, reply=text)
        return
    elif probe == "schema":
        text = asked.passages[item.passages[0]].text
        told = {"text": re.escape(text)}
        subject, thing = item.names
        reply = {
            "triples": [{"subject": subject, "relation": "has to do with", "object": thing, "quote": text}]
        }
    elif probe == "tools":
        arguments = {"place": item.argument}
        yield Rule(skill="choose_tool", told=told, calls=[(item.tool, arguments)])
        return
    elif item.declines:
        yield Rule(skill="answer", told=told, reply="[0] It is not said.\n\nThe passages say other things.")
        return
    else:
        place = item.passages.index(item.cites) + 1
        yield Rule(
            skill="answer", told=told, reply=f"{item.answer} [{place}]\n\nIt is {item.answer} [{place}]."
        )
        return
    yield Rule(skill=SKILL[probe], told=told, reply=json.dumps(reply))
