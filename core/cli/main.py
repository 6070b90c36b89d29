"""Arguments, errors and exit status of the command line."""

from __future__ import annotations

import argparse
import gc
import importlib
import logging
import sys
from collections.abc import Sequence
from typing import NoReturn

from core.errors import LoupeError

COMMANDS = {
    "strategies": "strategies",
    "corpora": "corpora",
    "index": "corpora",
    "ask": "ask",
    "evaluate": "evaluate",
    "graph": "graph",
    "runs": "runs",
}
"""Command -> module of this package that declares it; only the one that is needed is imported."""


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are an error like any other: status 1, one or two lines."""

    def error(self, message: str) -> NoReturn:
        self.exit(1, f"{self.prog}: {message}\nTry '{self.prog} --help'.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it went well, else 1 with a sentence on standard error."""
    logging.basicConfig(level=logging.CRITICAL)
    parser = _Parser(prog="python -m core", description="RAG Loupe without a browser.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    words = sys.argv[1:] if argv is None else argv
    wanted = COMMANDS.get(words[0]) if words else None
    for module in (wanted,) if wanted else dict.fromkeys(COMMANDS.values()):
        importlib.import_module(f"core.cli.{module}").add(commands)
    arguments = parser.parse_args(words)
    gc.enable()
    try:
        return int(arguments.run(arguments) or 0)
    except LoupeError as error:
        print(f"python -m core: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("python -m core: stopped.", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output, such as `head`, has gone
        sys.stderr.close()
        return 1
    except Exception as error:
        kind = type(error).__name__
        print(f"python -m core: something unexpected went wrong inside the app ({kind}).", file=sys.stderr)
        return 1
