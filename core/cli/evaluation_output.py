"""The results of an evaluation on the terminal, and as files by the ending of their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.cli.output import print_table, printable
from core.errors import InputError
from core.evaluation.measures import BEYOND, unjudged_sentence
from core.evaluation.oracle import ORACLE, oracle_of
from core.evaluation.plan import Evaluation, Outcomes
from core.evaluation.results import Prices, scores, stages
from core.wording import counted

_SHOWN = ("R@10", "nDCG@10", "F1", "accuracy", "hallucination", "abstained")
"""Metrics of the table; all of them are in the JSON."""


def print_results(found: Mapping[str, Any], remarks: Sequence[str] = ()) -> None:
    """The results as a table that leads with the differences to the baseline; then remarks on them."""
    names = [key for key in _SHOWN if any(key in one["metrics"] for one in found["strategies"].values())]
    answers = "retrieval only" if found["retrieval_only"] else f"answers by {found['model']}"
    answers += f", recorded: {found['recording']['name']}" if found["recording"] else ""
    seed = "" if found["seed"] is None else f", seed {found['seed']}"
    print(printable(f"{found['dataset']}: {counted(found['questions'], 'question')}{seed}, {answers}"))
    looks = f" and for {found['looks']} looks at these questions" if found["looks"] > 1 else ""
    corrected = f"with 95 % intervals, corrected for the number of comparisons{looks}"
    print(f"Against {printable(found['baseline'])}, {corrected}:\n")
    if held := _budget_rows(found):
        print("Evidence given, against plain retrieval with as many passages on each question:\n")
        print_table(("DIFFERENCE", "VERDICT", "GIVEN", "PLAIN", "PASSAGES", "STRATEGY"), held)
        print()
    for key in names:
        print_table(("DIFFERENCE", "VERDICT", key, "STRATEGY"), _rows(found, key))
        print()
    print_table(
        ("CALLS", "TOKENS", "SECONDS", "PASSAGES", "STRATEGY"),
        (
            (
                one["calls"],
                one["tokens"]["input"] + one["tokens"]["output"] if one["tokens"]["known"] else "not told",
                f"{one['seconds']:.1f}{' (pace)' if one['played'] else ''}",
                f"{one['passages']:.1f}",
                label,
            )
            for label, one in found["strategies"].items()
        ),
    )
    for line in _oracle_lines(found):
        print(f"\n{printable(line)}")
    unclear = {
        label: (one["cannot_be_judged"], one["answers"])
        for label, one in found["strategies"].items()
        if one["cannot_be_judged"]
    }
    if unclear:
        print(f"\n{printable(unjudged_sentence(unclear))}")
    for line in remarks:
        print(f"\n{printable(line)}")
    print(f"\nEvaluation {found['evaluation']}")


def _budget_rows(found: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Every strategy that is held against plain retrieval with as many passages, with both numbers."""
    rows: list[tuple[str, ...]] = []
    for label, one in found["strategies"].items():
        if (both := one["plain_with_as_many"]) is None:
            continue
        against = one["differences"][BEYOND]
        given, plain, passages = both["given"], both["plain"], both["passages"]
        rows.append(
            (_change(against), against["verdict"], f"{given:.3f}", f"{plain:.3f}", f"{passages:.1f}", label)
        )
    return rows


def _change(against: Mapping[str, Any]) -> str:
    return f"{against['mean']:+.3f} ({against['low']:+.3f} to {against['high']:+.3f})"


def _rows(found: Mapping[str, Any], key: str) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for label, one in found["strategies"].items():
        if key not in one["metrics"]:
            continue
        low, high = one["intervals"][key]
        mean = f"{one['metrics'][key]:.3f} ({low:.3f} to {high:.3f})"
        against = one["differences"].get(key)
        if against is None:
            rows.append(("", "baseline", mean, label))
            continue
        rows.append((_change(against), against["verdict"], mean, label))
    if (best := found["oracle"]) and key in best["metrics"]:
        low, high = best["intervals"][key]
        rows.append(("", "bound", f"{best['metrics'][key]:.3f} ({low:.3f} to {high:.3f})", ORACLE))
    return rows


def _oracle_lines(found: Mapping[str, Any]) -> list[str]:
    """Lines about the oracle: its picks, then the distance to it of each router, or of all without a router."""
    if not (best := found["oracle"]):
        return []
    key, picks = best["picked_by"], ", ".join(f"{label} {count}" for label, count in best["picks"].items())
    what = "the best of these per question, chosen afterwards with the labels: a bound, and no strategy"
    apart = [
        f"{label}: {_change(best['distances'][label][key])} {key} to the oracle"
        for label in best["routers"] or best["among"]
        if key in best["distances"][label]
    ]
    return [f"Oracle: {what}. By {key} it picks {picks}.", *apart]


def check_output(path: Path) -> None:
    """Refuse a file that could not be written after hours of work.

    Raises:
        InputError: Its ending is none of ours, or its folder is not there.
    """
    if path.suffix.lower() not in (".html", ".csv"):
        raise InputError(
            f"“{path.name}” has to end in .html (a report), .csv (every question) or summary.csv."
        )
    if not path.parent.is_dir():
        raise InputError(f"There is no folder “{path.parent}” to write “{path.name}” into. Make it first.")


def save(path: Path, evaluation: Evaluation, outcomes: Outcomes, prices: Prices, baseline: str = "") -> None:
    """Write a file, in the form that its ending says; one that is there is replaced.

    Raises:
        InputError: It cannot be written, or the baseline is not among the settings.
    """
    # Only here: templates and charts take a while to load.
    from core.charts.evaluation_csv import questions_csv, summary_csv
    from core.report import evaluation_report

    found = scores(evaluation, outcomes, prices)
    if path.suffix.lower() == ".html":
        text = evaluation_report(evaluation, outcomes, prices, baseline)
    elif path.name.lower().endswith("summary.csv"):
        best = oracle_of(evaluation, found)
        text = summary_csv(found, baseline or evaluation.spec.baseline, best, evaluation.spec.looks)
    else:
        text = questions_csv(evaluation, outcomes, found, stages(evaluation, outcomes))
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"“{path}” cannot be written: {error.strerror}. The results are stored.") from error
