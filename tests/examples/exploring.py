"""A hand-made walk through a knowledge graph."""

from __future__ import annotations

from core.trace.artefacts import Candidate, Candidates, GraphPath, PathTriple, Plan, PlanStep
from core.trace.events import Event
from tests.examples.parts import CONTEXT
from tests.examples.runs import answering
from tests.examples.script import Script

PLAN = Plan(
    steps=(
        PlanStep(explore="nodes", text="Full Moon High"),
        PlanStep(explore="relationships", text="director of the film"),
    ),
    skill="plan_exploration",
    method="model",
)
CANDIDATES = Candidates(
    index=1,
    explore="relationships",
    text="director of the film",
    score_name="cosine similarity",
    candidates=(
        Candidate(id="1", label="Full Moon High —director→ ●", similarity=0.8, chosen=True, detail="1 node"),
        Candidate(id="2", label="Full Moon High —<b>year</b>→ ●", similarity=0.1, detail="1 node"),
    ),
    left_out=3,
    cypher="MATCH (a:Entity {id: id})-[r]->(b:Entity) RETURN b",
    skill="select",
    method="model",
)
PATH = GraphPath(
    index=1,
    triples=(
        PathTriple(
            hop=1, subject="Full Moon High", relation="director", object="Larry Cohen", chunk="doc0-0",
            document="Full Moon High", quote="directed by Larry Cohen",
        ),
        PathTriple(
            hop=1, subject="(Full Moon High)-[director]->(Larry Cohen)", relation="in", object="1981", hypernode=True
        ),
    ),
    nodes=("Larry Cohen",),
    hidden=2,
    verdict="respond",
    reason="The director is named.",
    failed=1,
    skill="judge_path",
    method="model",
)  # fmt: skip


def kg_rag(run: str = "") -> list[Event]:
    """A finished KG-RAG run: a plan that failed, and one that led to the answer."""
    script = Script()
    script.start("kg-rag", run=run)
    for attempt in (1, 2):
        wrong = attempt == 1
        script.step(f"s-plan-{attempt}", "plan", attempt * 3)
        cause = "" if wrong else "The way is wrong."
        script.make(f"s-plan-{attempt}", PLAN.model_copy(update={"attempt": attempt, "cause": cause}))
        script.done(f"s-plan-{attempt}")
        script.step(f"s-explore-{attempt}", "explore", attempt * 3 + 1)
        script.make(f"s-explore-{attempt}", CANDIDATES)
        script.done(f"s-explore-{attempt}")
        script.step(f"s-judge-{attempt}", "judge", attempt * 3 + 2)
        verdict = {"verdict": "refine", "reason": "The way is wrong."} if wrong else {}
        script.make(f"s-judge-{attempt}", PATH.model_copy(update=verdict))
        if not wrong:
            script.make(f"s-judge-{attempt}", CONTEXT)
        script.done(f"s-judge-{attempt}")
    answering(script, 9, "s-judge-2")
    return script.events
