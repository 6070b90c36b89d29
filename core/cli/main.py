"""Arguments, errors and exit status of the command line."""

from __future__ import annotations

import argparse
import gc
import importlib
import logging
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from core.cli.output import complain
from core.errors import LoupeError
from core.logs import HomeLog, logged

COMMANDS = {
    "strategies": "strategies",
    "corpora": "corpora",
    "index": "corpora",
    "ask": "ask",
    "evaluate": "evaluate",
    "graph": "graph",
    "runs": "runs",
    "recordings": "recordings",
    "models": "models",
    "erase": "erase",
    "site": "site",
}
"""Command -> module of this package that declares it; only the one that is needed is imported."""
DEBUG = "--debug"
log = logging.getLogger(__name__)


class _Parser(argparse.ArgumentParser):
    """Wrong arguments are an error like any other: status 1, one or two lines. Every command takes `--debug`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.add_argument(
            "--debug",
            action="store_true",
            default=argparse.SUPPRESS,  # else a command would unset what stands before it
            help="print the traceback of an error, too",
        )

    def error(self, message: str) -> NoReturn:
        self.exit(1, f"{self.prog}: {message}\nTry '{self.prog} --help'.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; 0 when it went well, else 1 with a sentence on standard error."""
    words = list(sys.argv[1:] if argv is None else argv)
    debug = DEBUG in words
    with logged(shown=debug) as home:
        try:
            arguments = parse(words)
            gc.enable()
            return int(arguments.run(arguments) or 0)
        except LoupeError as error:
            message = str(error)
            if debug:
                _print_traceback(error)
        except KeyboardInterrupt:
            message = "stopped."
        except BrokenPipeError:  # the reader of our output, such as `head`, has gone
            sys.stderr.close()
            return 1
        except Exception as error:
            log.exception("A command failed")  # with --debug, standard error gets this, too
            message = (
                f"something unexpected went wrong inside the app ({type(error).__name__}). {_where(home)}"
            )
    complain(message)
    return 1


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of a command line, whose `run` does the work.

    Raises:
        SystemExit: They are wrong, with status 1 and a sentence on standard error, or ask for help.
    """
    parser = _Parser(prog="python -m core", description="RAG Loupe without a browser.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    first = next((word for word in words if word != DEBUG), "")
    wanted = COMMANDS.get(first)
    for module in (wanted,) if wanted else dict.fromkeys(COMMANDS.values()):
        importlib.import_module(f"core.cli.{module}").add(commands)
    return parser.parse_args(words)


def _where(home: HomeLog) -> str:
    """Where the traceback of an unexpected error is."""
    if home.file:
        return f"The log says more: {home.file}"
    return f"The log in the home folder could not be written; {DEBUG} shows more."


def _print_traceback(error: LoupeError) -> None:
    """The traceback of an expected error and of its cause."""
    import traceback

    from core.logs import redact

    print(redact("".join(traceback.format_exception(error))), end="", file=sys.stderr)
