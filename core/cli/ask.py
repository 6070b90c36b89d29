"""`python -m core ask`."""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.cli.output import (
    POLL_SECONDS,
    complain,
    end_progress,
    follow,
    make_ready,
    print_json,
    printable,
    progress,
)
from core.cli.playing import add_playing, chat_going_on, chat_of, unkept_sentence
from core.corpora.demo import DEMO_CORPUS
from core.corpora.filtering import where_text
from core.errors import InputError
from core.jobs import run_blocking
from core.retrieval.caches import work_under_way
from core.retrieval.defaults import FALLBACK, Default
from core.retrieval.kinds import BUILTIN, RETRIEVERS
from core.runs.record import Record, record
from core.runs.request import COMMAND_LINE, RunRequest
from core.runs.run_job import RunJob
from core.runs.run_notes import cut_off
from core.runs.sources.sources import Sources
from core.runs.summary import summary
from core.runs.workbench import get_workbench
from core.strategies import get_strategy, node_titles
from core.trace.artefacts import Candidates, GraphPath, Plan, Queries, Ranking, Walk
from core.trace.events import EACH_STEP, Retried, RunStarted, StepStarted, dump
from core.wording import counted

SAID_SECONDS = 10.0
"""Shorter runs begin without a word on their time."""


def add(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser("ask", help="ask a question through a strategy")
    parser.add_argument("question", metavar="QUESTION", nargs="?")
    parser.add_argument("--strategy", metavar="KEY", help="see `strategies`")
    parser.add_argument(
        "--corpus",
        metavar="NAME",
        help=f"what to search (default: {DEMO_CORPUS}; with --graph: nothing but the graph)",
    )
    parser.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="CONDITION",
        help="search only documents like this, e.g. type=PDF, 'folder=minutes|letters', title~ferry, 'date>=1994'; "
        "may be repeated: all have to hold",
    )
    parser.add_argument("--graph", metavar="NAME", help="what to explore, for a strategy that walks a graph")
    parser.add_argument(
        "--retriever",
        choices=RETRIEVERS,
        metavar=f"{{{','.join(BUILTIN)}}}",
        help="default: what finds most in the language of the documents; some strategies search in one way only",
    )
    parser.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="a parameter; may be repeated"
    )
    parser.add_argument(
        "--method",
        action="append",
        default=[],
        metavar="SKILL=METHOD",
        help="how a skill is done; may be repeated",
    )
    add_playing(parser)
    parser.add_argument(
        "--from", dest="parent", metavar="RUN", help="run on from a stored run, with --step and --set"
    )
    parser.add_argument(
        "--step", metavar="ID", help="step whose artefact is replaced; see `runs show RUN --json`"
    )
    parser.add_argument("--set", dest="edited", metavar="FILE", help="the edited artefact, as JSON")
    parser.add_argument(
        "--stop-before",
        metavar="NODE",
        default="",
        help=f"stop there until --go-on; '{EACH_STEP}': before each step",
    )
    parser.add_argument(
        "--go-on",
        metavar="RUN",
        help="go on with a run that waits, to its next stop; or that was stopped or cut off",
    )
    parser.add_argument("--to-end", action="store_true", help="with --go-on: stop no more")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--events", metavar="FILE", help="write the run's events as JSON Lines")
    parser.set_defaults(run=run)


def pairs(words: list[str], option: str) -> dict[str, str]:
    """`name=value` words as a mapping. Raises `InputError` if a word has no `=`."""
    for word in words:
        if "=" not in word:
            raise InputError(f"{option} takes NAME=VALUE, but got '{word}'.")
    return {name.strip(): value.strip() for name, _, value in (word.partition("=") for word in words)}


def run(arguments: argparse.Namespace) -> int:
    """Ask, show what happens, print the answer."""
    events_file = _writable(arguments.events) if arguments.events else None
    begin = _fork if arguments.parent else _go_on if arguments.go_on else _start
    job = begin(arguments)
    try:
        _follow(job)
    except KeyboardInterrupt:
        end_progress()
        job.stop()
    job.result()
    if events_file:
        events_file.write_text("".join(dump(event) + "\n" for event in job.events), encoding="utf-8")
    result = record(job.events)
    if arguments.json:
        print_json(summary(result))
    else:
        print_run(result)
    if arguments.record and (lost := unkept_sentence(job.events)):
        complain(lost)
    if result.state in ("finished", "paused"):
        return 0
    complain(result.error)
    return 1


