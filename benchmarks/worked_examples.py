"""Finds the worked examples of the lessons by running: a demo question where a strategy helps, one where it does not.

    python -m benchmarks.worked_examples [--limit 20] [--strategy KEY ...] [--home FOLDER] [--out FOLDER]

The built-in model, the demo corpus, default parameters. Plain retrieval answers every question first; then each
strategy is asked up to `limit` questions, those first where plain retrieval misses evidence, until one of each kind
is found. What counts is how much of the evidence, as the questions' labels say, is in the passages given to the answer:

- *helps*: more than plain retrieval gave. Better still if it is also more than plain retrieval's own ranking holds
  down to the same number of passages; `plain_as_many` says how many that are.
- *fails*: fewer than plain retrieval, or only as many.

Two strategies have nothing to gain that way. Plain retrieval is the baseline: it helps where it gives all the
evidence, and fails where it misses most. Closed book searches nothing: it helps where its answer holds the expected
words and plain retrieval's does not, and fails where plain retrieval gives all the evidence and closed book's
answer does not hold the expected words. Questions whose answer can be guessed from the question are left out there.

Each result is written to core/strategies/lessons/<module>.json, which the lesson shows; `--strategy` renews only some.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from core.corpora.demo import DEMO_CORPUS
from core.corpora.entries import Question
from core.runs.budget import given_passages
from core.runs.gold import gold_of, pieces_held
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from core.settings import Settings
from core.strategies import strategies
from core.strategies.base import BASELINE
from core.strategies.lessons import stem

OUT = Path(__file__).parents[1] / "core" / "strategies" / "lessons"


@dataclass(frozen=True)
class Seen:
    """What one run gave to the answer."""

    gold: int
    given: int
    calls: int
    right: bool
    """Whether the answer holds an expected answer word for word."""
    run: Record

    def data(self) -> dict[str, Any]:
        return {"gold": self.gold, "given": self.given, "calls": self.calls, "right": self.right}


def words(text: str) -> str:
    """Lower case, words only."""
    found = " ".join(re.findall(r"[^\W_]+", text.lower()))
    return f" {found} "


def telling(question: Question) -> bool:
    """Whether a right answer says something: not yes or no, and not among the words of the question."""
    answers = [words(answer) for answer in question.answers]
    return not any(
        answer in (" yes ", " no ") or answer in words(question.text) or len(answer) < 5 for answer in answers
    )


def evidence(question: Question) -> int:
    """How much evidence there is to find."""
    return len(gold_of(question, {}))


def ask(bench: Workbench, question: Question, strategy: str, params: Mapping[str, int] | None = None) -> Seen:
    """Run it, and count."""
    request = RunRequest(question.text, strategy, params or {}, corpus=DEMO_CORPUS)
    run = record(bench.launcher.start(request).result())
    if run.state != "finished":
        raise SystemExit(f"{strategy}: {run.error}")
    given = given_passages(run)
    answer = words(run.answer.text if run.answer else "")
    return Seen(
        gold=pieces_held(gold_of(question, {}), given),
        given=len(given),
        calls=run.totals.calls,
        right=any(words(right) in answer for right in question.answers),
        run=run,
    )


def as_many(bench: Workbench, question: Question, given: int) -> int:
    """Evidence in plain retrieval's own ranking, down to as many passages as the strategy gave."""
    params = {"k": given, "context_size": given}
    return ask(bench, question, BASELINE, params).gold


def example(bench: Workbench, question: Question, plain: Seen, seen: Seen) -> dict[str, Any]:
    """As it is stored."""
    return {
        "id": question.id,
        "question": question.text,
        "evidence": evidence(question),
        "plain": plain.data(),
        "plain_as_many": as_many(bench, question, max(plain.given, seen.given)),
        "strategy": seen.data(),
    }


def kinds_in_turn(questions: Sequence[Question]) -> list[Question]:
    """One question of each kind after the other, so that a few of them already are of every kind."""
    kinds: dict[str, list[Question]] = {}
    for question in questions:
        kinds.setdefault(question.type, []).append(question)
    return [q for row in zip_longest(*kinds.values()) for q in row if q is not None]


