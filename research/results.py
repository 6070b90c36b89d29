"""Retrieval of every strategy on labelled data sets: the tables of docs/results.md.

    python -m research.results DATA_FOLDER [--set NAME ...] [--row LABEL ...] [--questions N] [--with-model N]
        [--seed 0] [--again] [--tables-only] [--noted FILE]

DATA_FOLDER holds a folder per data set; the demo world comes with the app. Every row of a table is an evaluation of its
own (for each 25 questions), so that a slow strategy holds nothing up; a table joins what there is, takes the
differences to plain hybrid retrieval over the questions that both have, and corrects for the number of its rows.
Strategies search with the hybrid retriever. What makes *one ranking* brings in 10 hits a search; what puts *several
lists* one behind the other fewer (step-back 5, the others their own 4): with 10 hits the first of these lists would be
all that is judged. The model is the built-in one, or the endpoint in OPENAI_BASE_URL, OPENAI_API_KEY and CHAT_MODEL.
Only Self-RAG makes answers, since it searches by them. Rows are filled one after the other, those first that ask no
model. A run that is ended goes on where it was, and what is finished is only printed; `--tables-only` prints what is
done. With `--noted` the figures of each question are written into a file, and what stands there already counts as
finished, on whatever machine it was measured; of one model and seed, as they are in `docs/results.tsv`.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.evaluation.datasets import DATA, DataSet, read_folder, sample
from core.evaluation.measures import Scores
from core.evaluation.pairs import asks_model
from core.evaluation.plan import Evaluation, Outcomes, Setting
from core.evaluation.results import scores
from core.evaluation.runner import Evaluations, New, evaluations_of
from core.evaluation.statistics import differences, intervals
from core.models.chat_models import CONFIGURED, ChatModel
from core.runs.request import COMMAND_LINE
from core.runs.workbench import Workbench, get_workbench
from core.skills import SKILLS, methods_in_force
from core.skills.answer import ANSWER
from core.skills.base import CAPABLE, TINY, ModelKind
from core.skills.rerank import RERANK, TOKENS
from core.strategies import get_strategy, strategies
from core.trace.artefacts import EVAL_CUTOFF
from core.users import User

BASELINE = "Plain, hybrid"
RETRIEVERS = ("hybrid", "dense", "keyword", "linked")
RERANKED = ("dense", "hybrid", "linked")
HITS = {"k": EVAL_CUTOFF}
FIRST_HITS = 20
"""Hits that are reranked by token vectors, without a model."""
FEWER: Mapping[str, Mapping[str, Any]] = {"step-back": {"k": EVAL_CUTOFF // 2}}
"""Parameters of strategies whose few lists are longer than that by default."""
SETS: Mapping[str, tuple[str, int | None]] = {
    "demo_world": ("Pellamar, the demo world", None),
    "hotpotqa_train100": ("HotpotQA (2 hops)", None),
    "2wiki_train500": ("2WikiMultihopQA (2 to 4 hops)", 200),
    "musique_train100": ("MuSiQue (2 to 4 hops)", None),
    "strategyqa_dev229": ("StrategyQA (implicit yes/no)", None),
    "scifact": ("SciFact (claims)", None),
}
"""Folder -> title, and how many of its questions are asked; None: all. The other 300 of 2Wiki chose the parameters of
linked passages."""
PIECE = 25
"""Number of questions of one evaluation."""
TELL_SECONDS = 30
NOTED = ("nDCG@10", "R@10", "calls")
"""Metrics that are noted of each question."""
Noted = dict[tuple[str, str], dict[str, Mapping[str, float]]]
"""Data set and row -> id of a question -> metric -> value."""


@dataclass
class Row:
    """What was found with one setting on a data set so far."""

    setting: Setting
    scores: dict[str, Mapping[str, float]] = field(default_factory=dict)
    """Id of a question -> metric -> value."""
    failed: int = 0

    def add(self, evaluation: Evaluation, outcomes: Outcomes) -> None:
        """Join an evaluation of this setting on other questions."""
        self.scores |= scores(evaluation, outcomes)[self.setting.label]
        self.failed += len(outcomes.failed)


def main() -> None:
    """Evaluate and print."""
    rows = [setting.label for setting in settings()]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds the data sets")
    parser.add_argument("--set", action="append", choices=SETS, metavar="NAME", help="only these")
    parser.add_argument(
        "--row", action="append", choices=rows, metavar="LABEL", help="only these, in this order"
    )
    parser.add_argument("--questions", type=int, help="at most so many of a set")
    parser.add_argument(
        "--with-model", type=int, default=100, help="at most so many in rows that ask a model"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--again", action="store_true", help="what is finished too: after a change of how these rows search"
    )
    parser.add_argument("--tables-only", action="store_true", help="print what is done; ask nothing")
    parser.add_argument("--noted", type=Path, help="where the figures of questions are noted")
    arguments = parser.parse_args()
    bench = get_workbench()
    evaluations, chat = evaluations_of(bench), CONFIGURED
    kind = TINY if CONFIGURED.is_builtin(bench.settings) else CAPABLE
    names = arguments.set or list(SETS)
    sets = {name: read_folder((DATA if name == "demo_world" else arguments.folder) / name) for name in names}
    by_label = {setting.label: setting for setting in settings()}
    tables: dict[str, list[Row]] = {name: [] for name in names}
    noted = read_noted(arguments.noted) if arguments.noted else {}
    known = evaluations.store.list([COMMAND_LINE], 10_000)
    for label in arguments.row or rows:
        setting = by_label[label]
        for name in names:
            row = Row(setting, {} if arguments.again else dict(noted.get((name, label), {})))
            limits = [SETS[name][1], arguments.questions]
            if asks_to_search(setting, kind):
                limits.append(arguments.with_model)
            for piece in pieces(sets[name], limits, arguments.seed):
                if all(one.id in row.scores for one in piece.questions):
                    continue
                what = New(piece, (setting,), arguments.seed, retrieval_only=True)
                evaluation = stored(bench, known, what, chat)
                done = evaluation is not None and evaluation.state == "finished" and not arguments.again
                if not (done or arguments.tables_only):
                    evaluation = finished(evaluations, what, chat, f"{name}, {label}")
                if evaluation is not None:
                    row.add(evaluation, evaluations.store.outcomes(evaluation.id))
            if row.scores:
                tables[name].append(row)
                noted[name, label] = row.scores
                if arguments.noted:
                    write_noted(arguments.noted, noted)
    for name, found in tables.items():
        print(f"\n### {SETS[name][0]}\n")
        print("\n".join(table(found)), flush=True)
    print(
        f"\nModel {CONFIGURED.status(bench.backends.models).name}, embeddings {bench.backends.embedder.name}."
    )


def read_noted(file: Path) -> Noted:
    """What was noted in a file; nothing if there is none."""
    found: Noted = {}
    if file.exists():
        with file.open(encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines, delimiter="\t"):
                row = found.setdefault((line["set"], line["row"]), {})
                row[line["question"]] = {metric: float(line[metric]) for metric in NOTED}
    return found


def write_noted(file: Path, noted: Noted) -> None:
    """Note figures, sorted, so that a change shows what was measured anew."""
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, delimiter="\t", lineterminator="\n")
        writer.writerow(["set", "row", "question", *NOTED])
        for (name, row), scored in sorted(noted.items()):
            for question, values in sorted(scored.items()):
                writer.writerow([name, row, question, *(f"{values[metric]:.6g}" for metric in NOTED)])


def settings() -> tuple[Setting, ...]:
    """The rows of every table, the baseline first, and those that ask a model last.

    Closed book finds no evidence, and what explores gathers its own while it answers: no retrieval of these is judged.
    """
    plain = (
        Setting(label=f"Plain, {one}", strategy="plain", retriever=one, params=HITS) for one in RETRIEVERS
    )
    reranked = (
        Setting(
            label=f"Plain, {one}, reranked",
            strategy="plain",
            retriever=one,
            params={**HITS, "rerank": FIRST_HITS},
            methods={RERANK.key: TOKENS},
        )
        for one in RERANKED
    )
    others = (
        Setting(
            label=one.title,
            strategy=one.key,
            retriever="hybrid",
            params=dict(FEWER.get(one.key, {}) if one.appends else HITS),
        )
        for one in strategies().values()
        if one.retrieves and not one.explores and one.key != "plain" and not one.lacking(True)
    )
    return tuple(sorted((*plain, *reranked, *others), key=asks_to_search))


def asks_to_search(setting: Setting, kind: ModelKind = TINY) -> bool:
    """Whether a setting makes calls of such a model before it answers."""
    strategy = get_strategy(setting.strategy)
    asked = [key for key in strategy.skills_with(strategy.parse(setting.params)) if key != ANSWER.key]
    methods = methods_in_force(asked, kind, setting.methods)
    return any(SKILLS[skill].method(methods[skill]).calls for skill in asked)


def pieces(dataset: DataSet, limits: Sequence[int | None], seed: int) -> Iterator[DataSet]:
    """A sample in samples of `PIECE` questions that follow one another: a larger one begins with those of a smaller.

    Args:
        limits: Largest numbers of questions; None: no limit.
    """
    count = min([len(dataset.questions), *(one for one in limits if one is not None)])
    before: set[str] = set()
    for first in range(0, count, PIECE):
        drawn = sample(dataset, min(count, first + PIECE), seed)
        yield replace(drawn, questions=tuple(one for one in drawn.questions if one.id not in before))
        before = {one.id for one in drawn.questions}


def stored(bench: Workbench, known: Sequence[Evaluation], what: New, chat: ChatModel) -> Evaluation | None:
    """The newest evaluation of exactly these settings and questions with the model in force, however far it is."""
    model, asked = chat.status(bench.backends.models), [one.id for one in what.dataset.questions]
    asks = any(asks_model(setting, what.retrieval_only) for setting in what.settings)

    kind = TINY if model.builtin else CAPABLE

    def alike(one: Evaluation) -> bool:
        spec = one.spec
        return (
            spec.dataset_key == what.dataset.key
            and [question.id for question in one.questions] == asked
            and [one.label for one in spec.settings] == [one.label for one in what.settings]
            and all(
                searched(one, kind) == searched(other, kind)
                for one, other in zip(spec.settings, what.settings, strict=True)
            )
            and (not asks or spec.builtin == model.builtin)
            and (not asks or model.builtin or spec.model == model.name)
        )

    return next((one for one in known if alike(one)), None)


def searched(setting: Setting, kind: ModelKind) -> tuple[object, ...]:
    """What decides how a setting searches under its name, with a kind of model; what was left out is as by default."""
    strategy = get_strategy(setting.strategy)
    params = strategy.parse(setting.params)
    asked = [key for key in strategy.skills_with(params) if key != ANSWER.key]  # no answer is made
    return (
        setting.label,
        setting.strategy,
        setting.retriever,
        params,
        methods_in_force(asked, kind, setting.methods),
    )


def finished(evaluations: Evaluations, what: New, chat: ChatModel, name: str) -> Evaluation:
    """The evaluation, worked on until nothing is left; says how far it is."""
    job, told = evaluations.start(what, User(COMMAND_LINE, teacher=True), chat=chat), 0.0
    while not job.done:
        time.sleep(0.2)
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            print(f"{time.strftime('%H:%M:%S')} {name}: {job.message}", file=sys.stderr, flush=True)
    return job.result()


def table(rows: Sequence[Row]) -> Iterator[str]:
    """A Markdown table that leads with the differences; means per question."""
    found: Scores = {row.setting.label: row.scores for row in rows}
    around, recall = intervals(found, "nDCG@10"), intervals(found, "R@10")
    against = {}
    if BASELINE in found:
        against = {one.strategy: one for one in differences(found, BASELINE, "nDCG@10")}
    yield (
        "| | difference in nDCG@10 to plain hybrid (95 %) | verdict | nDCG@10 (95 %) | R@10 | calls | questions |"
    )
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        label = row.setting.label
        mine, other = around[label], against.get(label)
        to = other.interval if other else None
        failed = f", {row.failed} failed" if row.failed else ""
        cells = [
            label,
            f"{to.mean:+.3f} ({to.low:+.3f} to {to.high:+.3f})" if to else "",
            (other.verdict if other.verdict.startswith("no ") else f"**{other.verdict}**")
            if other
            else "baseline",
            f"{mine.mean:.3f} ({mine.low:.3f} to {mine.high:.3f})",
            f"{recall[label].mean:.3f}",
            f"{sum(one['calls'] for one in row.scores.values()) / len(row.scores):.1f}",
            f"{len(row.scores)}{failed}",
        ]
        yield f"| {' | '.join(cells)} |".replace("-0.", "−0.")  # a minus, not a hyphen


if __name__ == "__main__":
    main()
