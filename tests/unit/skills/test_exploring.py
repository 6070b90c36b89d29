"""Planning, choosing, judging and answering on a graph: the methods without a model, and what bad replies lead to."""

from __future__ import annotations

import pytest

from core.errors import UnusableReply
from core.knowledge.explore.path_evidence import evidence
from core.skills.answer_path import answer_path, framed_triples, gave_up
from core.skills.base import TINY, SkillContext
from core.skills.judge_path import JUDGE_PATH, PathVerdict, Walked, judge_path
from core.skills.plan_exploration import MOST_STEPS, Step, Steps, _failed_plan, fixed_plan, plan_exploration
from core.skills.select import SELECT, Selection, candidate_line, select
from core.trace.artefacts import Candidate, PathTriple, Plan, PlanStep
from core.trace.events import ListTracer, ReplyUnusable
from core.trace.passages import Passage
from tests.skill_context import Replies, skill_context

STEP = PlanStep(explore="relationships", text="married to")
OFFERED = [Candidate(id=str(n), label=f"way {n}", similarity=1 / n) for n in range(1, 5)]
PLAN = Plan(steps=fixed_plan("Who?", 2))


def unread(tracer: ListTracer | None = None) -> SkillContext:
    """A model whose reply cannot be read."""
    return skill_context(Replies(UnusableReply("no JSON")), tracer=tracer)


async def test_the_fixed_plan_names_the_start_and_then_hops() -> None:
    plan = await plan_exploration(skill_context(builtin=True), "Who?", [], hops=3)
    assert [step.explore for step in plan.steps] == ["nodes", *["relationships"] * 3]
    assert (plan.method, plan.attempt) == ("template", 1)


async def test_an_unreadable_plan_is_replaced_and_said_so() -> None:
    tracer = ListTracer()
    plan = await plan_exploration(unread(tracer), "Who?", [], hops=2)
    assert (plan.steps, plan.method) == (fixed_plan("Who?", 2), "template")
    (replaced,) = tracer.events
    assert isinstance(replaced, ReplyUnusable)
    assert (replaced.skill, replaced.method) == ("plan_exploration", "template")
    assert replaced.reason == "no JSON So it was done by another method: “Always the same plan”."


async def test_a_plan_that_is_too_long_is_cut() -> None:
    reply = Steps(steps=[Step(explore="nodes", text=str(n)) for n in range(9)])
    plan = await plan_exploration(skill_context(Replies(reply)), "Who?", ["r"], hops=2)
    assert len(plan.steps) == MOST_STEPS
    assert "cut off" in plan.note


async def test_a_new_plan_is_told_of_the_old_one_and_may_keep_its_beginning() -> None:
    chat = Replies(Steps(steps=[Step(explore="relationships", text="other")]))
    plan = await plan_exploration(
        skill_context(chat), "Who?", ["r"], hops=2, failed=PLAN, reason="Wrong way.", keep=PLAN.steps[:1]
    )
    assert plan.attempt == 2
    assert plan.cause == "Wrong way."
    assert plan.steps == (PLAN.steps[0], PlanStep(explore="relationships", text="other"))
    assert "Wrong way." in chat.prompts[0]


@pytest.mark.parametrize(
    ("reply", "chosen", "note"),
    [
        (Selection(chosen=["2", "3"]), ["2", "3"], ""),
        (Selection.model_validate({"chosen": [2, "[3]"]}), ["2", "3"], ""),
        (Selection(chosen=["99"]), ["1"], "Not offered"),
        (Selection(chosen=["99", "2"]), ["2"], "Not offered"),
        (Selection(chosen=[]), [], "chose none"),
        (Selection(chosen=["1", "2", "3", "4"]), ["1", "2", "3"], "first 3 count"),
    ],
)
async def test_only_what_was_offered_can_be_chosen(reply: Selection, chosen: list[str], note: str) -> None:
    marked, said = await select(skill_context(Replies(reply)), "Who?", STEP, OFFERED, 3)
    assert [item.id for item in marked if item.chosen] == chosen
    assert note in said
    assert bool(note) == bool(said)


async def test_without_a_model_the_best_are_chosen() -> None:
    marked, _ = await select(skill_context(builtin=True), "Who?", STEP, OFFERED, 2)
    assert [item.chosen for item in marked] == [True, True, False, False]
    assert SELECT.default_method(TINY) == "embedding"
    assert await select(skill_context(), "Who?", STEP, [], 2) == ((), "")


async def test_a_choice_that_cannot_be_read_is_made_by_the_scores() -> None:
    marked, _ = await select(unread(), "Who?", STEP, OFFERED, 3)
    assert [item.id for item in marked if item.chosen] == ["1", "2", "3"]


