"""Arguments, errors and exit status of the command line."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from typing import NoReturn

from core.cli import ask, corpora, graph, runs, strategies
from core.errors import LoupeError


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are an error like any other: status 1, one or two lines."""

    def error(self, message: str) -> NoReturn:
        self.exit(1, f"{self.prog}: {message}\nTry '{self.prog} --help'.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it went well, else 1 with a sentence on standard error."""
    logging.basicConfig(level=logging.CRITICAL)
    parser = _Parser(prog="python -m core", description="RAG Loupe without a browser.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    for command in (strategies, corpora, ask, graph, runs):
        command.add(commands)
    arguments = parser.parse_args(argv)
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
