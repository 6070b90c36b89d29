"""`python -m core evaluate`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from core.charts.evaluation_played import played_sentence, replaced_sentence
from core.cli.ask import pairs
from core.cli.evaluation_files import check_output, save
from core.cli.output import POLL_SECONDS, complain, end_progress, print_json, print_table, printable, progress
from core.cli.playing import add_playing, chat_of
from core.cli.sweeping import facts, new_sweep, sweep_lines, swept_of
from core.corpora.splitting import chunk_size
from core.errors import InputError
from core.evaluation.dataset_catalogue import named
from core.evaluation.datasets import read_folder, sample
from core.evaluation.default_retriever import with_defaults
from core.evaluation.evaluations import evaluations_of
from core.evaluation.forecast import forecast
from core.evaluation.forecast_recorded import CoveredJob, covered_sentence
from core.evaluation.measures import BEYOND
from core.evaluation.oracle import ORACLE
from core.evaluation.plan import Setting
from core.evaluation.results import report
from core.evaluation.runner import EvaluationJob, New
from core.evaluation.unjudged import unjudged_sentence
from core.models.choice import ChatChoice
from core.retrieval.defaults import FALLBACK
from core.retrieval.retriever import RETRIEVERS
from core.runs.request import COMMAND_LINE
from core.runs.workbench import Workbench, get_workbench
from core.strategies import get_strategy
from core.users import User
from core.wording import counted

PATIENCE_SECONDS = 5.0
"""How long what is stopped may take to end."""
_SHOWN = ("R@10", "nDCG@10", "F1", "accuracy", "hallucination", "abstained")
"""Metrics of the table; all of them are in the JSON."""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "evaluate", help="put a data set's questions through strategies, and compare"
    )
    parser.add_argument(
        "--dataset",
        metavar="FOLDER|NAME",
        help="a folder with corpus.jsonl, queries.jsonl, qrels.tsv; or name or key of a stored data set",
    )
    parser.add_argument("--strategy", metavar="KEY", nargs="+", action="extend", default=[])
    parser.add_argument(
        "--retriever",
        choices=RETRIEVERS,
        nargs="+",
        help="default: what finds most in the language of the documents; with several, each strategy is evaluated "
        "with each",
    )
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="for every strategy that has this parameter",
    )
    parser.add_argument("--method", action="append", default=[], metavar="SKILL=METHOD")
    add_playing(parser)
    parser.add_argument(
        "--sweep",
        metavar="NAME=VALUE,VALUE,...",
        default="",
        help="one strategy with a parameter over several values, or with its retriever or chunk_tokens; "
        "with --continue: recomputed from what is stored",
    )
    parser.add_argument(
        "--chunk-tokens",
        type=chunk_size,
        metavar="N|sentences",
        help="size of the chunks of the documents, or one sentence each",
    )
    parser.add_argument("--overlap-tokens", type=int, metavar="N", help="overlap of the chunks")
    parser.add_argument("--limit", type=int, metavar="N", help="a sample of so many questions")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (default 0)")
    parser.add_argument("--retrieval-only", action="store_true", help="stop before the answer")
    parser.add_argument(
        "--baseline", metavar="NAME", default="", help="what the others are compared with; default: the first"
    )
    parser.add_argument("--at-once", type=int, metavar="N", help="questions under way at the same time")
    parser.add_argument(
        "--continue", dest="evaluation", metavar="ID", help="go on, and try again what failed"
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="write a report (.html), every question (.csv), or means and differences (summary.csv)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Evaluate, tell how far it is, print the results."""
    for path in arguments.output:
        check_output(path)
    bench = get_workbench()
    evaluations = evaluations_of(bench)
    chat = chat_of(arguments, bench)
    what = arguments.evaluation or _new(bench, arguments, chat)
    if isinstance(what, New):
        _say_forecast(bench, what, chat)
    job = evaluations.start(what, User(COMMAND_LINE, teacher=True), limit=arguments.at_once, chat=chat)
    ended = _follow(job)
    end_progress()
    if job.evaluation is None:
        complain("stopped before the first question.")
        return 1
    key = job.evaluation.id
    go_on = f"`python -m core evaluate --continue {key}` goes on"
    if not ended or job.pausing:
        complain(f"{job.halted or 'Paused.'} {job.pairs_done} of {job.pairs} are done; {go_on}.")
        return 1
    evaluation, outcomes = evaluations.store.get(key), evaluations.store.outcomes(key)
    swept = swept_of(bench, evaluation, outcomes, arguments)
    if swept:
        evaluation, outcomes = swept.evaluation, swept.outcomes
    found = report(evaluation, outcomes, arguments.baseline) | (facts(swept) if swept else {})
    for path in arguments.output:
        save(path, evaluation, outcomes, bench.settings.model_prices, arguments.baseline)
    if arguments.json:
        print_json(found)
    else:
        _print(found, played_sentence(evaluation, outcomes), replaced_sentence(outcomes))
    if found["failed"]:
        first = found["failed"][0]["error"]
        complain(f"{len(found['failed'])} failed, the first with: {first}\n{go_on} with these.")
    return 1 if found["failed"] else 0