def _start(arguments: argparse.Namespace) -> RunJob:
    workbench = get_workbench()
    if arguments.question is None or arguments.strategy is None:
        raise InputError(
            "`ask` needs a QUESTION and --strategy KEY, or --from RUN with --step and --set, or --go-on RUN."
        )
    if arguments.step or arguments.edited:
        raise InputError("--step and --set need --from RUN. A parameter is set by --param NAME=VALUE.")
    if arguments.to_end:
        raise InputError("--to-end needs --go-on RUN.")
    strategy = get_strategy(arguments.strategy)
    graph = (arguments.graph or "").strip()
    corpus = arguments.corpus or (None if strategy.either and graph else DEMO_CORPUS)
    request = RunRequest(
        question=arguments.question,
        strategy=strategy.key,
        params=pairs(arguments.param, "--param"),
        methods=pairs(arguments.method, "--method"),
        corpus=corpus if strategy.retrieves else None,
        retriever=arguments.retriever or FALLBACK,
        where=tuple(arguments.where),
        graph=graph if strategy.explores else None,
        chat=chat_of(arguments, workbench),
        owner=COMMAND_LINE,
        teacher=True,
        stop_before=arguments.stop_before,
    )
    workbench.launcher.check(request)
    if request.corpus:
        make_ready(workbench.corpora, request.corpus)
        if strategy.choosable and not arguments.retriever:
            usual = _usual_retriever(workbench, request)
            request = replace(request, retriever=usual.retriever)
            if usual.why and not arguments.json:
                print(printable(usual.why))
    if request.graph:
        preparing = workbench.graphs.prepare(request.graph)
        follow(preparing, lambda: preparing.message)
    if not arguments.json:
        _say_time(workbench, request)
    return workbench.launcher.start(request)


def _say_time(sources: Sources, request: RunRequest) -> None:
    """Say, on standard error, how long it may take, where that is known of a model of this machine and worth a word."""
    from core.runs.forecast import call_seconds, run_forecast, similar_tokens, time_sentence

    chat, settings = request.chat, sources.settings
    builtin, model = chat.is_builtin(settings), chat.name(settings)
    past = similar_tokens(sources.store, [COMMAND_LINE], request.strategy, model, builtin=builtin)
    seconds = call_seconds(sources.backends, chat, past)
    if seconds is None:
        return
    forecast = run_forecast(sources.backends, request, seconds)
    if forecast.calls_expected and forecast.seconds_most >= SAID_SECONDS:
        calls = counted(forecast.calls_expected, "model call")
        most = f" (at most {forecast.calls_most})" if forecast.calls_most > forecast.calls_expected else ""
        print(
            f"About {calls}{most}: {time_sentence(forecast, seconds.speed)}. Ctrl-C stops.", file=sys.stderr
        )


def _usual_retriever(sources: Sources, request: RunRequest) -> Default:
    """The default for a question about a corpus that is there; languages that are not known are found out now. Blocks.

    Raises:
        InputError: There is no such corpus.
        ServiceError, StoreError: Chroma or the database fails.
    """
    # A run that goes on needs none of them.
    from core.retrieval.corpus import SearchableCorpus, mark_of
    from core.runs.recordings import recorded_default

    corpus = sources.corpora.catalogue.corpus(request.corpus or "")
    if play := request.chat.play:
        runs = sources.recordings.store.runs(play.recording.id)
        mark = mark_of(SearchableCorpus(corpus, sources.corpora.catalogue, ""))
        if default := recorded_default(play.recording.name, runs, request.strategy, mark=mark):
            return default
    return run_blocking(sources.corpora.defaults.find(corpus))


def _fork(arguments: argparse.Namespace) -> RunJob:
    """Run on from a stored run with an edited artefact."""
    _as_it_was(arguments, "--from", "--go-on", "--to-end")
    if not arguments.step or not arguments.edited:
        raise InputError("--from needs --step ID and --set FILE.")
    from core.cards.kind import read_artefact

    try:
        text = Path(arguments.edited).read_bytes()
    except OSError as error:
        raise InputError(f"'{arguments.edited}' cannot be read: {error.strerror}.") from None
    bench = get_workbench()
    chat = chat_of(arguments, bench)
    edited = read_artefact(text)
    return bench.launcher.fork(arguments.parent, arguments.step, edited, COMMAND_LINE, chat, teacher=True)


def _go_on(arguments: argparse.Namespace) -> RunJob:
    """Go on with a stored run."""
    _as_it_was(arguments, "--go-on", "--step", "--set")
    bench = get_workbench()
    stops = "" if arguments.to_end else None
    chat = chat_going_on(arguments, bench, record(bench.store.events(arguments.go_on)))
    return bench.launcher.resume(arguments.go_on, COMMAND_LINE, chat, stop_before=stops, teacher=True)


def _as_it_was(arguments: argparse.Namespace, option: str, *others: str) -> None:
    """Refuse options that say anew how a stored run is asked."""
    if arguments.question is not None or arguments.strategy is not None:
        raise InputError(
            f"With {option}, the question and the strategy are those of the run. Leave both out."
        )
    options = ("--corpus", "--where", "--graph", "--param", "--method", "--capable", "--stop-before", *others)
    names = {"--set": "edited"}
    if named := [name for name in options if getattr(arguments, names.get(name, name[2:].replace("-", "_")))]:
        raise InputError(
            f"With {option}, everything else is as it was in the run. Leave out {', '.join(named)}."
        )


