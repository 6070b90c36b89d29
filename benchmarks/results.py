"""Retrieval of every strategy on labelled data sets: the tables of docs/results.md.

    python -m benchmarks.results DATA_FOLDER [--set NAME ...] [--questions 100] [--seed 0] [--tables-only]

DATA_FOLDER holds a folder per data set. Each set's questions go through plain dense retrieval (the baseline), keyword
and hybrid retrieval, and the strategies that ask a model first: the built-in one, or the endpoint in OPENAI_BASE_URL,
OPENAI_API_KEY and CHAT_MODEL. Every search has 10 hits, so that nobody is judged on fewer. Answers are not made. A run
that is ended goes on where it was; `--tables-only` prints what is done.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.evaluation.datasets import read_folder, sample
from core.evaluation.evaluations import evaluations_of
from core.evaluation.plan import Setting
from core.evaluation.results import report
from core.evaluation.runner import New
from core.runs.request import COMMAND_LINE
from core.runs.workbench import get_workbench
from core.strategies import get_strategy
from core.strategies.nodes import JUDGED_DEPTH

RETRIEVERS = ("dense", "keyword", "hybrid")
REWORDING = ("multi-query", "rag-fusion", "step-back", "hyde")
MULTI_HOP = ("decomposition-sequential", "decomposition-independent", "ircot")
SETS: Mapping[str, tuple[str, ...]] = {
    "hotpotqa_train100": REWORDING + MULTI_HOP,
    "2wiki_train500": REWORDING + MULTI_HOP,
    "musique_train100": REWORDING + MULTI_HOP,
    "scifact": REWORDING,
    "strategyqa_dev229": REWORDING,
}
HITS = {"k": JUDGED_DEPTH}
TELL_SECONDS = 30


def main() -> None:
    """Evaluate and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds the data sets")
    parser.add_argument("--set", action="append", choices=SETS, help="only these")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tables-only", action="store_true", help="print what is done; ask nothing")
    arguments = parser.parse_args()
    evaluations = evaluations_of(get_workbench())
    for name in arguments.set or SETS:
        what = New(
            sample(read_folder(arguments.folder / name), arguments.questions, arguments.seed),
            settings_of(SETS[name]),
            arguments.seed,
            retrieval_only=True,
        )
        job = evaluations.start(what, COMMAND_LINE)
        if arguments.tables_only:
            while job.evaluation is None and not job.done:
                time.sleep(0.1)
            job.pause()
        told = 0.0
        while not job.done:
            time.sleep(0.2)
            if time.monotonic() - told > TELL_SECONDS:
                told = time.monotonic()
                print(f"{name}: {job.message}", file=sys.stderr, flush=True)
        evaluation = job.result()
        found = report(evaluation, evaluations.store.outcomes(evaluation.id))
        print(f"\n### {name}\n")
        print("\n".join(table(found)), flush=True)


def settings_of(strategies: tuple[str, ...]) -> tuple[Setting, ...]:
    """Plain retrieval in each way, then the strategies over dense retrieval."""
    plain = [
        Setting(label=f"Plain, {one}", strategy="plain", retriever=one, params=HITS) for one in RETRIEVERS
    ]
    return (
        *plain,
        *(Setting(label=get_strategy(key).title, strategy=key, params=HITS) for key in strategies),
    )


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
