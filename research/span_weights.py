"""Learns the weights of spans and sentences: core/skills/spans/weights.json.

    python -m research.span_weights DATA_FOLDER [--write] [--seed 0] [--questions 700]

Learned from the choosing halves of XQuAD (English; by article) and 2WikiMultihopQA (by question; also with their gold
passages), and from 220 hand-written records. A conditional logit over the spans of a question and “nothing here”, with
an L2 penalty; then, on spans ranked by weights that did not see their question (three folds), a logistic regression of
whether the likeliest sentence holds the answer. Prints thresholds beside what they bring on these questions: so those
in `core.skills.spans.deciding` were chosen, and `research.offline_answers` judges them on other questions. Without
`--write` nothing is written.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize

from core.evaluation.answers import exact_match, is_right, verdict
from core.evaluation.words import holds, token_f1, tokens
from core.runs.workbench import get_workbench
from core.skills.copying import ABSTAIN_BELOW
from core.skills.sentences import not_latin
from core.skills.spans.deciding import (
    SPAN_LED_TO_FROM,
    likeliest_sentence,
    sentence_chance,
    sentence_features,
)
from core.skills.spans.features import Asked, Source
from core.skills.spans.ranking import Ranked, Weights, best_sources, pool, rank
from core.skills.spans.wanted import wanted
from core.trace.artefacts import Answer
from research.offline_questions import CHOOSE, Case, Ground

FILE = Path("core/skills/spans/weights.json")
XQUAD, WIKI, GOLD, RECORDS = "xquad/en", "2wiki_train500", "2wiki, gold passages", "records"
PENALTY = 2.0
SENTENCE_PENALTY = 1.0
FEWEST = 5
"""Questions that must have a feature."""
FOLDS = 3
RECORD_COUNT = 220
NEAR = 0.75
"""Token F1 with a gold answer from which a span counts as right; so does one that holds it with two words more."""
Features = Mapping[str, float]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A question that asks for a short answer, with its spans."""

    name: str
    case: Case
    sources: Sequence[Source]
    asked: Asked
    rows: Sequence[Features]
    """Of each span, and last of “nothing here”."""
    good: NDArray[np.bool_]
    """Which of these rows are right."""


