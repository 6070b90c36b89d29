"""Playback: frames in the order of the run, nodes that stay in their place, dead ends and new plans."""

from __future__ import annotations

from core.drawings.playback import SHOWN, Frame, frames
from core.trace.artefacts import Artefact, Candidate, Candidates, GraphPath, PathTriple, Plan, PlanStep
from core.trace.events import ArtefactMade
from tests.examples import exploring

PLAN = Plan(
    steps=(
        PlanStep(explore="nodes", text="Elizabeth Taylor"),
        PlanStep(explore="relationships", text="married"),
        PlanStep(explore="relationships", text="died in"),
    )
)
TAYLOR, WILDING, TODD, PLACE = "Elizabeth Taylor", "Michael Wilding", "Mike Todd", "Chichester"


def nodes(*labels: str, attempt: int = 1) -> Candidates:
    """A first step of which the first is chosen."""
    items = tuple(
        Candidate(id=str(i), label=label, similarity=1 / (i + 1), chosen=i == 0)
        for i, label in enumerate(labels)
    )
    return Candidates(
        index=0,
        attempt=attempt,
        explore="nodes",
        text=TAYLOR,
        score_name="cosine similarity",
        candidates=items,
    )


def relations(index: int, *items: Candidate, attempt: int = 1) -> Candidates:
    return Candidates(
        index=index, attempt=attempt, explore="relationships", text="on", score_name="fit", candidates=items,
        left_out=2,
    )  # fmt: skip


def way(relation: str, *sources: str, chosen: bool = False, inverse: bool = False) -> Candidate:
    return Candidate(
        id=relation, label=f"{TAYLOR} —{relation}→ ●", similarity=0.5, chosen=chosen, detail="2 nodes", start=TAYLOR,
        relation=relation, inverse=inverse, sources=sources,
    )  # fmt: skip


def triple(hop: int, subject: str, relation: str, object_: str, **more: bool) -> PathTriple:
    return PathTriple(hop=hop, subject=subject, relation=relation, object=object_, **more)


HUSBANDS = (triple(1, TAYLOR, "married", WILDING), triple(1, TAYLOR, "married", TODD))
WAY: tuple[Artefact, ...] = (
    PLAN,
    nodes(TAYLOR, PLACE),
    GraphPath(index=0, verdict="continue"),
    relations(1, way("married", TAYLOR, chosen=True), way("born in", TAYLOR)),
    GraphPath(index=1, triples=HUSBANDS, nodes=(WILDING, TODD), verdict="continue"),
    relations(2, way("died in", WILDING, TODD, chosen=True), way("acted in", "nobody drawn", inverse=True)),
    GraphPath(
        index=2, triples=(HUSBANDS[0], triple(2, WILDING, "died in", PLACE)), nodes=(WILDING,), verdict="respond"
    ),
)  # fmt: skip


def states(frame: Frame) -> dict[str, str]:
    return {node.label: node.state for node in frame.network.nodes}


