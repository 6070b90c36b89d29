"""Puts questions through strategies with models of several sizes, with answers and by their search alone.

    python -m research.model_sizes DATA_FOLDER --keep FILE [--minutes N] [--data NAME ...] [--questions 10]
        [--strategy KEY ...] [--search-only KEY ...]
    python -m research.model_sizes --table FILE ...

The model is the endpoint in OPENAI_BASE_URL, OPENAI_API_KEY and CHAT_MODEL, else the model file in BUILTIN_MODEL_FILE,
else the built-in one. Parameters and methods are the defaults. What is done is written down at once, figures alone;
what is under way when the minutes are over goes on the next time, from its last step, as a run does that was stopped.

Ten questions are of the demo world, through its demo corpus and its graph: the first that the recording has through
every strategy, so that a capable model stands beside (`python -m research.recorded`), but for those without evidence or
with a list for an answer. Ten are of 2WikiMultihopQA, of each type some, none of which the built-in model was taught;
each of these through a strategy is an evaluation of its own, as `python -m core evaluate` makes it. Five strategies
answer beside plain retrieval, one for each thing that is asked of a model: search queries (RAG-Fusion), parts and their
answers (decomposition), verdicts on passages (corrective), verdicts on its own answer (Self-RAG), and thoughts (IRCoT).
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from core.cards.outcome import judged
from core.cards.outcome import outcome as card_outcome
from core.corpora.demo import DEMO_CORPUS, DEMOS, demo_questions
from core.corpora.entries import Question
from core.errors import LoupeError
from core.evaluation.dataset_indexing import with_defaults
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.datasets import DataSet, read_folder
from core.evaluation.measures import GIVEN
from core.evaluation.pairs import run_of, run_stored
from core.evaluation.plan import Result, Setting
from core.evaluation.results import scores
from core.evaluation.runner import New, evaluations_of
from core.evaluation.statistics import intervals
from core.jobs import run_blocking
from core.models.chat_models import CONFIGURED
from core.runs.gallery import demo_request
from core.runs.record import Record
from core.runs.record import record as fold
from core.runs.request import COMMAND_LINE
from core.runs.run_notes import methods_used
from core.runs.workbench import Workbench, get_workbench
from core.skills.base import OWN, TAUGHT
from core.strategies import get_strategy, strategies
from core.strategies.base import BASELINE
from core.users import User
from research.skills.report import FEWEST, cell, table
from research.training.kept import kept_out
from tools.recording import PLAN

ANSWERED = (BASELINE, "rag-fusion", "decomposition-sequential", "corrective", "self-rag", "ircot")
LEFT_OUT = ("closed-book", "linked-passages", "kg-rag", "agentic")
"""Not run by their search alone: they search nothing, ask no model before the answer, or search as they answer."""
PELLAMAR, WIKI = SETS = ("pellamar", "2wiki")
FOREVER = 1e9
"""Seconds; infinity is no time that a thread can wait."""
QUESTIONS = 10
"""Of each set."""
VERDICTS = {"right": "right", "wrong": "wrong", "refusal": "no answer", "unclear": "unclear"}
"""Verdict on an answer -> the measure that counts it."""
LISTS = ("q20",)
"""Questions whose answer is a list, which words do not judge."""
TYPES = {"bridge_comparison": 2, "comparison": 3, "compositional": 3, "inference": 2}
COMPARED = ("right", "evidence")
MEASURES = ("right", "wrong", "no answer", "evidence", "calls", "seconds")


class Kept(BaseModel):
    """A question through a strategy: figures alone."""

    model_config = ConfigDict(frozen=True)

    model: str
    data: str
    question: str
    strategy: str
    answers: bool
    """False: its search alone."""
    values: dict[str, float] = {}
    failed: bool = False
    skills: int = 0
    """Number of skills that the run used."""
    left: int = 0
    """Number of these skills that other methods did throughout, by the defaults for the kind of model."""
    replaced: int = 0
    """Uses of skills that another method did, since the model's replies could not be used."""

    @property
    def key(self) -> tuple[str, str, str, str, bool]:
        """Names the run, so that it is not measured again."""
        return self.model, self.data, self.question, self.strategy, self.answers


