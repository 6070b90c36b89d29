"""Steps through a graph: plans, choices of relations, verdicts on paths, queries, tools."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from core.errors import InputError
from core.knowledge.ask.asking import Asker
from core.knowledge.explore.chains import Chain
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.skills.base import SkillContext
from core.skills.choose_tool import CHOOSE_TOOL, choose_tool
from core.skills.judge_path import JUDGE_PATH, Verdict, Walked, judge_path
from core.skills.plan_exploration import PLAN_EXPLORATION, plan_exploration
from core.skills.select import SELECT
from core.skills.text2cypher import TEXT2CYPHER
from core.strategies.agentic_state import Params as ToolParams
from core.strategies.agentic_tools import Toolbox
from core.strategies.base import RunContext
from core.strategies.kg_rag_steps import Params, explore_relations
from core.trace.artefacts import PathTriple, Plan, PlanStep
from research.movies_questions import GRAPH as MOVIES
from research.movies_questions import same
from research.skills.ground import Case, Ground, Task
from research.skills.measuring import Seen

PATHS, QUERIES = "metaqa", "movies_graph"
FILMS = next(demo for demo in DEMO_GRAPHS if demo.file.parent.name == PATHS)
INVERSE = " [inverse]"
HOPS = 2
"""Number of relations that the plan without a model follows."""


@cache
def _records(file: Path) -> dict[str, dict[str, Any]]:
    lines = file.read_text(encoding="utf-8").splitlines()
    return {record["id"]: record for record in map(json.loads, filter(None, lines))}


def records(ground: Ground, data: str) -> dict[str, dict[str, Any]]:
    """Id of a question to a graph -> its record: with the path that answers it, or with the rows of its gold query."""
    if data == PATHS:
        return _records(FILMS.file.with_name("questions.jsonl"))
    return _records(ground.folder / QUERIES / "qa.jsonl")


def groups(ground: Ground, data: str) -> Sequence[str]:
    """All questions."""
    return list(records(ground, data))


def _plan(record: dict[str, Any]) -> Plan:
    """The plan that a person would make: the node that is named, then each relation of the path."""
    relations = [relation.removesuffix(INVERSE).replace("_", " ") for relation in record["path"]]
    steps = (
        PlanStep(explore="nodes", text=record["topic_entity"]),
        *(PlanStep(explore="relationships", text=relation) for relation in relations),
    )
    return Plan(steps=steps, skill=PLAN_EXPLORATION.key, method="template")


async def plan_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """Plans follow as many relations as the path that answers the question, and begin at a node."""
    explorer = await ground.explorer(FILMS.name)

    def case(group: str) -> Case:
        record = records(ground, data)[group]

        async def run(context: SkillContext) -> Seen:
            made = await plan_exploration(context, record["text"], explorer.relations, hops=HOPS)
            followed = sum(step.explore == "relationships" for step in made.steps)
            begins = made.steps[0].explore == "nodes"
            return Seen({"right": float(begins and followed == record["hops"]), "relations": float(followed)})

        return Case(group, run)

    return [case(group) for group in groups]


async def select_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """The one relation that is followed first, of those that the named node has."""
    explorer = await ground.explorer(FILMS.name)
    nodes = {node.name: node for node in explorer.nodes}

    def case(group: str) -> Case:
        record = records(ground, data)[group]
        plan, first = _plan(record), record["path"][0]

        async def run(context: SkillContext) -> Seen:
            run_context = RunContext(
                params=Params(beam=1), skills=context, tracer=context.tracer, graph=explorer
            )
            start = Chain(start=nodes[record["topic_entity"]])
            state: Any = {"question": record["text"], "plan": plan, "at": 1, "chains": (start,)}
            made, _ = await explore_relations(run_context, state, plan.steps[1])
            chosen = [f"{one.relation}{INVERSE * one.inverse}" for one in made.candidates if one.chosen]
            return Seen({"right": float(chosen == [first]), "offered": float(len(made.candidates))})

        return Case(group, run)

    return [case(group) for group in groups if records(ground, data)[group]["topic_entity"] in nodes]


async def path_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """A path that is complete, and the same cut off before its last hop."""
    made: list[Case] = []
    for group in groups:
        record = records(ground, data)[group]
        walk = _walk(_triples(), record)
        if len(walk) < HOPS:
            continue
        made.append(_path(group, record, walk, 0, "respond"))
        made.append(_path(group, record, walk[:-1], 1, "continue"))
    return made


@cache
def _triples() -> list[tuple[str, str, str]]:
    lines = FILMS.file.read_text(encoding="utf-8").splitlines()
    return [(subject, relation, end) for subject, relation, end in (line.split("\t") for line in lines)]


def _walk(triples: Sequence[tuple[str, str, str]], record: dict[str, Any]) -> list[PathTriple]:
    """A way from the named node along the path, the first that leads all the way; empty: there is none."""

    def onward(at: str, hop: int) -> list[PathTriple] | None:
        if hop > len(record["path"]):
            return [] if at in record["answers"] else None
        name = record["path"][hop - 1]
        relation, inverse = name.removesuffix(INVERSE), name.endswith(INVERSE)
        for subject, other, object_ in triples:
            here, there = (object_, subject) if inverse else (subject, object_)
            if other == relation and here == at and (rest := onward(there, hop + 1)) is not None:
                step = PathTriple(
                    hop=hop, subject=subject, relation=relation, object=object_, inverse=inverse
                )
                return [step, *rest]
        return None

    return onward(record["topic_entity"], 1) or []


def _path(group: str, record: dict[str, Any], walk: Sequence[PathTriple], left: int, label: Verdict) -> Case:
    ends = [walk[-1].subject if walk[-1].inverse else walk[-1].object]
    plan = _plan(record)
    walked = Walked(
        plan=plan,
        at=len(plan.steps) - left,
        left=left,
        starts=[record["topic_entity"]],
        chose=[walk[-1].relation.replace("_", " ")],
        triples=walk,
        nodes=ends,
    )

    async def run(context: SkillContext) -> Seen:
        return Seen({"right": float((await judge_path(context, record["text"], walked)).verdict == label)})

    return Case(group, run)


async def query_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """Queries whose rows are those of the gold query, see `research.movies_questions`."""
    asker = Asker(await ground.explorer(MOVIES))

    def case(group: str) -> Case:
        record = records(ground, data)[group]

        async def run(context: SkillContext) -> Seen:
            written = await asker.text2cypher(context, record["text"])
            right = written.table is not None and same(written.table, record)
            return Seen({"right": float(right), "ran": float(written.table is not None)})

        return Case(group, run)

    return [case(group) for group in groups]


async def tool_cases(ground: Ground, data: str, groups: Sequence[str]) -> list[Case]:
    """Templates as tools: the one that is called gives the rows of the gold query. Not every question has one."""
    explorer = await ground.explorer(MOVIES)
    params = ToolParams(text2cypher=False, documents=False)

    def case(group: str) -> Case:
        record = records(ground, data)[group]

        async def run(context: SkillContext) -> Seen:
            run_context = RunContext(params=params, skills=context, tracer=context.tracer, graph=explorer)
            box = Toolbox(run_context, ())
            choice = await choose_tool(
                context, record["text"], box.described(), (), lambda asked: box.nearest(asked, frozenset())
            )
            tables = []
            for request in choice.requests[:3]:
                try:
                    tables.append((await box.call(request)).table)
                except InputError:
                    continue
            right = any(table is not None and same(table, record) for table in tables)
            return Seen(
                {"right": float(right), "called": float(bool(choice.requests)), "ran": float(bool(tables))}
            )

        return Case(group, run)

    return [case(group) for group in groups]


TASKS = (
    Task(
        "select", SELECT, "right",
        "right: of the named node's relations, the one is chosen that the answer's path takes",
        (PATHS,), select_cases, groups,
    ),
    Task(
        "judge-path", JUDGE_PATH, "right",
        "right: “respond” at the end of a path that leads to the answer, “continue” one hop before",
        (PATHS,), path_cases, groups,
    ),
    Task(
        "plan-exploration", PLAN_EXPLORATION, "right",
        "right: the plan begins at a node and follows as many relations as the answer's path",
        (PATHS,), plan_cases, groups,
    ),
    Task(
        "choose-tool", CHOOSE_TOOL, "right", "right: a template that is called gives the rows of the gold query",
        (QUERIES,), tool_cases, groups,
    ),
    Task(
        "text2cypher", TEXT2CYPHER, "right", "right: the rows are those of the gold query",
        (QUERIES,), query_cases, groups,
    ),
)  # fmt: skip
