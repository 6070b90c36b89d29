"""Answers without a model, in few words and by the best sentence, on the same passages: right, wrong, and none.

    python -m research.offline_answers DATA_FOLDER [--set NAME ...] [--half judge|choose|all] [--questions N]
        [--seed 0] [--failures N]

Each question is searched for once, by plain hybrid retrieval with its usual number of passages; both methods answer
from these. Right and wrong: the verdict of Evaluate, on the answer in few words where there is one, else on the
sentence. As sentences are long, they hold a gold answer more easily than few words do; so F1 stands beside it, and the
share of answers that are shown with a sentence that holds a gold answer. Intervals: 95 %, a paired bootstrap over
questions. Weights and thresholds were chosen on the choosing halves of XQuAD (English) and 2WikiMultihopQA; HotpotQA,
MuSiQue, the demo world and other languages took no part in it. `--failures` prints wrong answers, of the choosing half
only.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.evaluation.answers import Verdict, is_right, judged_text, verdict
from core.evaluation.statistics import LEVEL, RESAMPLES, bootstrap_interval
from core.evaluation.words import squad_match, token_f1
from core.jobs import run_blocking
from core.runs.workbench import get_workbench
from core.skills.copying import EXTRACTIVE
from core.skills.span_answer import SPAN, offline_answer
from core.trace.artefacts import Answer
from research.offline_questions import CHOOSE, DEMO, JUDGE, Case, Ground

HALVED = ("2wiki_train500", "xquad/en")
SETS = (*HALVED, DEMO, "hotpotqa_train100", "musique_train100", "xquad/zh")
MEASURES = ("right", "wrong", "none", "F1", "EM", "sentence right")
SINGLE = "single facts"


@dataclass(frozen=True)
class Outcome:
    """What a method made of a question."""

    answer: Answer
    verdict: Verdict
    scores: Mapping[str, float]
    """Measure -> value, from 0 to 1."""
    seconds: float


def main() -> None:
    """Answer, judge, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds the data sets")
    parser.add_argument("--set", action="append", metavar="NAME", help="only these")
    parser.add_argument("--half", choices=(JUDGE, CHOOSE, "all"), default=JUDGE)
    parser.add_argument("--questions", type=int, default=1000, help="at most so many of a set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--failures", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.failures and arguments.half != CHOOSE:
        parser.error("--failures needs --half choose: the other half is for judging.")
    ground = Ground(arguments.folder, get_workbench())
    print("| set | questions | | " + " | ".join(MEASURES) + " | s |")
    print("|---|---|---|" + "---|" * (len(MEASURES) + 1))
    for name in arguments.set or SETS:
        half = "" if arguments.half == "all" or name not in HALVED else arguments.half
        cases = ground.cases(name, half, arguments.questions, arguments.seed)
        for case in cases:  # so that neither method pays for the vectors of the other
            ground.sources(case)
        ground.vectors.save()
        made = {method: [outcome(ground, case, method) for case in cases] for method in (EXTRACTIVE, SPAN)}
        print_rows(name, made[EXTRACTIVE], made[SPAN], arguments.seed)
        if name == DEMO:
            single = [place for place, case in enumerate(cases) if len(case.question.gold) == 1]
            some = {method: [found[place] for place in single] for method, found in made.items()}
            print_rows(f"{name}, {SINGLE}", some[EXTRACTIVE], some[SPAN], arguments.seed)
        for case, one in list(zip(cases, made[SPAN], strict=True)):
            if arguments.failures and one.verdict == "wrong":
                arguments.failures -= 1
                print(f"- {case.question.text} {case.question.answers}: {one.answer.text}")


def outcome(ground: Ground, case: Case, method: str) -> Outcome:
    """A question answered by a method, and judged."""
    start = time.perf_counter()
    text = case.question.text
    answer = run_blocking(offline_answer(ground.context, method, text, case.passages, skill="answer"))
    seconds = time.perf_counter() - start
    found, gold = verdict(answer, case.question.answers, text), case.question.answers
    said = judged_text(answer)
    spoken = found != "refusal"
    scores = {
        "right": float(found == "right"),
        "wrong": float(found == "wrong"),
        "none": float(not spoken),
        "F1": max(token_f1(said, one) for one in gold) if spoken else 0.0,
        "EM": max(squad_match(said, one) for one in gold) if spoken else 0.0,
        "sentence right": float(any(is_right(one.quote, gold) for one in answer.citations)),
    }
    return Outcome(answer, found, scores, seconds)


def print_rows(name: str, old: Sequence[Outcome], new: Sequence[Outcome], seed: int) -> None:
    """Both methods, and the difference of each measure with its interval."""
    for title, some in (("best sentence", old), ("few words", new)):
        means = " | ".join(f"{np.mean([one.scores[key] for one in some]):.3f}" for key in MEASURES)
        print(f"| {name} | {len(some)} | {title} | {means} | {np.mean([one.seconds for one in some]):.3f} |")
    values: NDArray[Any] = np.array(
        [[b.scores[key] - a.scores[key] for key in MEASURES] for a, b in zip(old, new, strict=True)]
    )
    low, high = bootstrap_interval(values, seed, RESAMPLES, LEVEL)
    cells = " | ".join(
        f"{mean:+.3f} ({least:+.3f} to {most:+.3f})"
        for mean, least, most in zip(values.mean(axis=0), low, high, strict=True)
    )
    short = np.mean([bool(one.answer.short) for one in new])
    print(f"| {name} | {short:.0%} in few words | difference | {cells} | |", flush=True)


if __name__ == "__main__":
    main()