def main() -> int:
    """Measure, or print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="holds the data sets")
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--data", nargs="+", choices=SETS, default=SETS)
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of each set, the first ones")
    others = [key for key in strategies() if key not in (*ANSWERED, *LEFT_OUT)]
    parser.add_argument("--strategy", nargs="*", default=list(ANSWERED), help="with answers")
    parser.add_argument("--search-only", nargs="*", default=others)
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    if arguments.table:
        print(report([one for file in arguments.table for one in read(file)]))
        return 0
    if arguments.folder is None or arguments.keep is None:
        parser.error("DATA_FOLDER and --keep are needed.")
    bench = get_workbench()
    try:
        measure(bench, arguments)
    except LoupeError as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        bench.graphs.graphs.close()
        bench.backends.supervisor.release()
    print(report(read(arguments.keep)))
    return 0


def world_questions() -> list[Question]:
    """The ten of the demo world."""
    known = {one.id: one for one in demo_questions(DEMOS[0])}
    planned = tomllib.loads(PLAN.read_text(encoding="utf-8"))["questions"]
    chosen = [known[key] for key in planned if known[key].evidence and key not in LISTS]
    return chosen[:QUESTIONS]


def wiki_questions(folder: Path) -> DataSet:
    """The ten of 2WikiMultihopQA."""
    name = "2wiki_demo60"
    dataset = read_folder(folder / name)
    left, chosen = dict(TYPES), list[LabelledQuestion]()
    for one in dataset.questions:
        if kept_out(name, one.id) and left.get(one.type, 0):
            left[one.type] -= 1
            chosen.append(one)
    return replace(dataset, questions=tuple(chosen))


def measure(bench: Workbench, arguments: argparse.Namespace) -> None:
    """Ask what is not there yet: all questions of a strategy, of either set by turns, then the next strategy."""
    end = time.monotonic() + arguments.minutes * 60
    endpoint = run_blocking(CONFIGURED.open(bench.backends.models))
    bench.corpora.demo(DEMO_CORPUS).result()
    world = {one.id: one for one in world_questions()[: arguments.questions]}
    wiki = wiki_questions(arguments.folder)
    of_wiki = {one.id: one for one in wiki.questions[: arguments.questions]}
    sets = {PELLAMAR: tuple(world), WIKI: tuple(of_wiki)}
    done = {one.key for one in read(arguments.keep)}
    wanted = [(key, True) for key in arguments.strategy] + [(key, False) for key in arguments.search_only]
    for strategy, answers in wanted:
        if lacking := get_strategy(strategy).lacking(endpoint.builtin):
            print(lacking, file=sys.stderr)
            continue
        for name, question in by_turns({name: sets[name] for name in arguments.data}):
            kept = Kept(
                model=endpoint.model, data=name, question=question, strategy=strategy, answers=answers
            )
            if kept.key in done or (name == WIKI and only_graph(strategy)):
                continue
            left = min(max(0.0, end - time.monotonic()), FOREVER)
            if name == PELLAMAR:
                outcome = in_world(bench, world[question], kept, left)
            else:
                outcome = in_wiki(
                    bench, replace(wiki, questions=(of_wiki[question],)), strategy, answers, left
                )
            if outcome is None:
                return
            with arguments.keep.open("a", encoding="utf-8") as lines:
                lines.write(kept.model_copy(update=outcome).model_dump_json(exclude_defaults=True) + "\n")


def only_graph(strategy: str) -> bool:
    """True if a strategy asks nothing but a graph, which a data set has not."""
    found = get_strategy(strategy)
    return found.explores and not found.retrieves


def by_turns(sets: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """The questions, one of each set after the other."""
    rows = zip_longest(*([(name, one) for one in found] for name, found in sets.items()))
    return (pair for pair in chain.from_iterable(rows) if pair)


def in_world(bench: Workbench, question: Question, kept: Kept, seconds: float) -> dict[str, object] | None:
    """The figures of one question of the demo world; None: the time was over first."""
    request = demo_request(question.text, kept.strategy, retrieval_only=not kept.answers, owner=COMMAND_LINE)
    run = run_of("model sizes", f"{kept.model} {kept.strategy} {kept.answers}", question.id)
    try:
        record = run_blocking(run_stored(bench.launcher, request, run), seconds)
    except TimeoutError:
        return None
    if record.state != "finished":
        print(f"{kept.strategy}: {record.error}", file=sys.stderr, flush=True)
        return {"failed": True}
    found = card_outcome(record)
    made = {"calls": float(record.totals.calls), "seconds": round(record.totals.seconds, 1)}
    if found is not None and found.of:
        made["evidence"] = round(found.found / found.of, 4)
    if kept.answers and record.answer:
        said = judged(record.answer, question.answers, question.text)
        made |= {name: float(said == key) for key, name in VERDICTS.items()}
    return {"values": made, **methods(record)}


def in_wiki(
    bench: Workbench, dataset: DataSet, strategy: str, answers: bool, seconds: float
) -> dict[str, object] | None:
    """The figures of one question of 2WikiMultihopQA; None: the time was over first."""
    evaluations = evaluations_of(bench)
    settings, _ = with_defaults(bench, dataset, (Setting(label=strategy, strategy=strategy),), CONFIGURED)
    what = New(dataset, settings, 0, retrieval_only=not answers)
    job = evaluations.start(what, User(COMMAND_LINE, teacher=True), limit=1)
    job.wait(seconds)
    if not job.done:
        job.stop(30.0)
        return None
    evaluation = job.result()
    outcomes = evaluations.store.outcomes(evaluation.id)
    if outcomes.failed:
        print(f"{strategy}: {next(iter(outcomes.failed.values()))}", file=sys.stderr, flush=True)
        return {"failed": True}
    result = next(iter(outcomes.done.values()))
    found = next(iter(scores(evaluation, outcomes)[strategy].values()))
    used = methods(fold(bench.store.events(result.run))) if result.run else {}
    return {"values": values(result, found, answers), **used}


def methods(run: Record) -> dict[str, object]:
    """Counts of a run: its skills, those that other methods did throughout, and uses done again by another method."""
    used = methods_used(run)
    left = sum(not set(ways) & {*OWN, TAUGHT} for ways in used.values())
    unusable = sum(len(step.unusable) for step in run.steps)
    return {"skills": len(used), "left": left, "replaced": unusable}


def values(result: Result, found: Mapping[str, float], answers: bool) -> dict[str, float]:
    """The measures of one pair; `found`: the evaluation's metrics."""
    made = {"calls": float(result.calls), "seconds": round(result.seconds, 1)}
    evidence = found.get(GIVEN) if answers else found.get("R@10")
    made |= {} if evidence is None else {"evidence": round(evidence, 4)}
    if answers:
        silent = found.get("abstained", 0.0)
        right = found.get("accuracy", 0.0) * (1 - silent)
        unclear = found.get("unclear", 0.0)
        made |= {"right": right, "no answer": silent, "unclear": unclear}
        made["wrong"] = 1 - right - silent - unclear
    return made


