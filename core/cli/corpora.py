"""`python -m core corpora` and `python -m core index`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from core.cli.output import complain, follow, print_json, print_table, printable
from core.cli.readying import FIRST_USE, first_use_note
from core.corpora.splitting import chunk_size
from core.runs.workbench import get_workbench


def add(commands: Any) -> None:
    """Declare the commands."""
    listing = commands.add_parser("corpora", help="list the corpora")
    listing.add_argument("--json", action="store_true", help="print one JSON object")
    listing.set_defaults(run=run_list)
    index = commands.add_parser("index", help="index files and folders into a corpus")
    index.add_argument("paths", metavar="PATH", nargs="+", type=Path)
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
    index.add_argument("--json", action="store_true", help="print one JSON object")
    index.set_defaults(run=run_index)


def run_list(arguments: argparse.Namespace) -> None:
    """List the corpora."""
    offered = get_workbench().corpora.offered()
    found = [corpus for corpus in offered.values() if corpus is not None]
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
                        "questions": len(corpus.questions),
                        "embeddings": corpus.embedder_name,
                    }
                    for corpus in found
                ],
                "at_first_use": later,
            }
        )
        return
    rows: list[tuple[object, ...]] = [(corpus.documents, corpus.chunks, corpus.name) for corpus in found]
    rows += [("-", FIRST_USE, name) for name in later]
    print_table(("DOCUMENTS", "CHUNKS", "NAME"), rows)
    first_use_note(later)


def run_index(arguments: argparse.Namespace) -> int:
    """Index documents; what was refused is listed with its reason and makes the exit status 1 if nothing is left."""
    job = get_workbench().corpora.index(
        arguments.paths, arguments.corpus, arguments.chunk_tokens, arguments.overlap_tokens
    )
    report = follow(job, lambda: job.message)
    if arguments.json:
        print_json(report.model_dump())
    else:
        print(
            f"{printable(report.corpus)}: {report.documents} documents ({report.chunks} chunks) indexed, "
            f"{report.unchanged} unchanged, {len(report.skipped)} skipped, {report.seconds:.1f} s"
        )
    for item in report.skipped:
        complain(f"skipped {item.reason}")
    return 1 if report.skipped and not report.documents and not report.unchanged else 0
