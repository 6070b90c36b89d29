"""Puts questions through strategies with models of several sizes, with answers and by their search alone.

    python -m research.model_sizes DATA_FOLDER --keep FILE [--minutes N] [--strategy KEY ...] [--search-only KEY ...]
    python -m research.model_sizes --table FILE ...

The model is the endpoint in OPENAI_BASE_URL, OPENAI_API_KEY and CHAT_MODEL, else the model file in BUILTIN_MODEL_FILE,
else the built-in one. Each pair of a question and a strategy is an evaluation of its own, as `python -m core evaluate`
makes it, with default parameters and methods. What is done is written down at once, figures alone; what is under way
when the minutes are over goes on the next time, from its last step, as a run does that was stopped.

Ten questions are of the demo world: the first that the recording has through every strategy, so that a capable model
stands beside (`python -m research.recorded`), but for those without evidence or with a list for an answer. Ten are of
2WikiMultihopQA, of each type some, none of which the built-in model was taught. Five strategies answer beside plain
retrieval, one for each thing that is asked of a model: search queries (RAG-Fusion), parts and their answers
(decomposition), verdicts on passages (corrective), verdicts on its own answer (Self-RAG), and thoughts (IRCoT).
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from core.corpora.demo import WORLD
from core.errors import LoupeError
from core.evaluation.dataset_indexing import with_defaults
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.datasets import DataSet, read_folder
from core.evaluation.measures import GIVEN
from core.evaluation.plan import Result, Setting
from core.evaluation.results import scores
from core.evaluation.runner import New, evaluations_of
from core.evaluation.statistics import intervals
from core.jobs import run_blocking
from core.models.chat_models import CONFIGURED
from core.runs.request import COMMAND_LINE
from core.runs.workbench import Workbench, get_workbench
from core.strategies import get_strategy, strategies
from core.strategies.base import BASELINE
from core.users import User
from research.skills.report import cell, table
from research.training.kept import kept_out
from tools.recording import PLAN

ANSWERED = (BASELINE, "rag-fusion", "decomposition-sequential", "corrective", "self-rag", "ircot")
LEFT_OUT = ("closed-book", "linked-passages", "kg-rag", "agentic")
"""Nothing to search, nothing to ask a model before the answer, or a graph, which a data set has not."""
QUESTIONS = 10
"""Of each set."""
LISTS = ("q20",)
"""Questions whose answer is a list, which words do not judge."""
TYPES = {"bridge_comparison": 2, "comparison": 3, "compositional": 3, "inference": 2}
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
    replaced: int = 0
    """Steps that another method did, since the model's replies could not be used."""

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


def world_questions() -> DataSet:
    """The ten of the demo world."""
    dataset = read_folder(WORLD)
    known = {one.id: one for one in dataset.questions}
    planned = tomllib.loads(PLAN.read_text(encoding="utf-8"))["questions"]
    chosen = [known[key] for key in planned if key in known and key not in LISTS]
    return replace(dataset, questions=tuple(chosen[:QUESTIONS]))


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
    """Ask what is not there yet: all strategies of a question, then the next question, of either set by turns."""
    end = time.monotonic() + arguments.minutes * 60
    endpoint = run_blocking(CONFIGURED.open(bench.backends.models))
    sets = {"pellamar": world_questions(), "2wiki": wiki_questions(arguments.folder)}
    done = {one.key for one in read(arguments.keep)}
    wanted = [(key, True) for key in arguments.strategy] + [(key, False) for key in arguments.search_only]
    for strategy, answers in wanted:
        if lacking := get_strategy(strategy).lacking(endpoint.builtin):
            print(lacking, file=sys.stderr)
            continue
        for name, question in by_turns({name: found.questions for name, found in sets.items()}):
            kept = Kept(
                model=endpoint.model, data=name, question=question.id, strategy=strategy, answers=answers
            )
            if kept.key in done:
                continue
            dataset = replace(sets[name], questions=(question,))
            outcome = asked(bench, dataset, strategy, answers, end)
            if outcome is None:
                return
            with arguments.keep.open("a", encoding="utf-8") as lines:
                lines.write(kept.model_copy(update=outcome).model_dump_json(exclude_defaults=True) + "\n")


def by_turns(sets: dict[str, Sequence[LabelledQuestion]]) -> Iterator[tuple[str, LabelledQuestion]]:
    """The questions, one of each set after the other."""
    rows = zip_longest(*([(name, one) for one in found] for name, found in sets.items()))
    return (pair for pair in chain.from_iterable(rows) if pair)


def asked(
    bench: Workbench, dataset: DataSet, strategy: str, answers: bool, end: float
) -> dict[str, object] | None:
    """The figures of one question with one strategy; None: the time was over first."""
    evaluations = evaluations_of(bench)
    settings, _ = with_defaults(bench, dataset, (Setting(label=strategy, strategy=strategy),), CONFIGURED)
    what = New(dataset, settings, 0, retrieval_only=not answers)
    job = evaluations.start(what, User(COMMAND_LINE, teacher=True), limit=1)
    job.wait(max(0.0, end - time.monotonic()) if end < float("inf") else 1e9)
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
    return {"values": values(result, found, answers), "replaced": result.replaced}


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
        head = ["strategy", "questions", *MEASURES, "done by another method", "failed"]
        parts.append(f"**{model}, {data}**\n\n{table(head, rows)}")
    return "\n\n".join(parts)


def _row(which: tuple[str, bool], found: Iterable[Kept]) -> list[str]:
    mine = [one for one in found if (one.strategy, one.answers) == which]
    rows = {one.question: one.values for one in mine if one.values}
    cells = []
    for measure in MEASURES:
        interval = intervals({"": rows}, measure).get("")
        cells.append(cell(interval).rpartition(",")[0])
    strategy, answers = which
    failed = sum(one.failed for one in mine)
    replaced = sum(one.replaced for one in mine)
    return [
        strategy + ("" if answers else ", search alone"),
        str(len(mine)),
        *cells,
        str(replaced),
        str(failed),
    ]


if __name__ == "__main__":
    sys.exit(main())