def _new(bench: Workbench, arguments: argparse.Namespace, chat: ChatChoice) -> New:
    if arguments.dataset is None or not arguments.strategy:
        raise InputError("`evaluate` needs --dataset FOLDER and --strategy KEY ..., or --continue ID.")
    folder = Path(arguments.dataset)
    dataset = read_folder(folder) if folder.is_dir() else named(get_workbench(), arguments.dataset)
    if dataset.remark:
        print(printable(dataset.remark), file=sys.stderr)
    seed = None
    if arguments.limit is not None:
        dataset, seed = sample(dataset, arguments.limit, arguments.seed), arguments.seed
    settings = settings_of(
        arguments.strategy,
        arguments.retriever or [FALLBACK],
        pairs(arguments.param, "--param"),
        pairs(arguments.method, "--method"),
    )
    if not arguments.retriever:
        settings, why = with_defaults(bench, dataset, settings, chat)
        for sentence in why:
            print(printable(sentence), file=sys.stderr)
    if arguments.chunk_tokens is not None or arguments.overlap_tokens is not None:
        sizes = {"chunk_tokens": arguments.chunk_tokens, "overlap_tokens": arguments.overlap_tokens}
        settings = tuple(setting.model_copy(update=sizes) for setting in settings)
    if arguments.sweep:
        return new_sweep(bench, arguments, dataset, settings, seed)
    return New(dataset, settings, seed, arguments.retrieval_only, arguments.baseline)


def settings_of(
    keys: Sequence[str], retrievers: Sequence[str], params: Mapping[str, str], methods: Mapping[str, str]
) -> tuple[Setting, ...]:
    """Every strategy with every retriever; one that retrieves nothing once.

    Raises:
        InputError: A strategy does not exist, or no strategy has one of the parameters or skills.
    """
    strategies = [get_strategy(key) for key in dict.fromkeys(keys)]
    for name in params:
        if not any(name in strategy.params.model_fields for strategy in strategies):
            raise InputError(f"None of these strategies has a parameter '{name}'.")
    for skill in methods:
        if not any(skill in strategy.skills for strategy in strategies):
            raise InputError(f"None of these strategies uses a skill '{skill}'.")
    return tuple(
        Setting(
            label=f"{strategy.key} ({retriever})" if several else strategy.key,
            strategy=strategy.key,
            params={name: value for name, value in params.items() if name in strategy.params.model_fields},
            retriever=strategy.retriever or retriever,
            methods={skill: method for skill, method in methods.items() if skill in strategy.skills},
        )
        for strategy in strategies
        for several in [strategy.choosable and len(set(retrievers)) > 1]
        for retriever in (dict.fromkeys(retrievers) if several else retrievers[:1])
    )


def _say_forecast(bench: Workbench, what: New, chat: ChatChoice) -> None:
    expected = forecast(
        bench,
        what.settings,
        len(what.dataset.questions),
        retrieval_only=what.retrieval_only,
        owners=[COMMAND_LINE],
        chat=chat,
    )
    if not expected.calls:
        return
    text = f"About {expected.calls:,} model calls (at most {expected.calls_most:,})"
    if chat.play is not None:
        found = CoveredJob(
            bench, lambda: what.dataset, what.settings, retrieval_only=what.retrieval_only, chat=chat
        ).result()
        said = covered_sentence(found, expected.calls, chat)
        print(printable(f"{text}, as recorded. {said} Ctrl-C pauses."), file=sys.stderr)
        return
    if expected.tokens_in is not None and expected.tokens_out is not None:
        text += f", {expected.tokens_in:,} + {expected.tokens_out:,} tokens"
    if expected.seconds is not None:
        text += f", {expected.seconds:,.0f} s"
    print(f"{text}. Ctrl-C pauses.", file=sys.stderr)


def _follow(job: EvaluationJob) -> bool:
    """Tell how far it is until it ends; whether it came to its end.

    The first Ctrl-C pauses, so that nothing is paid twice; the next one stops at once.
    """
    while True:
        try:
            while not job.done:
                progress(job.message)
                time.sleep(POLL_SECONDS)
            job.result()
        except KeyboardInterrupt:
            end_progress()
            if job.pausing or job.evaluation is None:
                job.stop()
            else:
                print(
                    "Pausing: questions under way are finished. Ctrl-C again stops at once.", file=sys.stderr
                )
            job.pause()
        except CancelledError:
            return False
        else:
            return True


def _print(found: Mapping[str, Any], *remarks: str) -> None:
    """The results as a table that leads with the differences to the baseline; then remarks, as far as there are any."""
    names = [key for key in _SHOWN if any(key in one["metrics"] for one in found["strategies"].values())]
    answers = "retrieval only" if found["retrieval_only"] else f"answers by {found['model']}"
    answers += f", recorded: {found['recording']['name']}" if found["recording"] else ""
    seed = "" if found["seed"] is None else f", seed {found['seed']}"
    print(printable(f"{found['dataset']}: {counted(found['questions'], 'question')}{seed}, {answers}"))
    looks = f" and for {found['looks']} looks at these questions" if found["looks"] > 1 else ""
    corrected = f"with 95 % intervals, corrected for the number of comparisons{looks}"
    print(f"Against {printable(found['baseline'])}, {corrected}:\n")
    if held := _held(found):
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
    for remark in filter(None, remarks):
        print(f"\n{printable(remark)}")
    for line in sweep_lines(found):
        print(f"\n{line}")
    print(f"\nEvaluation {found['evaluation']}")


def _held(found: Mapping[str, Any]) -> list[tuple[str, ...]]:
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
    """What the oracle is and picks, and how far from it those are that choose themselves, or else all."""
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
