"""What the recording that comes with the app shows: `python -m research.recorded [--answers]`

Every run that it holds is played, without a model. Printed are strategies by questions; how many answers are right with
each strategy and with plain retrieval; and how often it finds more of the evidence than plain retrieval with as many
passages: on the questions that are meant for it and on the others, with intervals. Where the documents do not tell, a
refusal is right. Answers were judged by a reader who saw neither strategy nor run (`pellamar_verdicts.tsv`); one that
nobody has judged, by its words. The replies are those of one capable model, once: another would answer otherwise.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from core.cards.outcome import outcome
from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import Question
from core.evaluation.statistics import LEVEL, RESAMPLES, bootstrap_interval
from core.jobs import run_blocking
from core.models.chat_models import RecordedModel
from core.models.recordings.files import import_recording
from core.runs.record import Record
from core.runs.request import COMMAND_LINE, RunRequest
from core.strategies import strategies
from core.strategies.base import BASELINE
from tools.recording import FILE, LIMIT, PLAN, Asked, open_home, planned, play_all
from tools.verdicts import right

Pairs = Mapping[tuple[str, str], Record]
"""Strategy and question -> the run."""


def usual(request: RunRequest) -> bool:
    """True for a request with default parameters and the default retriever."""
    return not request.params and request.retriever == RunRequest("", "").retriever


def difference(ours: Sequence[float], plain: Sequence[float]) -> str:
    """A mean difference with its interval."""
    values = np.array(ours) - np.array(plain)
    low, high = bootstrap_interval(values[:, np.newaxis], 0, RESAMPLES, LEVEL)
    return f"{values.mean():+.2f} ({float(low[0]):+.2f} to {float(high[0]):+.2f})"


def grid(pairs: Pairs, known: Mapping[str, Question], every: Sequence[str]) -> str:
    """Strategies by questions, as Markdown: whether the answer is right (✓; – none was given; ✗ wrong), the evidence
    found of all, and the calls.

    Args:
        pairs: The runs.
        known: Questions by their ids.
        every: Questions that every strategy was asked.
    """
    lines = [f"| | {' | '.join(every)} | right |", f"|---|{'---|' * len(every)}---|"]
    for key, strategy in strategies().items():
        cells = list[str]()
        for one in every:
            run = pairs[key, one]
            came = outcome(run)
            found = f" {came.found}/{came.of}" if came and came.of else ""
            silent = run.answer is None or run.answer.abstained
            mark = "✓" if right(run, known[one]) else "–" if silent else "✗"
            cells.append(f"{mark}{found} ({run.totals.calls})")
        total = sum(cell.startswith("✓") for cell in cells)
        lines.append(f"| {strategy.title} | {' | '.join(cells)} | {total} |")
    return "\n".join(lines)


def beside_plain(pairs: Pairs, known: Mapping[str, Question], meant: Mapping[str, Sequence[str]]) -> str:
    """How often each strategy finds more of the evidence than plain retrieval with as many passages, as Markdown.

    Args:
        pairs: The runs.
        known: Questions by their ids.
        meant: Strategy -> further questions that are meant for it, besides those that say so themselves.
    """
    lines = [
        "| | meant for it: more, same, less | difference of the share found | others: more, same, less | difference |",
        "|---|---|---|---|---|",
    ]
    for key, strategy in strategies().items():
        parts: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
        for (name, one), run in pairs.items():
            came = outcome(run) if name == key else None
            if came and came.of and came.plain is not None:
                own = key in known[one].strategies or one in meant.get(key, ())
                parts[own].append((came.found / came.of, came.plain / came.of))
        if not parts[True] + parts[False]:
            continue
        columns = [strategy.title]
        for found in parts.values():
            signs = [np.sign(ours - plain) for ours, plain in found]
            counts = ", ".join(str(signs.count(sign)) for sign in (1, 0, -1))
            columns += [counts, difference(*zip(*found, strict=True)) if found else ""]
        lines.append(f"| {' | '.join(columns)} |")
    return "\n".join(lines)


def rights(
    pairs: Pairs, known: Mapping[str, Question], meant: Mapping[str, Sequence[str]], every: Sequence[str]
) -> str:
    """How many answers are right, with each strategy and with plain retrieval on the same questions, as Markdown; the
    arguments are as of `grid` and `beside_plain`."""
    lines = [
        "| | meant for it: right, plain, of | difference | others: right, plain, of | difference |",
        "|---|---|---|---|---|",
    ]
    for key, strategy in strategies().items():
        if key == BASELINE:
            continue
        own = {one for one in every if key in known[one].strategies}.union(meant.get(key, ()))
        columns = [strategy.title]
        for asked in (sorted(own), [one for one in every if one not in own]):
            mine, theirs = (
                [float(right(pairs[by, one], known[one])) for one in asked] for by in (key, BASELINE)
            )
            columns += [f"{sum(mine):.0f}, {sum(theirs):.0f}, {len(asked)}", difference(mine, theirs)]
        lines.append(f"| {' | '.join(columns)} |")
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
        asked: list[Asked] = run_blocking(play_all(bench, wanted, RecordedModel(recording), 8))
        known = {one.id: one for one in bench.corpora.catalogue.corpus(DEMO_CORPUS).questions}
        bench.graphs.graphs.close()
        bench.backends.supervisor.release()
    ids = {one.text: one.id for one in known.values()}
    pairs = {
        (request.strategy, ids[request.question]): one.run
        for (_, request), one in zip(wanted, asked, strict=True)
        if request.corpus in (None, DEMO_CORPUS) and request.question in ids and usual(request)
    }
    if arguments.answers:
        for (key, one), run in sorted(pairs.items(), key=lambda pair: (pair[0][1], pair[0][0])):
            mark = "right" if right(run, known[one]) else "wrong"
            print(f"{one} {key}: {mark}: {run.answer.text if run.answer else run.error}")
    every, meant = plan["questions"], plan["further"]
    tables = grid(pairs, known, every), rights(pairs, known, meant, every), beside_plain(pairs, known, meant)
    print("\n\n".join(tables))


if __name__ == "__main__":
    main()