def main() -> None:
    """Learn, print, and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="holds the data sets")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--questions", type=int, default=700)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    ground = Ground(arguments.folder, get_workbench())
    limit, seed = arguments.questions, arguments.seed
    wiki = ground.cases(WIKI, CHOOSE, limit, seed)
    cases = {
        XQUAD: ground.cases(XQUAD, CHOOSE, limit, seed),
        WIKI: wiki,
        GOLD: ground.gold_cases(WIKI, wiki, seed),
        RECORDS: ground.records(RECORD_COUNT, seed),
    }
    examples = [
        made
        for name, some in cases.items()
        for one in some
        if (made := example(ground, name, one)) is not None
    ]
    ground.vectors.save()
    print(f"{len(examples)} questions with spans")
    ranked = ranked_by_others(examples)
    sentences = learn_sentences([pair for pair in zip(examples, ranked, strict=True) if pair[0].name != GOLD])
    spans = learn(examples)
    print(f"{len(spans)} weights of spans; of sentences: {sentences}")
    print_thresholds(ground, cases, examples, ranked, sentences)
    if arguments.write:
        FILE.write_text(
            json.dumps({"sentences": sentences, "spans": spans}, indent=0, ensure_ascii=False) + "\n"
        )


def example(ground: Ground, name: str, case: Case) -> Example | None:
    """A question as it is learned from; None where it does not ask for a short answer."""
    asks = wanted(case.question.text)
    sources = ground.sources(case)
    if asks is None or not sources or not_latin(case.question.text):
        return None
    asked = Asked(case.question.text, asks, best_sources(sources))
    found = pool(asked)
    good = [is_good(candidate.text, case.question.answers) for _, candidate, _ in found]
    rows = [*(features for *_, features in found), asked.nothing(len(found))]
    return Example(name, case, sources, asked, rows, np.array([*good, not any(good)]))


def is_good(text: str, gold: Sequence[str]) -> bool:
    """Whether a span is the answer, give or take a word or two."""
    return any(
        exact_match(text, one)
        or token_f1(text, one) >= NEAR
        or (holds(text, one) and len(tokens(text)) <= len(tokens(one)) + 2)
        for one in gold
    )


def learn(examples: Sequence[Example]) -> dict[str, float]:
    """Weights that make the right spans of each question likeliest together."""
    held: dict[str, int] = {}
    for one in examples:
        for name in {name for row in one.rows for name, value in row.items() if value}:
            held[name] = held.get(name, 0) + 1
    names = {
        name: place
        for place, name in enumerate(sorted(name for name, count in held.items() if count >= FEWEST))
    }
    matrix = as_matrix((row for one in examples for row in one.rows), names)
    starts = np.cumsum([0, *(len(one.rows) for one in examples)])[:-1]
    question = np.repeat(np.arange(len(examples)), [len(one.rows) for one in examples])
    good = np.concatenate([one.good for one in examples])
    turned = matrix.T.tocsr()

    def log_total(scores: Floats) -> tuple[Floats, Floats]:
        top = np.maximum.reduceat(scores, starts)
        powers = np.exp(scores - top[question])
        total = np.add.reduceat(powers, starts)
        return top + np.log(total), powers / total[question]

    def loss(by: Floats) -> tuple[float, Floats]:
        scores = matrix @ by
        every, chances = log_total(scores)
        right, among = log_total(np.where(good, scores, -1e9))
        return float((every - right).sum() + PENALTY / 2 * by @ by), turned @ (
            chances - among * good
        ) + PENALTY * by

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 150}).x
    return {name: round(float(found[place]), 3) for name, place in names.items() if abs(found[place]) > 1e-3}


def as_matrix(rows: Iterable[Features], names: Mapping[str, int]) -> sparse.csr_matrix:
    """Rows × features."""
    row_places, columns, values, count = [], [], [], 0
    for row in rows:
        for name, value in row.items():
            if value and name in names:
                row_places.append(count)
                columns.append(names[name])
                values.append(value)
        count += 1
    return sparse.csr_matrix((values, (row_places, columns)), shape=(count, len(names)))


def ranked_by_others(examples: Sequence[Example]) -> list[Ranked]:
    """The spans of each question, ranked by weights that were learned without it."""
    ids = sorted({one.case.question.id for one in examples})
    fold = {key: place % FOLDS for place, key in enumerate(ids)}
    by = [learn([one for one in examples if fold[one.case.question.id] != part]) for part in range(FOLDS)]
    return [rank(one.asked, by[fold[one.case.question.id]]) for one in examples]


def learn_sentences(found: Sequence[tuple[Example, Ranked]]) -> dict[str, float]:
    """Weights of a logistic regression: does the likeliest sentence hold the answer?"""
    rows, right = [], []
    for one, spans in found:
        if spans.spans:
            place = likeliest_sentence(spans)
            rows.append(sentence_features(one.asked, spans, place))
            right.append(is_right(one.asked.sources[place].text, one.case.question.answers))
    names = {name: place for place, name in enumerate(sorted({name for row in rows for name in row}))}
    matrix, wanted_ones = as_matrix(rows, names).toarray(), np.array(right, float)

    def loss(by: Floats) -> float:
        scores = matrix @ by
        return float((np.logaddexp(0, scores) - wanted_ones * scores).sum() + SENTENCE_PENALTY / 2 * by @ by)

    learned = minimize(loss, np.zeros(len(names))).x
    return {name: round(float(learned[place]), 3) for name, place in names.items()}


def print_thresholds(
    ground: Ground,
    cases: Mapping[str, Sequence[Case]],
    examples: Sequence[Example],
    ranked: Sequence[Ranked],
    sentences: Weights,
) -> None:
    """What thresholds bring on the questions that they are chosen by, beside the best sentence alone."""
    known = {
        (one.name, one.case.question.id): (one, spans) for one, spans in zip(examples, ranked, strict=True)
    }
    print("span sentence alone | set: right (to the best sentence alone), wrong (same), share of spans")
    relevant = {
        (name, case.question.id): max(ground.sources(case), key=lambda one: one.fit)
        for name in (XQUAD, WIKI, RECORDS)
        for case in cases[name]
    }
    for span_from, sentence_from, alone_from in product((0.7, 0.75, 0.8, 0.85), (0.5, 0.6), (0.7, 0.8, 0.9)):
        parts = []
        for name in (XQUAD, WIKI, RECORDS):
            new, old, spans = [], [], 0
            for case in cases[name]:
                best = relevant[name, case.question.id]
                old.append(judged(case, best.text, "") if best.fit >= ABSTAIN_BELOW else "refusal")
                made = known.get((name, case.question.id))
                if made is None or not made[1].spans:
                    new.append(old[-1] if made is None else "refusal")
                    continue
                one, found = made
                first, place = found.spans[0], likeliest_sentence(found)
                chance = sentence_chance(one.asked, found, place, sentences)
                likely = chance >= alone_from or (chance >= sentence_from and best.fit >= ABSTAIN_BELOW)
                led_to = one.asked.led_to[first.source.passage] and first.trust >= SPAN_LED_TO_FROM
                if first.trust >= span_from or (led_to and not likely):
                    new.append(judged(case, first.source.text, first.text))
                    spans += 1
                else:
                    new.append(judged(case, one.asked.sources[place].text, "") if likely else "refusal")
            share = {
                kind: [each.count(kind) / len(new) for each in (new, old)] for kind in ("right", "wrong")
            }
            right, wrong = ((pair[0], pair[0] - pair[1]) for pair in share.values())
            parts.append(
                f"{name} {right[0]:.3f} ({right[1]:+.3f}), {wrong[0]:.3f} ({wrong[1]:+.3f}), {spans / len(new):.2f}"
            )
        print(f"{span_from} {sentence_from} {alone_from} | " + " | ".join(parts), flush=True)


def judged(case: Case, sentence: str, short: str) -> str:
    """The verdict on a sentence, or on a span of it."""
    made = Answer(text=sentence, sentences=(sentence,), short=short)
    return verdict(made, case.question.answers, case.question.text)


if __name__ == "__main__":
    main()
