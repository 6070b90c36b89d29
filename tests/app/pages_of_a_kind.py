"""What the app in the working directory shows of the kind in docs/add-a-kind.md; prints one JSON object.

For a process of its own, since kinds are found where the app's package lies.
"""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from core.cards.replay import narration, takes
from core.report import run_report
from core.runs.record import record
from core.trace import artefacts
from core.trace.events import dump
from tests import examples


def draw(lines: list[str]) -> None:
    """The run on the page."""
    from core.runs.record import record
    from core.trace.events import load
    from core.ui.run.whole_run import draw_run

    draw_run(record(map(load, lines)))


def main() -> None:
    """Draw a run with one artefact of the kind."""
    estimate = vars(artefacts)["Estimate"]
    script = examples.Script()
    script.start("plain")
    script.step("s", "retrieve", 0)
    script.make("s", estimate(outcomes=("rain", "<b>sun</b>"), chances=(0.7, 0.3), note="A guess."))
    script.done("s")
    lines = [dump(event) for event in script.events]
    page = AppTest.from_function(draw, args=(lines,), default_timeout=60).run()
    assert not page.exception, page.exception
    found = {
        "said": [
            *(one.label for one in page.expander),
            *(item.value for item in [*page.markdown, *page.caption]),
        ],
        "drawn": [json.loads(one.proto.json) for one in page.get("bidi_component") if one.proto.json],
        "scenes": [narration(record(script.events), take) for take in takes(script.events, {})],
        "report": run_report(script.events),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
