"""`python -m core evaluate`."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from core.charts.evaluation_findings import remarks
from core.charts.evaluation_table import evaluation_table
from core.cli.ask import pairs
from core.cli.output import POLL_SECONDS, complain, end_progress, print_json, print_table, printable, progress
from core.cli.playing import add_playing, chat_of
from core.corpora.entries import chunk_size
from core.errors import InputError
from core.evaluation.dataset_catalogue import find_data_set
from core.evaluation.dataset_indexing import with_defaults
from core.evaluation.datasets import read_folder, sample
from core.evaluation.forecast import coverage_of, coverage_sentence, forecast
from core.evaluation.measures import BEYOND, PASSAGES, present
from core.evaluation.plan import Evaluation, Outcomes, Setting, Sweep
from core.evaluation.results import Prices, Results, costs, report, results_of
from core.evaluation.runner import EvaluationJob, New, evaluations_of
from core.evaluation.sweep_results import read_sweep, swept_setting
from core.evaluation.sweeps import new_sweep, sweep_of
from core.jobs import run_blocking
from core.models.chat_models import ChatModel
from core.retrieval.defaults import FALLBACK
from core.retrieval.kinds import BUILTIN, RETRIEVERS
from core.runs.request import COMMAND_LINE
from core.runs.sources.sources import Sources
from core.runs.workbench import get_workbench
from core.strategies import get_strategy
from core.users import User
from core.wording import counted, time_span

PATIENCE_SECONDS = 5.0
"""How long what is stopped may take to end."""


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
        metavar=f"{{{','.join(BUILTIN)}}}",
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
    evaluation, outcomes = _results(
        bench, evaluations.store.get(key), evaluations.store.outcomes(key), arguments
    )
    results = results_of(evaluation, outcomes, bench.settings.model_prices)
    for path in arguments.output:
        save(path, results, bench.settings.model_prices, arguments.baseline)
    if arguments.json:
        print_json(report(evaluation, outcomes, arguments.baseline))
    else:
        print_results(results, arguments.baseline)
    if failed := list(outcomes.failed.values()):
        complain(f"{len(failed)} failed, the first with: {failed[0]}\n{go_on} with these.")
    return 1 if failed else 0


def _new(sources: Sources, arguments: argparse.Namespace, chat: ChatModel) -> New:
    if arguments.dataset is None or not arguments.strategy:
        raise InputError("`evaluate` needs --dataset FOLDER and --strategy KEY ..., or --continue ID.")
    folder = Path(arguments.dataset)
    dataset = read_folder(folder) if folder.is_dir() else find_data_set(sources, arguments.dataset)
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
        settings, why = with_defaults(sources, dataset, settings, chat)
        for sentence in why:
            print(printable(sentence), file=sys.stderr)
    if arguments.chunk_tokens is not None or arguments.overlap_tokens is not None:
        sizes = {"chunk_tokens": arguments.chunk_tokens, "overlap_tokens": arguments.overlap_tokens}
        settings = tuple(setting.model_copy(update=sizes) for setting in settings)
    if not arguments.sweep:
        return New(dataset, settings, seed, arguments.retrieval_only, arguments.baseline)
    if len(settings) != 1:
        raise InputError(
            "--sweep takes one strategy and one retriever. Sweep the retriever with `retriever=...`."
        )
    if arguments.baseline:
        raise InputError("The values of a sweep are compared with the default. Leave out --baseline.")
    sweep = _sweep_of(sources, settings[0], arguments.sweep)
    return new_sweep(dataset, settings[0], sweep, seed=seed, retrieval_only=arguments.retrieval_only)


def _sweep_of(sources: Sources, base: Setting, words: str) -> Sweep:
    """The sweep that `NAME=VALUE,VALUE,...` asks for."""
    name, equals, values = words.partition("=")
    if not equals or not values.strip(" ,"):
        raise InputError(f"--sweep takes NAME=VALUE,VALUE,..., but got '{words}'.")
    texts = [value for value in values.split(",") if value.strip()]
    return sweep_of(base, name.strip(), texts, sources.backends.embedder.max_tokens)


def _results(
    sources: Sources, evaluation: Evaluation, outcomes: Outcomes, arguments: argparse.Namespace
) -> tuple[Evaluation, Outcomes]:
    """An evaluation as it is read: every value of the sweep that is asked for, or that it was begun as."""
    if not (arguments.sweep or evaluation.spec.sweep):
        return evaluation, outcomes
    base = swept_setting(evaluation, next(iter(arguments.strategy), ""))
    sweep = _sweep_of(sources, base, arguments.sweep) if arguments.sweep else evaluation.spec.sweep
    return read_sweep(sources, evaluation, outcomes, base, sweep) if sweep else (evaluation, outcomes)


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


def _say_forecast(sources: Sources, what: New, chat: ChatModel) -> None:
    expected = forecast(
        sources,
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
        work = coverage_of(
            sources, lambda: what.dataset, what.settings, retrieval_only=what.retrieval_only, chat=chat
        )
        cover = run_blocking(work)
        sentence = coverage_sentence(cover, expected.calls, chat)
        print(printable(f"{text}, as recorded. {sentence} Ctrl-C pauses."), file=sys.stderr)
        return
    if expected.tokens_in is not None and expected.tokens_out is not None:
        text += f", {expected.tokens_in:,} + {expected.tokens_out:,} tokens"
    if expected.seconds is not None:
        text += f", {time_span(expected.seconds, expected.seconds)}"
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


_SHOWN = (BEYOND, PASSAGES, "R@10", "nDCG@10", "F1", "accuracy", "hallucination", "abstained")
"""Metrics that are printed; all of them are in the JSON."""


def print_results(results: Results, baseline: str = "") -> None:
    """The rows of the page's table, metric by metric; then the totals, and the remarks of the page.

    Args:
        baseline: Label of a setting; empty: the evaluation's own.

    Raises:
        InputError: The baseline is not among the settings.
    """
    spec, baseline = results.evaluation.spec, baseline or results.evaluation.spec.baseline
    answers = "retrieval only" if spec.retrieval_only else f"answers by {spec.model}"
    answers += f", recorded: {spec.playing.name}" if spec.playing else ""
    seed = "" if spec.seed is None else f", seed {spec.seed}"
    questions = counted(len(results.evaluation.questions), "question")
    looks = f" and for {spec.looks} looks at these questions" if spec.looks > 1 else ""
    print(printable(f"{spec.dataset}: {questions}{seed}, {answers}"))
    print(
        f"Against {printable(baseline)}, with 95 % intervals, corrected for the number of comparisons{looks}:\n"
    )
    there = present(results.scores)
    keys = [key for key in _SHOWN if key in there]
    in_order = spec.sweep is not None
    table = evaluation_table(results.scores, baseline, keys, results.best, spec.looks, in_order=in_order)
    for place, metric in enumerate(table.metrics if keys else ()):
        rows = [
            (f"{cell.difference} {cell.interval}", cell.verdict, cell.mean, row.strategy)
            if cell.verdict
            else ("", "baseline" if row.baseline else "bound", f"{cell.mean} {cell.interval}", row.strategy)
            for row in table.rows
            if (cell := row.cells[place])
        ]
        print_table(("DIFFERENCE", "VERDICT", metric.title, "STRATEGY"), rows)
        print()
    totals = []
    for place, setting in enumerate(spec.settings):
        spent = costs([result for (at, _), result in results.outcomes.done.items() if at == place])
        tokens = spent["tokens"]["input"] + spent["tokens"]["output"]
        counted_tokens = tokens if spent["tokens"]["known"] else "not told"
        seconds = f"{spent['seconds']:.1f}{' (pace)' if spent['played'] else ''}"
        totals.append((spent["calls"], counted_tokens, seconds, setting.label))
    print_table(("CALLS", "TOKENS", "SECONDS", "STRATEGY"), totals)
    for text in remarks(results, baseline).values():
        print(f"\n{printable(text)}")
    print(f"\nEvaluation {results.evaluation.id}")


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


def save(path: Path, results: Results, prices: Prices, baseline: str = "") -> None:
    """Write a file, in the form that its ending says; one that is there is replaced.

    Raises:
        InputError: It cannot be written, or the baseline is not among the settings.
    """
    # Only here: templates and charts take a while to load.
    from core.charts.evaluation_csv import questions_csv, summary_csv
    from core.report import evaluation_report

    if path.suffix.lower() == ".html":
        text = evaluation_report(results.evaluation, results.outcomes, prices, baseline)
    elif path.name.lower().endswith("summary.csv"):
        text = summary_csv(results, baseline)
    else:
        text = questions_csv(results)
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(f"“{path}” cannot be written: {error.strerror}. The results are stored.") from error
