"""`python -m core corpora` and `python -m core index`."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.cli.output import (
    FIRST_USE,
    complain,
    first_use_note,
    follow,
    make_ready,
    print_json,
    print_table,
    printable,
)
from core.corpora.entries import chunk_size
from core.errors import InputError
from core.runs.sources.context_forecast import ALL, SAMPLED, context_forecast, forecast_sentence
from core.runs.sources.context_writing import ContextOptions
from core.runs.workbench import get_workbench
from core.wording import counted

if TYPE_CHECKING:
    from core.runs.sources.corpora import CorpusService

STOP_SECONDS = 15.0
"""How long an interrupted import may take to put down what it has."""


def add(commands: Any) -> None:
    """Declare the commands."""
    listing = commands.add_parser("corpora", help="list the corpora")
    listing.add_argument("--json", action="store_true", help="print one JSON object")
    listing.set_defaults(run=run_list)
    index = commands.add_parser("index", help="index files and folders into a corpus")
    index.add_argument("paths", metavar="PATH", nargs="*", type=Path)
    index.add_argument(
        "--again",
        metavar="CORPUS",
        help="in place of files: the documents of this corpus, cut as there unless said",
    )
    index.add_argument("--corpus", metavar="NAME", required=True, help="made if there is none of that name")
    index.add_argument(
        "--chunk-tokens",
        type=chunk_size,
        metavar="N|sentences",
        help="size of the chunks of a new corpus, or one sentence each",
    )
    index.add_argument(
        "--overlap-tokens", type=int, metavar="N", help="overlap of the chunks of a new corpus"
    )
    index.add_argument(
        "--contextual",
        action="store_true",
        help="have the chat endpoint write a context for each chunk of a new corpus; again after a stop: it goes on",
    )
    index.add_argument(
        "--context-prompt", metavar="FILE", type=Path, help="a prompt in the place of the one for contexts"
    )
    index.add_argument(
        "--forecast", action="store_true", help="with --contextual: only say what the contexts will take"
    )
    index.add_argument("--json", action="store_true", help="print one JSON object")
    index.set_defaults(run=run_index)


def run_list(arguments: argparse.Namespace) -> None:
    """List the corpora."""
    offered = get_workbench().corpora.offered()
    corpora = [corpus for corpus in offered.values() if corpus is not None]
    later = [name for name, corpus in offered.items() if corpus is None]
    if arguments.json:
        print_json(
            {
                "corpora": [
                    {
                        "name": corpus.name,
                        "documents": corpus.documents,
                        "chunks": corpus.chunks,
                        "chunk_tokens": corpus.chunk_tokens or "sentences",
                        "overlap_tokens": corpus.overlap_tokens,
                        "contexts": asdict(corpus.contextual) if corpus.contextual else None,
                        "questions": len(corpus.questions),
                        "outdated": corpus.outdated,
                        "embeddings": corpus.embedder_name,
                    }
                    for corpus in corpora
                ],
                "at_first_use": later,
            }
        )
        return
    rows: list[tuple[object, ...]] = [(corpus.documents, corpus.chunks, corpus.name) for corpus in corpora]
    rows += [("-", FIRST_USE, name) for name in later]
    print_table(("DOCUMENTS", "CHUNKS", "NAME"), rows)
    for corpus in corpora:
        if corpus.outdated:
            few = counted(corpus.outdated, "document")
            complain(f"“{printable(corpus.name)}”: {few} read by an earlier version: index the files again.")
    first_use_note(later)


def run_index(arguments: argparse.Namespace) -> int:
    """Index documents; what was refused is listed with its reason and makes the exit status 1 if nothing is left."""
    corpora, contexts = get_workbench().corpora, _contexts(arguments)
    if arguments.again:
        make_ready(corpora, arguments.again)
    sizes = _sizes(corpora, arguments)
    if arguments.forecast:
        _tell(corpora, arguments, sizes)
        return 0
    if arguments.again:
        job = corpora.reindex(arguments.again, arguments.corpus, *sizes, contexts=contexts)
    else:
        job = corpora.index(arguments.paths, arguments.corpus, *sizes, contexts=contexts)
    report = follow(job, lambda: job.message, STOP_SECONDS)
    if arguments.json:
        print_json(report.model_dump())
    else:
        print(
            f"{printable(report.corpus)}: {counted(report.documents, 'document')} "
            f"({counted(report.chunks, 'chunk')}) indexed, "
            f"{report.unchanged} unchanged, {len(report.skipped)} skipped, {report.seconds:.1f} s"
        )
        if report.contexts:
            print(printable(report.contexts.sentences))
    for item in report.skipped:
        complain(f"skipped {item.reason}")
    return 1 if report.skipped and not report.documents and not report.unchanged else 0


def _contexts(arguments: argparse.Namespace) -> ContextOptions | None:
    """How contexts are written; None: none are.

    Raises:
        InputError: Arguments do not go together, or a file cannot be read.
    """
    if bool(arguments.again) == bool(arguments.paths):
        raise InputError("Name files and folders to index, or with --again the corpus to index again.")
    if not arguments.contextual:
        if arguments.forecast or arguments.context_prompt:
            raise InputError("--forecast and --context-prompt are about contexts. Add --contextual.")
        return None
    if arguments.context_prompt is None:
        return ContextOptions()
    try:
        return ContextOptions(prompt=arguments.context_prompt.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        raise InputError(f"“{arguments.context_prompt.name}” cannot be read as text in UTF-8.") from None


def _sizes(corpora: CorpusService, arguments: argparse.Namespace) -> tuple[int | None, int | None]:
    sizes = arguments.chunk_tokens, arguments.overlap_tokens
    if not arguments.again or sizes != (None, None):
        return sizes
    old = corpora.catalogue.corpus(arguments.again)
    return old.chunk_tokens, old.overlap_tokens


def _tell(
    corpora: CorpusService, arguments: argparse.Namespace, sizes: tuple[int | None, int | None]
) -> None:
    most = ALL if arguments.paths else SAMPLED
    forecast = context_forecast(corpora, arguments.again or arguments.paths, *sizes, most=most)
    if arguments.json:
        print_json(asdict(forecast))
    else:
        print(forecast_sentence(forecast))
