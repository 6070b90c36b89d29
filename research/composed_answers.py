"""What composing by rule changes in the answers of the built-in team: right, wrong and no answer, before and after.

    python -m research.composed_answers DATA_FOLDER [--strategy KEY ...] [--half choosing|judging] [--questions 40]
        [--type TYPE ...] [--world] [--retriever dense] [--seed 0] [--noted FILE] [--wrong] [--facts-only]

DATA_FOLDER holds `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`, as a data set for Evaluate does. Its questions fall
into two halves by the seed: rules are chosen on one, and judged on the other. With `--world` the questions of the demo
world are asked as well, those with an answer. *Before* is the team without its rules for comparisons and chains: taught
or sampled sub-questions, sub-answers joined, the best sentence. Where no rule fits a question, nothing changes, and it
is asked once; `--fitting` leaves such questions out. Both are asked one after the other, and differences are
paired: of the share right, and of the share wrong, with 95 % bootstrap intervals. With `--noted`, answers stand in a
file, and what stands there is not asked again.

`--facts-only` asks nothing: the rules read the gold passages, which tells the composer apart from what is found.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from core.corpora.demo import DEMO_CORPUS
from core.evaluation.answers import is_right, verdict
from core.evaluation.dataset_indexing import indexed
from core.evaluation.datasets import read_folder
from core.evaluation.statistics import LEVEL, RESAMPLES, bootstrap_interval
from core.jobs import run_blocking
from core.runs.record import record
from core.runs.request import COMMAND_LINE, RunRequest
from core.runs.workbench import Workbench, get_workbench
from core.skills.base import MODEL
from core.skills.by_rule import BY_RULE, COMPOSED, RULE, concluded
from core.skills.composing.comparisons import sub_questions
from core.strategies import get_strategy
from core.trace.artefacts import Answer
from core.trace.passages import Passage

STRATEGIES = ("decomposition-sequential", "decomposition-independent", "least-to-most", "ircot")
METHODS: Mapping[str, Mapping[str, str]] = {
    "before": {BY_RULE.key: MODEL, "synthesise": "joined", "answer_gathered": "listed"},
    "after": {BY_RULE.key: RULE, "synthesise": COMPOSED, "answer_gathered": COMPOSED},
}
WORLD = Path(__file__).parents[1] / "data" / "demo_world" / "queries.jsonl"


@dataclass(frozen=True)
class Asked:
    """A question with its right answers."""

    id: str
    set: str
    type: str
    text: str
    answers: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """What one strategy made of a question, before or after."""

    id: str
    strategy: str
    when: str
    verdict: str
    short: str
    text: str
    seconds: float


def main() -> None:
    """Ask, judge, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--strategy", action="append")
    parser.add_argument("--half", choices=("choosing", "judging"), default="choosing")
    parser.add_argument("--questions", type=int, default=40, help="at most so many of the data set")
    parser.add_argument("--type", action="append", help="only questions of this type")
    parser.add_argument("--world", action="store_true", help="the demo world's questions as well")
    parser.add_argument("--retriever", default="dense")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--noted", type=Path, help="where answers are noted")
    parser.add_argument("--fitting", action="store_true", help="only questions that a rule fits")
    parser.add_argument("--wrong", action="store_true", help="print what is wrong after")
    parser.add_argument("--facts-only", action="store_true")
    arguments = parser.parse_args()
    questions = [
        one
        for one in halves(arguments.folder, arguments.seed)[arguments.half]
        if not arguments.type or one.type in arguments.type
    ][: arguments.questions]
    if arguments.facts_only:
        print_facts(arguments.folder, questions, arguments.wrong)
        return
    if arguments.world:
        questions += read_questions(WORLD, "world")
    if arguments.fitting:
        questions = [one for one in questions if sub_questions(one.text)]
    noted = read_noted(arguments.noted)
    strategies = arguments.strategy or STRATEGIES
    bench = get_workbench()
    bench.corpora.demo().result()
    corpora = {"world": DEMO_CORPUS}
    if arguments.questions:
        indexing = indexed(read_folder(arguments.folder), bench.corpora)
        corpora[arguments.folder.name] = run_blocking(indexing).name
    for strategy in strategies:
        for place, question in enumerate(questions, 1):
            for when in METHODS:
                key = (question.id, strategy, when)
                if key not in noted:
                    before = noted.get((question.id, strategy, "before"))
                    if before and not sub_questions(question.text):
                        noted[key] = replace(before, when=when)  # no rule fits, so nothing changes
                    else:
                        noted[key] = ask(
                            bench, question, strategy, when, corpora[question.set], arguments.retriever
                        )
                    if arguments.noted:
                        with arguments.noted.open("a", encoding="utf-8") as file:
                            file.write(json.dumps(asdict(noted[key]), ensure_ascii=False) + "\n")
            if place % 20 == 0:
                print(f"{time.strftime('%H:%M:%S')} {strategy}: {place} of {len(questions)}", flush=True)
    print_table(questions, strategies, noted)
    if arguments.wrong:
        by_id = {one.id: one for one in questions}
        for (id_, strategy, when), one in noted.items():
            if id_ in by_id and when == "after" and one.verdict == "wrong" and strategy in strategies:
                asked = by_id[id_]
                print(f"{strategy} | {asked.text} | {asked.answers} | {one.short} | {one.text[:300]}")
    bench.backends.supervisor.release()