def test_every_step_is_offered_chosen_and_judged() -> None:
    found = frames(WAY)
    assert [frame.title for frame in found] == [
        "The plan",
        *["Step 1: nodes"] * 2,
        "Step 1: the path so far",
        *["Step 2: relations"] * 2,
        "Step 2: the path so far",
        *["Step 3: relations"] * 2,
        "Step 3: the path so far",
    ]
    assert [frame.at for frame in found] == [-1, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert not found[0].network.nodes
    assert states(found[1]) == {TAYLOR: "candidate", PLACE: "candidate"}
    assert states(found[2]) == {TAYLOR: "start", PLACE: "candidate"}
    assert states(found[3]) == {TAYLOR: "start"}
    assert states(found[4])["married · 2 nodes"] == "candidate"
    assert states(found[5])["married · 2 nodes"] == "chosen"
    assert states(found[5])["born in · 2 nodes"] == "candidate"
    assert "2 more with lower scores" in found[4].text
    assert states(found[6]) == {TAYLOR: "start", WILDING: "path", TODD: "path"}
    assert states(found[-1]) == {TAYLOR: "start", WILDING: "chosen", PLACE: "path"}
    assert (found[-1].verdict, found[-1].word) == ("respond", "Enough found: answer")


def test_a_relation_goes_on_from_the_nodes_that_are_drawn_or_from_the_start() -> None:
    offered = frames(WAY)[7].network
    labels = {node.key: node.label for node in offered.nodes}
    ends = {(labels[edge.src], labels[edge.dst]) for edge in offered.edges if edge.state == "candidate"}
    assert ends == {
        (WILDING, "died in · 2 nodes"),
        (TODD, "died in · 2 nodes"),
        (TAYLOR, "—acted in→ · 2 nodes"),
    }


def test_nothing_moves_between_the_frames_of_a_board() -> None:
    places: dict[tuple[int, str], tuple[float | None, float | None]] = {}
    for frame in frames(WAY):
        taken = set()
        for node in frame.network.nodes:
            assert node.x is not None
            assert places.setdefault((frame.board, node.key), (node.x, node.y)) == (node.x, node.y)
            taken.add((node.x, node.y))
        assert len(taken) == len(frame.network.nodes)
        keys = {node.key for node in frame.network.nodes}
        assert all({edge.src, edge.dst} <= keys for edge in frame.network.edges)
    by_label = {node.label: node.x for node in frames(WAY)[-1].network.nodes if node.x is not None}
    assert [by_label[name] for name in (TAYLOR, WILDING, PLACE)] == sorted(by_label.values())


def test_a_plan_that_is_given_up_is_drawn_dead_and_then_gone() -> None:
    refined = WAY[4].model_copy(update={"verdict": "refine", "reason": "Wrong.", "failed": 1})
    again = PLAN.model_copy(update={"attempt": 2, "cause": "Wrong."})
    found = frames(
        [
            *WAY[:4],
            refined,
            again,
            nodes(TAYLOR, attempt=2),
            GraphPath(index=0, attempt=2, verdict="continue"),
        ]
    )
    dead, new, offered = found[6:9]
    assert set(states(dead).values()) == set(states(new).values()) == {"dead"}
    assert {edge.state for edge in new.network.edges} == {"dead"}
    assert "given up" in dead.text
    assert (new.plan, new.failed) == ("Plan 2", 1)
    assert "Wrong." in new.text
    assert states(offered) == {TAYLOR: "candidate"}
    assert dead.board == new.board != offered.board


def test_a_new_plan_that_keeps_the_path_goes_on_from_it() -> None:
    refined = WAY[4].model_copy(update={"verdict": "refine", "failed": 1})
    again = PLAN.model_copy(update={"attempt": 2, "cause": "Wrong."})
    found = frames([*WAY[:4], refined, again, WAY[5]])
    assert {TAYLOR, WILDING, TODD, "died in · 2 nodes"} <= set(states(found[-1]))


def test_nothing_to_choose_from_is_a_dead_end() -> None:
    found = frames([PLAN, nodes(TAYLOR), GraphPath(index=0, verdict="continue"), relations(1)])
    assert "dead end" in found[-1].text
    assert states(found[-1]) == {TAYLOR: "dead"}


def test_a_hypernode_is_joined_to_its_subject_and_object() -> None:
    whole = f"({TAYLOR})-[married]->({WILDING})"
    path = GraphPath(
        index=1, triples=(HUSBANDS[0], triple(1, whole, "until", "1957", hypernode=True)), nodes=("1957",),
        verdict="respond",
    )  # fmt: skip
    network = frames([PLAN, nodes(TAYLOR), path])[-1].network
    node = next(node for node in network.nodes if node.hypernode)
    labels = {one.key: one.label for one in network.nodes}
    parts = {(edge.label, labels[edge.dst]) for edge in network.edges if edge.part and edge.src == node.key}
    assert parts == {("subject", TAYLOR), ("object", WILDING)}


def test_of_many_triples_those_that_lead_to_the_answer_are_drawn() -> None:
    many = tuple(triple(1, TAYLOR, "knew", f"Person {i}") for i in range(30))
    path = GraphPath(index=1, triples=many, nodes=("Person 29",), hidden=4, verdict="respond")
    network = frames([PLAN, nodes(TAYLOR), path])[-1].network
    assert len(network.nodes) == SHOWN + 1
    assert "Person 29" in {node.label for node in network.nodes}
    assert network.hidden == 30 - SHOWN + 4


def test_runs_stored_before_candidates_said_where_they_go_on_from() -> None:
    artefacts = [event.artefact for event in exploring.kg_rag() if isinstance(event, ArtefactMade)]
    found = frames(artefacts)
    assert [frame.plan for frame in found][-1] == "Plan 2"
    assert {frame.board for frame in found} == {0, 1}


def test_no_exploration_no_frames() -> None:
    assert frames([]) == ()