async def test_verdicts_and_what_stands_for_an_unreadable_one() -> None:
    way = [PathTriple(hop=1, subject="A", relation="r", object="B")]

    async def verdict(context: SkillContext, left: int) -> tuple[str, str]:
        walked = Walked(plan=PLAN, at=2, left=left, triples=way, nodes=["B"])
        made = await judge_path(context, "Who?", walked, reason="The best.")
        return made.verdict, made.note or made.reason

    refine = PathVerdict(verdict="refine", reason="No.")
    assert await verdict(skill_context(Replies(refine)), 1) == ("refine", "No.")
    assert (await verdict(skill_context(Replies(PathVerdict(verdict="continue"))), 0))[0] == "respond"
    assert (await verdict(unread(), 1))[0] == "continue"
    assert (await verdict(unread(), 0))[0] == "respond"
    assert (await verdict(unread(), 0))[1] == "The best."
    assert await verdict(skill_context(builtin=True), 0) == ("respond", "The best.")
    assert await verdict(skill_context(builtin=True), 2) == ("continue", "The best.")
    assert JUDGE_PATH.default_method(TINY) == "embedding"


async def test_a_verdict_knows_how_far_the_plan_is_done_and_what_is_not_shown() -> None:
    chat = Replies(PathVerdict(verdict="continue"))
    walked = Walked(
        plan=PLAN, at=2, left=1, starts=["Alexandria, Virginia", "B"], chose=["B —r→ C"], hidden=45, more=35,
        nodes=["C, D", "E"], triples=[PathTriple(hop=1, subject="(A)-[r]->(B)", relation="said_in", object="1999")],
    )  # fmt: skip
    await judge_path(skill_context(chat), "Who?", walked)
    (prompt,) = chat.prompts
    for words in (
        "(done) relationships", "(next) relationships", "1 step is left", "Alexandria, Virginia · B", "B —r→ C",
        "(A —r→ B) —said in→ 1999", "45 more triples", "C, D · E (and 35 more",
    ):  # fmt: skip
        assert words in prompt


def test_a_candidate_says_where_it_leads() -> None:
    some = Candidate(
        id="3", label="Elizabeth Taylor —died in→ (said of it: in) → ●", similarity=0.5, detail="6 nodes",
        leads=("1979", "1984", "1958"),
    )  # fmt: skip
    assert (
        candidate_line(some)
        == "[3] Elizabeth Taylor —died in→ (said of it: in) → 1979 · 1984 · 1958 · … (6 nodes)"
    )
    every = some.model_copy(update={"leads": ("1979",), "detail": "1 node"})
    assert candidate_line(every).endswith("→ 1979 (1 node)")
    assert candidate_line(Candidate(id="1", label="(A)-[r]->(B)", similarity=1.0)) == "[1] (A —r→ B)"


def test_a_plan_is_told_what_the_one_before_found() -> None:
    failed = _failed_plan(PLAN, "No.", (), [PathTriple(hop=1, subject="A", relation="r", object="B")])
    assert "A —r→ B" in failed


def test_triples_are_numbered_one_by_one_and_none_is_told_twice() -> None:
    found = evidence(
        [
            PathTriple(hop=1, subject="A", relation="r", object="B", chunk="c1", quote="A r B"),
            PathTriple(hop=1, subject="A", relation="s", object="C", chunk="c1", quote="and s C"),
            PathTriple(hop=2, subject="B", relation="t", object="D"),
            PathTriple(hop=3, subject="B", relation="t", object="D"),
        ],
        "G",
        {},
    )
    passages = [item.passage for item in found.passages]
    assert [(one.chunk, one.title, one.text) for one in passages] == [
        ("c1", "A —r→ B", "A r B"),
        ("c1.2", "A —s→ C", "and s C"),
        ("triple 3", "B —t→ D", "B —t→ D"),
    ]
    framed = framed_triples(passages, 45)
    assert framed.count("B —t→ D") == 1
    assert "and s C" in framed
    assert "45 more triples" in framed


async def test_the_end_of_the_path_is_cited() -> None:
    passage = Passage(
        chunk="c1", document="d", title="A —r→ B", text="So it is said.", position=0, start=0, end=14
    )
    made = await answer_path(skill_context(builtin=True), "Who?", [passage], ["B", "B", "C"], 2)
    assert made.text == "B, C and 2 more"
    assert [citation.chunk for citation in made.citations] == ["c1"]
    nothing = await answer_path(skill_context(builtin=True), "Who?", [], [])
    assert nothing.abstained
    assert gave_up(3).abstained
    assert "Limit reached" in gave_up(3).note
