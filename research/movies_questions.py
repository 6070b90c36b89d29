"""How many of the questions to the movies graph are answered, and by what.

    python -m research.movies_questions DATA_FOLDER [--method template|model] [--half tuning|held-out] [--wrong]
    python -m research.movies_questions DATA_FOLDER --replay

DATA_FOLDER holds qa.jsonl, made from neo4j-labs/text2cypher. `--method model` has the chat model write the queries: the
built-in one, or the endpoint in OPENAI_BASE_URL, OPENAI_API_KEY and CHAT_MODEL. `--replay` starts a scripted endpoint
that replies with the gold queries: everything but the model is then known to be right when all are.

Execution accuracy: the rows are the gold rows. Where the gold query has a LIMIT, their number and order count, but for
the order among rows that tie in a column; otherwise they count as a set. Columns are compared by what is in them: their
names and order do not count, and there may be more of them, as in the data's own check. A whole node counts as its name
or title.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import statistics
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import LoupeError
from core.knowledge.ask.asking import Asker
from core.knowledge.store.demo_graphs import DEMO_GRAPHS
from core.models.calling import CallBudget
from core.models.chat import Chat
from core.models.chat_models import CONFIGURED
from core.runs.workbench import Workbench, get_workbench
from core.skills.base import MODEL, SkillContext
from core.skills.text2cypher import TEXT2CYPHER, Written
from core.trace.artefacts import Table
from core.trace.events import ListTracer

GRAPH = next(demo.name for demo in DEMO_GRAPHS if demo.file.suffix == ".cypher")


@dataclass(frozen=True)
class Outcome:
    """What became of a question."""

    id: str
    text: str
    right: bool
    answered: bool
    """Whether a query ran at all, right or wrong."""
    attempts: int
    seconds: float
    why: str
    """Why it is not right, in a few words."""


def halves(questions: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Every other question, in the order of their ids: the rules were tuned on one half only."""
    ordered = sorted(questions, key=lambda question: question["id"])
    return {"tuning": ordered[::2], "held-out": ordered[1::2]}


def same(table: Table, gold: dict[str, Any]) -> bool:
    """Whether rows are the gold rows, with some choice of the columns."""
    wanted = [tuple(map(plain, row)) for row in gold["answers"]]
    rows = [tuple(map(plain, row)) for row in table.rows]
    width = len(wanted[0]) if wanted else 0
    for columns in itertools.permutations(range(len(table.columns)), width):
        chosen = [tuple(row[column] for column in columns) for row in rows]
        if gold["has_limit"]:
            ordered = any(
                [row[place] for row in chosen] == [row[place] for row in wanted] for place in range(width)
            )
            if ordered and sorted(chosen) == sorted(wanted):
                return True
        elif set(chosen) == set(wanted):
            return True
    return False


def plain(value: Any) -> str:
    """A value so that equal ones are equal texts."""
    if isinstance(value, str) and value.startswith("{"):
        value = json.loads(value)
    if isinstance(value, dict):
        value = value.get("title") or value.get("name")
    if isinstance(value, float | int) and not isinstance(value, bool):
        value = round(float(value), 4)
    return json.dumps(value, ensure_ascii=False)


async def context_of(bench: Workbench, method: str) -> SkillContext:
    """Skills with the configured model and one method of writing queries."""
    endpoint = await CONFIGURED.open(bench.backends.models)
    tracer = ListTracer()
    chat = Chat(endpoint, tracer, bench.settings, CallBudget(10_000))
    return SkillContext(chat, bench.backends.embedder, tracer, endpoint.builtin, {TEXT2CYPHER.key: method})


async def ask(asker: Asker, context: SkillContext, question: dict[str, Any]) -> Outcome:
    """One question."""
    started = time.perf_counter()
    try:
        written = await asker.text2cypher(context, question["text"])
    except LoupeError as error:
        written = Written((), None, str(error))
    table = written.table
    right = table is not None and same(table, question)
    if right:
        why = ""
    elif table is None:
        why = written.note if not written.attempts else written.attempts[-1].error
    elif not table.rows:
        why = "no rows"
    else:
        why = "other rows"
    seconds = time.perf_counter() - started
    return Outcome(
        question["id"], question["text"], right, table is not None, len(written.attempts), seconds, why
    )


async def measure(
    bench: Workbench, questions: list[dict[str, Any]], method: str, server: Any = None
) -> list[Outcome]:
    """All questions, one after the other."""
    asker = Asker(await bench.graphs.prepare(GRAPH).ended())
    context = await context_of(bench, method)
    found = []
    for question in questions:
        if server is not None:
            from tests.scripted import Rule

            server.script(Rule(reply=f"```cypher\n{question['cypher']}\n```"))
        found.append(await ask(asker, context, question))
    return found


def told(name: str, found: list[Outcome]) -> str:
    """A line of figures."""
    right, ran = sum(one.right for one in found), sum(one.answered for one in found)
    repaired = sum(one.right and one.attempts > 1 for one in found)
    return (
        f"{name}: {right} of {len(found)} right, {ran - right} answered wrongly, {len(found) - ran} not at all; "
        f"{repaired} right after a repair; median {statistics.median(one.seconds for one in found):.2f} s"
    )


def main() -> None:
    """Ask, compare, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with qa.jsonl")
    parser.add_argument("--method", choices=("template", MODEL), default="template")
    parser.add_argument("--replay", action="store_true", help="a scripted endpoint gives the gold queries")
    parser.add_argument("--half", choices=("tuning", "held-out"))
    parser.add_argument("--limit", type=int)
    parser.add_argument(
        "--wrong", action="store_true", help="print the questions that were not answered right"
    )
    arguments = parser.parse_args()
    lines = (arguments.data / "qa.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines if line.strip()]
    method, server, bench = arguments.method, None, get_workbench()
    if arguments.replay:
        from tests.scripted import ScriptedServer

        method, server = MODEL, ScriptedServer()
        settings = bench.settings.model_copy(
            update={"openai_base_url": server.base_url, "chat_model": "scripted"}
        )
        bench = Workbench(settings)
    every: list[Outcome] = []
    for half, part in halves(questions).items():
        if arguments.half in (None, half):
            found = asyncio.run(measure(bench, part[: arguments.limit], method, server))
            every += found
            print(told(half, found))
            if arguments.wrong:
                for one in found:
                    if not one.right:
                        print(f"  {one.id} {one.text} | {one.why}")
    print(told("all", every))
    reasons = Counter(one.why.split(".")[0] for one in every if not one.right)
    for why, count in reasons.most_common(8):
        print(f"  {count} × {why[:110]}")
    bench.graphs.graphs.close()
    bench.backends.supervisor.release()
    if server is not None:
        server.close()


if __name__ == "__main__":
    main()
