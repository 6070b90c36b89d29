"""Retrieval of every strategy on labelled data sets: the tables of docs/results.md.

    python -m benchmarks.results DATA_FOLDER [--set NAME ...] [--part ranked|listed] [--strategy KEY ...]
        [--questions 100] [--seed 0] [--as-it-came] [--tables-only]

DATA_FOLDER holds a folder per data set. Each set's questions go through plain dense retrieval (the baseline) and, in
two evaluations, through what makes *one ranking* (every other retriever, linked passages, Multi-Query, RAG-Fusion,
HyDE: 10 hits a search) and what puts *several lists* one behind the other (step-back: 5 hits a search; decomposition
and IRCoT: their own 4): with 10 hits the first of these lists would be all that is judged. The model is the built-in
one, or the endpoint in OPENAI_BASE_URL, OPENAI_API_KEY and CHAT_MODEL; with `--as-it-came`, the built-in one without
its adapter. Answers are not made. A run that is ended goes on where it was, and what is finished is only printed;
`--tables-only` prints what is done.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from core.evaluation.datasets import read_folder, sample
from core.evaluation.evaluations import Evaluations, evaluations_of
from core.evaluation.plan import Evaluation, Setting
from core.evaluation.results import report
from core.evaluation.runner import New
from core.runs.request import COMMAND_LINE
from core.runs.workbench import Workbench, get_workbench
from core.skills import methods_in_force
from core.skills.answer import ANSWER
from core.strategies import get_strategy
from core.strategies.nodes import EVAL_CUTOFF
from core.users import User

RETRIEVERS = ("dense", "keyword", "hybrid", "linked")
REWORDING = ("multi-query", "rag-fusion", "hyde")
WALKING = "linked-passages"
MULTI_HOP = ("decomposition-sequential", "decomposition-independent", "ircot")
SETS = ("hotpotqa_train100", "2wiki_train500", "musique_train100", "scifact", "strategyqa_dev229")
ONE_HOP = ("scifact",)
PARTS = ("ranked", "listed")
HITS = {"k": EVAL_CUTOFF}
HALF = {"k": EVAL_CUTOFF // 2}
TELL_SECONDS = 30


def main() -> None:
    """Evaluate and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds the data sets")
    parser.add_argument("--set", action="append", choices=SETS, help="only these")
    parser.add_argument("--part", choices=PARTS, action="append", help="only this evaluation of the two")
    parser.add_argument(
        "--strategy",
        action="append",
        help="only these beside the baseline, each in the evaluation that has it",
    )
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--as-it-came", action="store_true", help="the built-in model without its adapter")
    parser.add_argument("--tables-only", action="store_true", help="print what is done; ask nothing")
    arguments = parser.parse_args()
    bench = get_workbench()
    evaluations = evaluations_of(bench)
    for name in arguments.set or SETS:
        for part in arguments.part or PARTS:
            settings = settings_of(name, part, arguments.strategy)
            if len(settings) < 2:
                continue
            what = New(
                sample(read_folder(arguments.folder / name), arguments.questions, arguments.seed),
                settings,
                arguments.seed,
                retrieval_only=True,
                as_it_came=arguments.as_it_came,
            )
            evaluation = stored(bench, what)
            if evaluation is None and arguments.tables_only:
                continue
            if evaluation is None or not (arguments.tables_only or evaluation.state == "finished"):
                evaluation = finished(evaluations, what, f"{name}, {part}")
            found = report(evaluation, evaluations.store.outcomes(evaluation.id))
            print(f"\n### {name}, {part}\n")
            print("\n".join(table(found)), flush=True)


def settings_of(name: str, part: str, only: Collection[str] | None = None) -> tuple[Setting, ...]:
    """The settings of one of the two evaluations of a data set, the baseline first.

    Args:
        name: Of the data set.
        part: Of `PARTS`.
        only: Keys of the strategies beside the baseline; None: all.
    """
    plain, *others = _settings_of(name, part)
    return (plain, *(one for one in others if only is None or one.strategy in only))