def search(
    bench: Workbench, key: str, questions: Sequence[Question], plain: dict[str, Seen], limit: int
) -> dict[str, Any]:
    """Ask until both kinds are found."""
    missing = kinds_in_turn([q for q in questions if plain[q.id].gold < evidence(q)])
    order = [*missing[: limit - 2], *(q for q in questions if q not in missing)][:limit]
    helps: list[tuple[int, Question, Seen]] = []
    fails: list[tuple[int, Question, Seen]] = []
    tried = 0
    for question in order:
        tried += 1
        seen, base = ask(bench, question, key), plain[question.id]
        more = seen.gold - base.gold
        if more > 0:
            truly = seen.gold - as_many(bench, question, max(base.given, seen.given))
            helps.append((truly, question, seen))
        else:
            fails.append((more, question, seen))
        print(f"{key}: {question.text[:70]} {base.gold} -> {seen.gold} of {evidence(question)}", flush=True)
        clear = any(truly > 0 for truly, *_ in helps) and any(less < 0 for less, *_ in fails)
        if clear or (helps and fails and tried >= limit // 2):
            break
    best = max(helps, key=lambda item: item[0], default=None)
    worst = min(fails, key=lambda item: item[0], default=None)
    return {
        "tried": tried,
        "helps": best and example(bench, best[1], plain[best[1].id], best[2]),
        "fails": worst and example(bench, worst[1], plain[worst[1].id], worst[2]),
    }


def baseline(bench: Workbench, questions: Sequence[Question], plain: dict[str, Seen]) -> dict[str, Any]:
    """Where plain retrieval gives all the evidence and the right words, and where it misses most."""
    by_misses = sorted(questions, key=lambda q: evidence(q) - plain[q.id].gold)
    best = max(by_misses, key=lambda q: (plain[q.id].gold == evidence(q), telling(q) and plain[q.id].right))
    worst = by_misses[-1]
    return {
        "tried": len(questions),
        "helps": example(bench, best, plain[best.id], plain[best.id]),
        "fails": example(bench, worst, plain[worst.id], plain[worst.id]),
    }


def from_memory(
    bench: Workbench, key: str, questions: Sequence[Question], plain: dict[str, Seen], limit: int
) -> dict[str, Any]:
    """Where the model knows what the search did not bring, and the other way round."""
    found: dict[str, Any] = {"tried": 0, "helps": None, "fails": None}
    for question in [q for q in questions if telling(q)][:limit]:
        found["tried"] += 1
        seen, base = ask(bench, question, key), plain[question.id]
        print(f"{key}: {question.text[:70]} {base.right} -> {seen.right}", flush=True)
        complete = base.gold == evidence(question)
        kind = "helps" if seen.right and not base.right else "fails" if complete and not seen.right else None
        if kind and found[kind] is None:
            found[kind] = example(bench, question, base, seen)
    return found


def main() -> None:
    """Search and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=20, help="questions per strategy at most")
    parser.add_argument("--strategy", action="append", help="only these")
    parser.add_argument("--home", type=Path, help="default: a new folder that is thrown away")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as new:
        bench = Workbench(Settings(_env_file=None, rag_loupe_home=arguments.home or Path(new)))
        bench.corpora.demo().result()
        known = next(c.questions for c in bench.corpora.all() if c.name == DEMO_CORPUS)
        questions = [question for question in known if evidence(question)]
        plain = {question.id: ask(bench, question, BASELINE) for question in questions}
        started = next(iter(plain.values())).run.started
        assert started is not None
        observed_with = {"model": started.chat_model, "embeddings": started.embedding_model}
        for key in arguments.strategy or [k for k, s in strategies().items() if not s.explores]:
            if key == BASELINE:
                result = baseline(bench, questions, plain)
            elif strategies()[key].alone:
                result = from_memory(bench, key, questions, plain, 60)
            else:
                result = search(bench, key, questions, plain, arguments.limit)
            text = json.dumps(observed_with | result, ensure_ascii=False, indent=2) + "\n"
            (arguments.out / f"{stem(key)}.json").write_text(text, encoding="utf-8")
        bench.backends.supervisor.release()


if __name__ == "__main__":
    main()