def print_run(run: Record) -> None:
    """A run as text: what it did, queries, evidence, answer, cost."""
    from core.cards.models import answerers, methods_chosen
    from core.cards.recorded import news, origin
    from core.cards.status import gist, stopped_before

    started = run.started
    if started is None:
        return
    print(printable(f"{started.strategy}: {started.question}"))
    if did := gist(run):
        print(printable(did))
    if started.graph:
        print(printable(f"Graph: {started.graph} · Documents: {started.corpus or 'none'}"))
    if started.where:
        print(printable(f"Only documents where {where_text(started.where)}"))
    _print_evidence(run)
    _print_answer(run)
    if cut := cut_off(run):
        print(f"\nNote: {printable(cut)}")
    totals = run.totals
    tokens = (
        f"{totals.tokens_in} + {counted(totals.tokens_out, 'token')}"
        if totals.tokens_known
        else "tokens not reported"
    )
    played = f" ({totals.played} played)" if totals.played else ""
    model = answerers(run) or ("no reply" if totals.calls else "no model asked")
    print(
        f"\n{run.state}: {counted(totals.calls, 'model call')}{played} "
        f"in {counted(totals.rounds, 'round')}, {tokens}, {totals.seconds:.2f} s"
        f" · {printable(model)} · run {started.run}"
    )
    for method in methods_chosen(run):
        print(f"  {method.skill}: {method.method}")
    if run.state == "paused":
        print(printable(f"\n{stopped_before(run, node_titles(started))}. {_does(run)}".rstrip()))
        print(f"Go on: python -m core ask --go-on {started.run}   (with --to-end: without further stops)")
    if sentence := origin(run):
        print(printable(sentence))
    for step, reason in news(run):
        did = "Nobody did it." if step.state == "failed" else "The built-in model did it."
        print(printable(f"  New: {reason} {did}"))


def _print_evidence(run: Record) -> None:
    for queries in run.find(Queries):
        print("\nSearched with")
        for query in queries.queries:
            print(printable(f"  - {query.text}"))
        for dropped in queries.dropped:
            print(printable(f"  x {dropped.text}   ({dropped.reason})"))
    print_exploration(run)
    if run.context:
        print("\nPassages")
        for item in run.context.passages:
            mark = f"[{item.rank}]" if item.given else f"({item.rank})"
            page = f", page {item.passage.page}" if item.passage.page else ""
            score = f" {item.score:.4f}" if item.score else ""
            print(printable(f"  {mark:>4}{score}  {item.passage.title}{page}"))
        noted = (*run.find(Ranking), *run.find(Walk), run.context)
        for note in dict.fromkeys(artefact.note for artefact in noted if artefact.note):
            print(f"  Note: {printable(note)}")


def _print_answer(run: Record) -> None:
    from core.cards.texts import doubt

    answer = run.answer
    print(f"\nAnswer\n  {printable(answer.text if answer else run.draft or '(none)')}")
    if sentence := doubt(answer):
        print(f"  {sentence.capitalize()}.")
    if answer:
        passages = run.context.passages if run.context else ()
        titles = {item.passage.chunk: f"[{item.rank}] {item.passage.title}" for item in passages}
        for citation in answer.citations:
            quote = " ".join(citation.quote.split())
            print(printable(f"  {titles.get(citation.chunk, citation.chunk)}: “{quote}”"))
        if answer.note:
            print(f"  Note: {printable(answer.note)}")


def _does(run: Record) -> str:
    """The tasks of the next steps."""
    strategy = get_strategy(run.started.strategy) if run.started else None
    tasks = strategy.diagram(run.started.params).does if strategy and run.started else {}
    return " ".join(dict.fromkeys(tasks[node] for node in run.next if node in tasks))


def print_exploration(run: Record) -> None:
    """The path through a graph: plans, what was chosen, triples and verdicts."""
    for _, artefact in run.artefacts:
        if isinstance(artefact, Plan):
            print(f"\nPlan {artefact.attempt}")
            for number, step in enumerate(artefact.steps, 1):
                print(printable(f"  {number}. {step.explore}: {step.text}"))
        elif isinstance(artefact, Candidates):
            offered = len(artefact.candidates) + artefact.left_out
            print(f"\nStep {artefact.index + 1}: {artefact.explore}, {offered} candidates")
            for item in artefact.candidates:
                if item.chosen:
                    print(printable(f"  > {item.similarity:.3f}  {item.label}  ({item.detail})"))
        elif isinstance(artefact, GraphPath):
            print(printable(f"  {artefact.verdict}: {artefact.reason}"))


def _follow(job: RunJob) -> None:
    """Show each step on standard error until the run has ended."""
    shown, corpus = 0, None
    while not job.done:
        for event in job.events[shown:]:
            shown += 1
            if isinstance(event, RunStarted):
                corpus = event.corpus
            elif isinstance(event, StepStarted):
                progress(f"{event.node} {event.label}")
            elif isinstance(event, Retried):
                progress(f"waiting {event.wait:.1f} s: {event.reason}")
        if waits := work_under_way(corpus):
            progress(waits)
        time.sleep(POLL_SECONDS)
    end_progress()


def _writable(name: str) -> Path:
    """A path that can be written, found out before a run is paid for."""
    path = Path(name)
    try:
        path.touch()
    except OSError as error:
        raise InputError(f"The events cannot be written to {name}: {error.strerror}.") from None
    return path