def _settings_of(name: str, part: str) -> tuple[Setting, ...]:
    plain = tuple(
        Setting(label=f"Plain, {one}", strategy="plain", retriever=one, params=HITS) for one in RETRIEVERS
    )

    def of(key: str, params: Mapping[str, Any], retriever: str = "dense") -> Setting:
        title = get_strategy(key).title
        return Setting(label=title, strategy=key, retriever=retriever, params=dict(params))

    if part == "ranked":
        return (*plain, of(WALKING, HITS, "hybrid"), *(of(key, HITS) for key in REWORDING))
    hops = () if name in ONE_HOP else MULTI_HOP
    return (plain[0], of("step-back", HALF), *(of(key, {}) for key in hops))


def stored(bench: Workbench, what: New) -> Evaluation | None:
    """The newest evaluation of exactly these settings and questions with the model in force, however far it is."""
    model, asked = bench.backends.chat_status(None), [one.id for one in what.dataset.questions]

    def alike(one: Evaluation) -> bool:
        spec = one.spec
        return (
            [question.id for question in one.questions] == asked
            and len(spec.settings) == len(what.settings)
            and all(
                searched(one, model.builtin, not spec.adapter)
                == searched(other, model.builtin, what.as_it_came)
                for one, other in zip(spec.settings, what.settings, strict=True)
            )
            and spec.builtin == model.builtin
            and (model.builtin or spec.model == model.name)
        )

    return next((one for one in evaluations_of(bench).store.list([COMMAND_LINE], 1000) if alike(one)), None)


def searched(setting: Setting, builtin: bool, as_it_came: bool) -> tuple[object, ...]:
    """What decides how a setting searches under its name, with a kind of model; what was left out is as by default."""
    strategy = get_strategy(setting.strategy)
    asked = [key for key in strategy.skills if key != ANSWER.key]  # no answer is made
    return (
        setting.label,
        setting.strategy,
        setting.retriever,
        strategy.parse(setting.params),
        methods_in_force(asked, builtin, setting.methods, as_it_came),
    )


def finished(evaluations: Evaluations, what: New, name: str) -> Evaluation:
    """The evaluation, worked on until nothing is left; says how far it is."""
    job, told = evaluations.start(what, User(COMMAND_LINE, teacher=True)), 0.0
    while not job.done:
        time.sleep(0.2)
        if time.monotonic() - told > TELL_SECONDS:
            told = time.monotonic()
            print(f"{name}: {job.message}", file=sys.stderr, flush=True)
    return job.result()


def table(found: Mapping[str, Any]) -> Iterator[str]:
    """A Markdown table that leads with the differences; means per question."""
    yield "| | difference in nDCG@10 to plain dense (95 %) | verdict | nDCG@10 (95 %) | R@10 | calls | seconds |"
    yield "|---|---|---|---|---|---|---|"
    for label, one in found["strategies"].items():
        if not one["done"]:
            continue
        low, high = one["intervals"]["nDCG@10"]
        against = one["differences"].get("nDCG@10")
        cells = [
            label,
            f"{against['mean']:+.3f} ({against['low']:+.3f} to {against['high']:+.3f})" if against else "",
            against["verdict"] if against else "baseline",
            f"{one['metrics']['nDCG@10']:.3f} ({low:.3f} to {high:.3f})",
            f"{one['metrics']['R@10']:.3f}",
            f"{one['calls'] / one['done']:.1f}",
            f"{one['seconds'] / one['done']:.1f}",
        ]
        yield f"| {' | '.join(cells)} |"
    yield (
        f"\n{found['questions']} questions, seed {found['seed']}, {len(found['failed'])} failed; model "
        f"{found['model'] or 'none'}, embeddings {found['embedding_model']}."
    )


if __name__ == "__main__":
    main()
