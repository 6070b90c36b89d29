"""Compares the time that a run was forecast to take with the time that runs took, on this machine.

    python -m research.forecasts

The runs are the finished ones of the command line in the app's home, by the model that is configured, such as a file in
BUILTIN_MODEL_FILE. For each strategy: the forecast for a first run, from the speed of the model and the tokens of the
calls in the app's recording; the same from the tokens of all its runs but the newest; and the seconds that its runs
took, and the newest. Parameters are the defaults. A forecast counts the model's time alone; a run also searches.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from statistics import median

from core.corpora.demo import DEMOS, demo_questions
from core.models.chat_models import CONFIGURED
from core.models.timing import Speed
from core.runs.forecast import CallSeconds, PastTokens, call_seconds, medians, run_forecast
from core.runs.gallery import demo_request
from core.runs.request import COMMAND_LINE
from core.runs.store import TokenUse
from core.runs.workbench import Workbench, get_workbench
from core.strategies import strategies
from research.skills.report import table

RUNS = 100
"""How many runs of a strategy are looked at."""
HEAD = (
    "strategy",
    "runs",
    "seconds: median (least to most)",
    "forecast first",
    "newest",
    "forecast from earlier",
)


def main() -> int:
    """Print the table."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    bench = get_workbench()
    try:
        seconds = call_seconds(bench.backends, CONFIGURED, PastTokens(0))
        if seconds is None:
            print("The speed of this model was never measured.", file=sys.stderr)
            return 1
        speed, model = seconds.speed, CONFIGURED.name(bench.settings)
        print(f"{model}: {speed.reading:.0f} tokens a second read, {speed.writing:.1f} written.\n")
        rows = []
        for strategy in strategies():
            uses = bench.store.token_uses(strategy, [COMMAND_LINE], RUNS)
            if mine := [use for use in uses if use.model == model]:
                rows.append(row(bench, speed, strategy, mine))
    finally:
        bench.graphs.graphs.close()
        bench.backends.supervisor.release()
    print(table(HEAD, rows))
    return 0


def row(bench: Workbench, speed: Speed, strategy: str, uses: Sequence[TokenUse]) -> list[str]:
    """The cells of a strategy, whose runs are given with the newest first."""
    taken = [use.seconds for use in uses]
    cells = [
        strategy,
        str(len(uses)),
        f"{median(taken):.0f} ({min(taken):.0f} to {max(taken):.0f})",
        expected(bench, strategy, CallSeconds(speed, PastTokens(0))),
    ]
    if len(uses) == 1:
        return [*cells, "", ""]
    earlier = CallSeconds(speed, medians(uses[1:]))
    return [*cells, f"{taken[0]:.0f}", expected(bench, strategy, earlier)]


def expected(bench: Workbench, strategy: str, seconds: CallSeconds) -> str:
    """The forecast seconds of a run, as a rule and at most."""
    question = demo_questions(DEMOS[0])[0].text
    request = demo_request(question, strategy, owner=COMMAND_LINE)
    found = run_forecast(bench.backends, request, seconds)
    return f"{found.seconds:.0f} to {found.seconds_most:.0f}"


if __name__ == "__main__":
    sys.exit(main())
