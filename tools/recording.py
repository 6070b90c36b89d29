"""Makes the recording that comes with the app: `make recording`, or

    python -m tools.recording [--ask] [--at-once 40]

It plays what `data/recordings/pellamar.toml` lists, and says which replies are missing. With `--ask` the endpoint of
the environment is asked for those, and for those only. When all are there the file is written, without what nothing
asks for any more, and with the verdict on each answer. What was asked is kept in `.recording`, so that a command that
was stopped goes on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from core.cards.outcome import outcome
from core.corpora.demo import DEMO_CORPORA, DEMO_CORPUS, DEMOS, demo_questions
from core.corpora.entries import Question
from core.jobs import run_blocking
from core.models.chat_models import BUILTIN, ChatModel, Missing, RecordedModel
from core.models.recordings.files import import_recording
from core.models.recordings.items import BUILDING, Head, Item, KeptReply, KeptRun, Recording
from core.models.recordings.store import RecordingStore, T
from core.retrieval.corpus import SearchableCorpus, mark_of
from core.runs.gallery import demo_request
from core.runs.record import Record, record
from core.runs.recordings import kept_run
from core.runs.request import COMMAND_LINE, RunRequest
from core.runs.sources.builds import BuildJob
from core.runs.workbench import Workbench
from core.settings import get_settings
from core.skills.refusals import abstains
from core.strategies import get_strategy, strategies
from core.strategies.base import BASELINE
from tools.explorables.forked import FILE as FORKS
from tools.explorables.forked import told

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "data" / "recordings"
FILE = FOLDER / "pellamar.jsonl"
PLAN = FOLDER / "pellamar.toml"
HOME = ROOT / ".recording"
LIMIT = 2**30
FIRST_SECONDS, TOKENS_PER_SECOND, CHARACTERS_PER_TOKEN = 0.6, 60.0, 4.0
"""The pace of the replies, which is made up."""


class WatchedStore(RecordingStore):
    """Notes what is used of a recording."""

    used: set[tuple[str, str]]

    def __init__(self, database: str) -> None:
        """See `RecordingStore`."""
        super().__init__(database)
        self.used = set()

    def item(self, recording: str, kind: type[T], key: str) -> T | None:
        """What is asked for counts as used."""
        self.used.add((kind.model_fields["kind"].default, key))
        return super().item(recording, kind, key)

    def items(self, recording: str, kind: type[T], keys: Sequence[str]) -> dict[str, T]:
        """What is asked for counts as used."""
        self.used |= {(kind.model_fields["kind"].default, key) for key in keys}
        return super().items(recording, kind, keys)

    def keep(self, recording: str, items: Sequence[T], limit: int, *, soon: bool = False) -> list[T]:
        """What is kept counts as used; how a question was asked is kept each time that it is."""
        self.used |= {(item.kind, item.key) for item in items}
        return super().keep(recording, items, limit, soon=soon)


@dataclass(frozen=True)
class Asked:
    """A run of the plan, and what came of it."""

    title: str
    run: Record


def head_of(plan: dict[str, Any], created: Any) -> Head:
    """First line of the file."""
    return Head(
        name=plan["name"], model=plan["model"], licence=plan["licence"], created=created, measured=False
    )


def planned(plan: dict[str, Any], bench: Workbench) -> Iterator[tuple[str, RunRequest]]:
    """Every run that is to be played, with a title."""

    def questions(corpus: str) -> dict[str, Question]:
        return {question.id: question for question in bench.corpora.catalogue.corpus(corpus).questions}

    known = questions(DEMO_CORPUS)
    pairs = [(key, id_) for key in strategies() for id_ in plan["questions"]]
    pairs += [(key, id_) for key, further in plan["further"].items() for id_ in further]
    pairs += [(BASELINE, id_) for further in plan["further"].values() for id_ in further]
    pairs += [(key, plan["compared"]["question"]) for key in plan["compared"]["strategies"]]
    for key, id_ in dict.fromkeys(pairs):
        yield f"{key} {id_}", demo_request(known[id_].text, key)
    for id_ in plan["changed"]["questions"]:
        for key in plan["changed"]["strategies"]:
            for title, how in changes(plan["changed"], key):
                yield f"{key} {id_} {title}", demo_request(known[id_].text, key, **how)
    for corpus in plan["languages"]["corpora"]:
        first = next(iter(questions(corpus).values()))
        for key in plan["languages"]["strategies"]:
            request = demo_request(first.text, key)
            yield (
                f"{key} {first.id} {corpus}",
                RunRequest(first.text, key, corpus=corpus, graph=request.graph),
            )


def changes(changed: dict[str, Any], strategy: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """One value of a strategy changed at a time, with a title; a default is no change."""
    usual = get_strategy(strategy).params().model_dump()
    for name, values in changed["params"].items():
        for value in values:
            if name in usual and value != usual[name]:
                yield f"{name}={value}", {"params": {name: value}}
    for retriever in changed["retrievers"]:
        yield retriever, {"retriever": retriever}


async def play_all(
    bench: Workbench, wanted: Sequence[tuple[str, RunRequest]], chat: ChatModel, at_once: int
) -> list[Asked]:
    """Every run to its end, some at once."""
    room = asyncio.Semaphore(at_once)

    async def one(title: str, request: RunRequest) -> Asked:
        async with room:
            asked = replace(request, chat=chat, owner=COMMAND_LINE)
            job = await asyncio.to_thread(bench.launcher.start, asked)
            run = record(await job.ended())
            print(f"  {title}: {run.state} {run.error}".rstrip(), flush=True)
            return Asked(title, run)

    return list(await asyncio.gather(*(one(title, request) for title, request in wanted)))


def edited(plan: dict[str, Any], bench: Workbench) -> Iterator[tuple[str, RunRequest, dict[str, Any]]]:
    """Every run that goes on from one of the others: a title, the run that it leaves, and what is edited there."""
    known = {question.id: question for question in bench.corpora.catalogue.corpus(DEMO_CORPUS).questions}
    for group in plan["forks"]:
        for key in group["strategies"]:
            for edit in group["edits"]:
                title = f"{key} {group['question']} {edit['id']}"
                yield title, demo_request(known[group["question"]].text, key), edit


async def fork_all(
    bench: Workbench, asked: Sequence[Asked], plan: dict[str, Any], chat: ChatModel, at_once: int
) -> list[Asked]:
    """Every fork to its end, some at once; those whose run did not end well are left out."""
    room = asyncio.Semaphore(at_once)
    runs = {
        (run.started.strategy, run.started.question): run
        for one in asked
        if (run := one.run).started and run.state == "finished"
    }

    async def one(title: str, parent: Record, edit: dict[str, Any]) -> Asked:
        async with room:
            step, made = next(
                (step, made)
                for step, made in parent.artefacts
                if made.kind == edit["kind"] and getattr(made, "index", 0) == edit.get("index", 0)
            )
            after = type(made).model_validate(made.model_dump() | edit["fields"])
            run = parent.started.run if parent.started else ""
            job = await asyncio.to_thread(bench.launcher.fork, run, step.id, after, COMMAND_LINE, chat)
            fork = record(await job.ended())
            print(f"  {title}: {fork.state} {fork.error}".rstrip(), flush=True)
            return Asked(title, fork)

    due = [
        one(title, runs[request.strategy, request.question], edit)
        for title, request, edit in edited(plan, bench)
        if (request.strategy, request.question) in runs
    ]
    return list(await asyncio.gather(*due))


def by_builtin(plan: dict[str, Any], bench: Workbench) -> Iterator[tuple[str, RunRequest]]:
    """Runs that the built-in model answers, with a title."""
    known = {question.id: question for question in bench.corpora.catalogue.corpus(DEMO_CORPUS).questions}
    for key, id_ in _pairs(plan["builtin"]):
        yield f"{key} {id_} built-in", demo_request(known[id_].text, key)


def _pairs(group: dict[str, Any]) -> Iterator[tuple[str, str]]:
    return ((key, id_) for key in group["strategies"] for id_ in group["questions"])


def write_forks(plan: dict[str, Any], bench: Workbench, asked: Sequence[Asked]) -> None:
    """What lessons compare: forks and the runs that they left, runs beside one another, those of the built-in model."""
    texts = dict[str, Any]()
    forks = {title for title, _, _ in edited(plan, bench)}
    wanted = forks | {title.rsplit(" ", 1)[0] for title in forks}
    wanted |= {f"{key} {id_}" for group in plan["beside"] for key, id_ in _pairs(group)}
    wanted |= {title for title, _ in by_builtin(plan, bench)}
    runs = {played.title: told(played.run, texts) for played in asked if played.title in wanted}
    line = json.dumps(
        {"runs": runs, "texts": texts}, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    FORKS.write_text(line + "\n", encoding="utf-8")


def graph_job(plan: dict[str, Any], bench: Workbench, chat: ChatModel) -> BuildJob:
    """Begin to build the small graph."""
    forget_graph(plan, bench)
    name, limit = plan["graph"]["name"], plan["graph"]["passages"]
    return BuildJob(bench.corpora, bench.graphs.graphs, DEMO_CORPUS, name, limit=limit, chat=chat)


def forget_graph(plan: dict[str, Any], bench: Workbench) -> None:
    """Delete the small graph that was built before: its entities would join passages in runs that are recorded."""
    name = plan["graph"]["name"]
    if any(graph.name == name for graph in bench.graphs.graphs.catalogue.graphs()):
        bench.graphs.delete(name)


def paced(item: Item) -> Item:
    """A reply with the made-up pace."""
    if not isinstance(item, KeptReply):
        return item
    tokens = item.usage.output or len(item.text) / CHARACTERS_PER_TOKEN
    return item.model_copy(
        update={"first": FIRST_SECONDS, "seconds": round(FIRST_SECONDS + tokens / TOKENS_PER_SECOND, 2)}
    )


def noted(bench: Workbench, asked: Sequence[Asked]) -> list[KeptRun]:
    """How each question was asked, in the order of keys, with what came of it: the verdict is the app's own, and to say
    that the documents do not tell is right where they do not."""
    found: dict[str, KeptRun] = {}
    untold = {question.text for demo in DEMOS for question in demo_questions(demo) if not question.answers}
    for run in (played.run for played in asked):
        started, came = run.started, outcome(run)
        if started is None or not run.recording or run.fork:
            continue
        mark = ""
        if started.corpus:
            catalogue = bench.corpora.catalogue
            mark = mark_of(SearchableCorpus(catalogue.corpus(started.corpus), catalogue, ""))
        how = kept_run(started, {}, started.methods, mark, started.dense_share)
        what: dict[str, Any] = {"calls": run.totals.calls, "verdict": came.verdict if came else None}
        if started.question in untold and run.answer:
            refused = run.answer.abstained or abstains(run.answer.text)
            what["verdict"] = "right" if refused else "wrong"
        found[how.key] = how.model_copy(update=what)
    return [found[key] for key in sorted(found)]


def write(store: WatchedStore, recording: Recording, head: Head, runs: Sequence[KeptRun]) -> int:
    """Write how questions were asked and what was used, in an order of its own; the number of replies.

    Args:
        store: Holds the recording.
        recording: What is written.
        head: First line of the file.
        runs: Of questions, see `noted`.
    """
    every = store.everything(recording.id)
    built = [item for item in every if isinstance(item, KeptRun) and item.strategy == BUILDING]
    used = [item for item in every if not isinstance(item, KeptRun) and (item.kind, item.key) in store.used]
    kept: list[Item] = [*sorted([*runs, *built], key=lambda one: one.key), *used]
    lines = [head.model_dump_json(), *(paced(item).model_dump_json() for item in kept)]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return sum(isinstance(item, KeptReply) for item in kept)


def open_home(ask: bool, home: Path = HOME) -> Workbench:
    """Where it is played, with local services and the built-in embeddings."""
    own = dict.fromkeys(("embedding_base_url", "embedding_model", "chroma_url", "neo4j_uri"), "")
    update: dict[str, Any] = {
        **own,
        "rag_loupe_home": home,
        "database_url": SecretStr(""),
    }
    if not ask:
        update |= {"openai_base_url": "", "chat_model": ""}
    bench = Workbench(get_settings().model_copy(update=update))
    for corpus in DEMO_CORPORA:
        bench.corpora.demo(corpus).result()
    return bench


def main() -> None:
    """Play, say what is missing, ask, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ask", action="store_true", help="ask the endpoint for what is missing")
    parser.add_argument("--at-once", type=int, default=40, help="runs under way at once")
    arguments = parser.parse_args()
    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    bench = open_home(arguments.ask)
    store = WatchedStore(bench.settings.database)
    bench.recordings.__dict__["store"] = store
    recording = store.named(plan["name"], [COMMAND_LINE])
    if recording is None and FILE.exists():
        recording = import_recording(FILE.name, FILE.read_bytes(), store, COMMAND_LINE, LIMIT)
    if recording is None:
        recording = bench.recordings.to_keep(plan["name"], plan["model"], COMMAND_LINE)
    missing: Missing = "endpoint" if arguments.ask else "fail"
    chat = RecordedModel(recording, missing, keeps=arguments.ask)
    forget_graph(plan, bench)
    asked = run_blocking(play_all(bench, list(planned(plan, bench)), chat, arguments.at_once))
    asked += run_blocking(fork_all(bench, asked, plan, chat, arguments.at_once))
    asked += run_blocking(play_all(bench, list(by_builtin(plan, bench)), BUILTIN, 1))
    failed = "; ".join(failure.reason for failure in graph_job(plan, bench, chat).result().failed)
    print(f"  graph: {failed or 'finished'}", flush=True)
    bench.graphs.graphs.close()
    bench.backends.supervisor.release()
    wrong = [played.title for played in asked if played.run.state != "finished"] + (
        ["graph"] if failed else []
    )
    print(f"{len(asked) + 1 - len(wrong)} of {len(asked) + 1} are played whole.")
    if wrong:
        print(f"Not whole: {', '.join(wrong)}. `--ask` asks the endpoint for what is missing.")
        sys.exit(1)
    write_forks(plan, bench, asked)
    head = head_of(plan, recording.created)
    print(f"{FILE}: {write(store, recording, head, noted(bench, asked))} replies")


if __name__ == "__main__":
    main()
