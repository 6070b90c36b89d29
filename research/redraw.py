"""How long a run under way takes to be drawn, beside how many events it has.

    python -m research.redraw [--ticks 40]

The Playground's own drawing of runs of 50, 150 and 450 events, with Streamlit's elements, in a script of its own;
without sending them and without the browser. Milliseconds, the median, the least and the most.
"""

from __future__ import annotations

import argparse
import statistics

from streamlit.testing.v1 import AppTest

from research.compare import LENGTHS, STRATEGIES, TARGET_MS, spread


def drawn(strategy: str, length: int) -> None:
    """A page that draws a run and keeps how long that took."""
    import time

    import streamlit as st

    from core.runs.record import record
    from core.ui.run.whole_run import draw_run
    from research.compare import example

    events = example(strategy, length)
    start = time.perf_counter()
    draw_run(record(events))
    st.session_state["taken"] = 1000 * (time.perf_counter() - start)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ticks", type=int, default=40)
    arguments = parser.parse_args()
    worst = 0.0
    for strategy in STRATEGIES:
        for length in LENGTHS:
            page = AppTest.from_function(drawn, args=(strategy, length), default_timeout=600)
            taken: list[float] = []
            for _ in range(arguments.ticks + 1):
                page.run()
                assert not page.exception, page.exception
                taken.append(page.session_state["taken"])
            median = statistics.median(taken[1:])
            worst = max(worst, median if length == 150 else 0.0)
            print(f"{f'{strategy}, {length} events':<42}{spread(taken[1:], ' ms', 1)}")
    met = "met" if worst <= TARGET_MS else "missed"
    print(f"target at 150 events at most {TARGET_MS:.0f} ms: {met}")


if __name__ == "__main__":
    main()