def read(file: Path) -> list[Kept]:
    """The outcomes that a file keeps, in their order; a line that was cut off is left out."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [Kept.model_validate_json(line) for line in lines if line.endswith("}")]


def report(found: Sequence[Kept]) -> str:
    """A table for each model and set."""
    groups = dict.fromkeys((one.model, one.data) for one in found)
    parts = []
    for model, data in groups:
        mine = [one for one in found if (one.model, one.data) == (model, data)]
        rows = [_row(one, mine) for one in dict.fromkeys((one.strategy, one.answers) for one in mine)]
        head = [
            "strategy",
            "questions",
            *MEASURES,
            "skills",
            "never left to the model",
            "done again otherwise",
            "failed",
        ]
        parts.append(f"**{model}, {data}**\n\n{table(head, rows)}")
    for model in dict.fromkeys(one.model for one in found):
        if rows := _beside_plain([one for one in found if one.model == model and one.answers]):
            head = ["strategy", "questions", *(f"{measure}, minus plain" for measure in COMPARED)]
            parts.append(f"**{model}, all questions**\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def _beside_plain(found: Sequence[Kept]) -> list[list[str]]:
    """The mean differences of each strategy to plain retrieval, over the questions that both have; of few, none."""
    scores = defaultdict[str, dict[str, dict[str, float]]](dict)
    for one in found:
        scores[one.strategy][f"{one.data} {one.question}"] = one.values
    plain = scores.pop(BASELINE, {})
    apart = {
        strategy: {
            question: {key: values[key] - plain[question][key] for key in COMPARED if key in values}
            for question, values in of.items()
            if question in plain
        }
        for strategy, of in scores.items()
    }
    means = [intervals(apart, measure) for measure in COMPARED]
    return [
        [
            strategy,
            str(len(of)),
            *(cell(mean.get(strategy), signed=True).rpartition(",")[0] for mean in means),
        ]
        for strategy, of in apart.items()
        if len(of) >= FEWEST
    ]


def _row(which: tuple[str, bool], found: Iterable[Kept]) -> list[str]:
    mine = [one for one in found if (one.strategy, one.answers) == which]
    rows = {one.question: one.values for one in mine if one.values}
    cells = []
    for measure in MEASURES:
        interval = intervals({"": rows}, measure).get("")
        cells.append(cell(interval).rpartition(",")[0])
    strategy, answers = which
    counts = (sum(getattr(one, name) for one in mine) for name in ("skills", "left", "replaced", "failed"))
    return [strategy + ("" if answers else ", search alone"), str(len(mine)), *cells, *map(str, counts)]


if __name__ == "__main__":
    sys.exit(main())