def halves(folder: Path, seed: int) -> dict[str, list[Asked]]:
    """The questions of a data set in two halves, each in an order of its own."""
    questions = sorted(read_questions(folder / "queries.jsonl", folder.name), key=lambda one: one.id)
    random.Random(seed).shuffle(questions)
    middle = len(questions) // 2
    return {"choosing": questions[:middle], "judging": questions[middle:]}


def read_questions(file: Path, of: str) -> list[Asked]:
    """Those that have an answer."""
    lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    return [
        Asked(one["id"], of, one.get("type", ""), one["text"], tuple(one["answers"]))
        for one in lines
        if one["answers"]
    ]


def read_noted(file: Path | None) -> dict[tuple[str, str, str], Outcome]:
    """Answers that were noted before."""
    if file is None or not file.exists():
        return {}
    made = [Outcome(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    return {(one.id, one.strategy, one.when): one for one in made}


def ask(bench: Workbench, question: Asked, strategy: str, when: str, corpus: str, retriever: str) -> Outcome:
    """One run, judged."""
    skills = get_strategy(strategy).skills
    request = RunRequest(
        question.text,
        strategy,
        corpus=corpus,
        retriever=retriever,
        methods={key: method for key, method in METHODS[when].items() if key in skills},
        owner=COMMAND_LINE,
    )
    start = time.perf_counter()
    run = record(bench.launcher.start(request).result())
    seconds = time.perf_counter() - start
    answer = next((one for one in reversed(run.find(Answer)) if one.final), None)
    if answer is None:
        return Outcome(question.id, strategy, when, "failed", "", run.error or "", seconds)
    judged = verdict(answer, question.answers, question.text)
    return Outcome(question.id, strategy, when, judged, answer.short, answer.text, seconds)


# Tables


def print_table(
    questions: Sequence[Asked], strategies: Iterable[str], noted: Mapping[tuple[str, str, str], Outcome]
) -> None:
    """Counts by data set, type and strategy, before and after; and the paired differences."""
    print(
        "\n| set | strategy | questions | right | wrong | unclear | nothing | right, difference (95 %) | wrong |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name in dict.fromkeys(one.set for one in questions):
        mine = [one for one in questions if one.set == name]
        groups = {"all": mine} | {
            kind: [one for one in mine if one.type == kind]
            for kind in sorted({one.type for one in mine})
            if name != "world"
            or kind in ("comparison", "two hops", "three hops", "four hops", "who held it when")
        }
        for strategy in strategies:
            for kind, those in groups.items():
                print(row(f"{name}, {kind}", strategy, those, noted))


def row(
    name: str, strategy: str, questions: Sequence[Asked], noted: Mapping[tuple[str, str, str], Outcome]
) -> str:
    """A line of Markdown."""
    verdicts = {when: [noted[one.id, strategy, when].verdict for one in questions] for when in METHODS}
    counts = [
        f"{verdicts['before'].count(kind)} → {verdicts['after'].count(kind)}"
        for kind in ("right", "wrong", "unclear", "refusal")
    ]
    changes = [interval(verdicts["before"], verdicts["after"], kind) for kind in ("right", "wrong")]
    return f"| {name} | {strategy} | {len(questions)} | {' | '.join(counts)} | {' | '.join(changes)} |"


def interval(before: Sequence[str], after: Sequence[str], kind: str) -> str:
    """Mean paired difference in the share of a verdict, with its interval."""
    values = np.array(
        [[(new == kind) - (old == kind)] for old, new in zip(before, after, strict=True)], dtype=float
    )
    if len(values) < 2:
        return ""
    low, high = bootstrap_interval(values, 0, RESAMPLES, LEVEL)
    return f"{values.mean():+.2f} ({float(low[0]):+.2f} to {float(high[0]):+.2f})"


# The composer alone


def print_facts(folder: Path, questions: Sequence[Asked], show: bool) -> None:
    """What follows by rule from the gold passages, without a search and without sub-answers."""
    passages = gold(folder)
    counts: dict[tuple[str, str], int] = {}
    for one in questions:
        made = concluded(one.text, [], passages.get(one.id, []))
        result = (
            "no rule" if made is None else "nothing" if not made.short
            else "right" if is_right(made.short, one.answers) else "wrong"
        )  # fmt: skip
        counts[one.type, result] = counts.get((one.type, result), 0) + 1
        if show and made and result == "wrong":
            print(one.text, one.answers, [step.text for step in made.steps])
    for kind in sorted({one.type for one in questions}):
        print(kind, {result: count for (of, result), count in sorted(counts.items()) if of == kind})


def gold(folder: Path) -> dict[str, list[Passage]]:
    """Id of each question -> the passages that are evidence for it."""
    documents = {
        one["id"]: one
        for one in map(json.loads, (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    }
    found: dict[str, list[Passage]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        words = line.split("\t")
        for id_ in words[1:]:
            if one := documents.get(id_):
                passage = Passage(
                    chunk=id_, document=id_, title=one.get("title", ""), text=one["text"], position=0, start=0,
                    end=len(one["text"]),
                )  # fmt: skip
                found.setdefault(words[0], []).append(passage)
    return found


if __name__ == "__main__":
    main()
