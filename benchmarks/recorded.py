"""What the recording that comes with the app shows: `python -m benchmarks.recorded [--answers]`

Every run that it holds is played, without a model. Printed per strategy: answers that are right, of all; of the
questions that are meant for it, with it and with plain retrieval, with intervals. Where the documents do not tell, a
refusal is right. Answers were judged by a reader who saw neither strategy nor run (`pellamar_verdicts.tsv`); one that
nobody has judged, by its words. The replies are those of one capable model, once: another would answer otherwise.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from csv import DictReader
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.recording import FILE, LIMIT, PLAN, Asked, open_home, planned, play_all
from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import Question
from core.evaluation.answers import verdict
from core.evaluation.statistics import LEVEL, RESAMPLES, bootstrap_interval
from core.jobs import run_blocking
from core.models.choice import ChatChoice, Play
from core.models.recordings.files import import_recording
from core.runs.budget import given_passages
from core.runs.gold import gold_of, pieces_held
from core.runs.record import Record
from core.runs.request import COMMAND_LINE
from core.strategies import strategies
from core.strategies.base import BASELINE

VERDICTS = FILE.with_name("pellamar_verdicts.tsv")
Pairs = Mapping[tuple[str, str], Record]
"""Strategy and question -> the run."""


@cache
def verdicts() -> dict[tuple[str, str], str]:
    """Question and hash of an answer -> what the reader said."""
    with VERDICTS.open(encoding="utf-8", newline="") as file:
        return {(row["question"], row["answer"]): row["verdict"] for row in DictReader(file, delimiter="\t")}


def right(run: Record, question: Question) -> bool:
    """Whether a run's answer is right; where nothing is known, a refusal is."""
    if run.answer is None:
        return False
    digest = hashlib.sha256(run.answer.text.strip().encode()).hexdigest()[:16]
    if said := verdicts().get((question.id, digest)):
        return said == "right"
    found = verdict(run.answer, question.answers, question.text)
    return found == "right" if question.answers else found == "refusal"


def evidence(run: Record, question: Question) -> float | None:
    """The share of the evidence in the passages given to the answer; None: there is none to find."""
    if not question.evidence:
        return None
    return pieces_held(gold_of(question, {}), given_passages(run)) / len(question.evidence)


def difference(ours: Sequence[float], plain: Sequence[float]) -> str:
    """A mean difference with its interval."""
    values = np.array(ours) - np.array(plain)
    low, high = bootstrap_interval(values[:, np.newaxis], 0, RESAMPLES, LEVEL)
    return f"{values.mean():+.2f} ({float(low[0]):+.2f} to {float(high[0]):+.2f})"


def table(
    pairs: Pairs, known: Mapping[str, Question], meant: Mapping[str, Sequence[str]], every: Sequence[str]
) -> str:
    """The table, as Markdown.

    Args:
        pairs: The runs.
        known: Questions by their ids.
        meant: Strategy -> questions that are meant for it.
        every: Questions that every strategy was asked.
    """
    lines = [
        f"| | right, of the {len(every)} that all were asked | of those meant for it | plain on these | difference | "
        "evidence, with it and plain | difference | calls |",
        "|---|---|---|---|---|---|---|---|",
    ]
    pooled: tuple[list[float], list[float]] = ([], [])
    for key, strategy in strategies().items():
        shared = sum(right(pairs[key, one], known[one]) for one in every)
        own = list(
            dict.fromkeys([*(one for one in every if key in known[one].strategies), *meant.get(key, ())])
        )
        mine = [float(right(pairs[key, one], known[one])) for one in own]
        theirs = [float(right(pairs[BASELINE, one], known[one])) for one in own]
        shares = [
            (evidence(pairs[key, one], known[one]), evidence(pairs[BASELINE, one], known[one])) for one in own
        ]
        found = [(a, b) for a, b in shares if a is not None and b is not None]
        calls = np.mean([run.totals.calls for (name, _), run in pairs.items() if name == key])
        columns = [strategy.title, f"{shared}", f"{sum(mine):.0f} of {len(own)}", f"{sum(theirs):.0f}"]
        if key == BASELINE:
            columns += ["", f"{np.mean([a for a, _ in found]):.2f}", ""]
        else:
            ours, plain = [a for a, _ in found], [b for _, b in found]
            columns += [difference(mine, theirs)]
            if strategy.retrieves:
                pooled[0].extend(mine)
                pooled[1].extend(theirs)
            searches = strategy.retrieves and not strategy.explores and bool(found)
            columns += [f"{np.mean(ours):.2f}, {np.mean(plain):.2f}" if searches else ""]
            columns += [difference(ours, plain) if searches else ""]
        lines.append(f"| {' | '.join([*columns, f'{calls:.1f}'])} |")
    every_right, plain_right = (f"{sum(one):.0f}" for one in pooled)
    lines.append(
        f"| All that search | | {every_right} of {len(pooled[0])} | {plain_right} | {difference(*pooled)} | | | |"
    )
    return "\n".join(lines)


def main() -> None:
    """Play, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--answers", action="store_true", help="print every answer, too")
    arguments = parser.parse_args()
    plan = tomllib.loads(PLAN.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as home:
        bench = open_home(False, Path(home))
        store = bench.recordings.store
        recording = import_recording(FILE.name, FILE.read_bytes(), store, COMMAND_LINE, LIMIT)
        wanted = list(planned(plan, bench))
        asked: list[Asked] = run_blocking(play_all(bench, wanted, ChatChoice(play=Play(recording)), 8))
        known = {one.id: one for one in bench.corpora.catalogue.corpus(DEMO_CORPUS).questions}
        bench.graphs.graphs.close()
        bench.backends.supervisor.release()
    ids = {one.text: one.id for one in known.values()}
    pairs = {
        (request.strategy, ids[request.question]): one.run
        for (_, request), one in zip(wanted, asked, strict=True)
        if request.corpus in (None, DEMO_CORPUS) and request.question in ids
    }
    if arguments.answers:
        for (key, one), run in sorted(pairs.items(), key=lambda pair: (pair[0][1], pair[0][0])):
            mark = "right" if right(run, known[one]) else "wrong"
            print(f"{one} {key}: {mark}: {run.answer.text if run.answer else run.error}")
    print(table(pairs, known, plan["further"], plan["questions"]))


if __name__ == "__main__":
    main()
