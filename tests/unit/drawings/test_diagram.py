"""What the diagram of a strategy says of its nodes, before, while and after they run."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from core.drawings.diagram import diagram_svg, node_state
from core.runs.record import Step, record
from core.strategies.base import Diagram, Edge
from tests import examples
from tests.unit.drawings.test_layout import LOOP


@pytest.mark.parametrize("across", [False, True])
def test_the_diagram_is_well_formed_and_shows_what_ran(across: bool) -> None:
    run = record(examples.rag_fusion()[:12])
    step = run.steps[0]
    svg = diagram_svg(LOOP, [], "#0072B2", across=across)
    assert len(ET.fromstring(svg).findall(".//rect")) == 2
    assert node_state([step]).state == "finished"
    assert node_state(run.steps[1:]).state == "running"
    assert node_state(run.steps[1:]).remark.startswith("0 of ")


def test_titles_in_the_diagram_are_escaped() -> None:
    diagram = Diagram({"__start__": "", "a": "<script>", "__end__": ""}, (Edge("__start__", "a", False),))
    assert "<script>" not in diagram_svg(diagram, [], "#0072B2")


def test_a_failed_node_says_so() -> None:
    assert node_state(record(examples.failed()).steps).state == "failed"


def test_a_node_in_a_loop_took_the_time_of_its_own_executions() -> None:
    def step(start: float, end: float) -> Step:
        return Step("s", "n", "", None, 0, start, end, "finished")

    assert node_state([step(0, 1), step(0.5, 1), step(10, 11)]).remark == "2.00 s for all 3"


def test_a_node_done_by_the_parent_of_a_fork_was_taken_over() -> None:
    run = record(examples.forked())
    (queries,) = [step for step in run.steps if step.node == "queries"]
    assert node_state([queries]).remark == "taken over"
    (answer,) = [step for step in run.steps if step.node == "answer"]
    assert node_state([answer]).remark.endswith(" s")


def test_one_of_several_executions_that_failed_is_counted() -> None:
    good, bad = (Step("s", "n", "", None, 0, 0, 1, state) for state in ("finished", "failed"))
    assert node_state([good, good, bad]).remark == "1 of 3 failed"
