"""Self-RAG with handles: grades are flipped, and the graph takes another way, and no text is made up."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from core.cards.kind import Scene
from core.cards.passages import STAR, stars_of
from core.cards.turns import names_in, turns
from core.strategies import self_rag
from core.strategies import self_rag as nodes
from core.strategies.self_rag_state import Params, State, cause, rewrites
from core.trace.artefacts import Answer, Grade, Ranking, Rewrite
from core.trace.events import ListTracer
from core.trace.passages import Hit, Passage
from tools.explorables.recorded import done, gallery_run, head, numbered

RUN = "recorded-self-rag"
HOW = (
    "Switch a grade: is the passage relevant, is the draft supported (IsSup in the picture), is it useful (IsUse)? The "
    "run goes on from there. Where no text was recorded for the new way, you say how it would be graded."
)
LETTERS = 18
"""Of a passage's title on a switch."""
ASSUMED = {
    "useless": (True, "fully", "1"),
    "unsupported": (True, "no", "5"),
    "irrelevant": (False, "fully", "1"),
    "well": (True, "fully", "5"),
}
"""Grades of what the run has no text for -> whether a search brings in something relevant, and IsSup and IsUse of a
draft."""
PASSES = {"IsSup": {True: "fully", False: "no"}, "IsUse": {True: "5", False: "1"}}
"""The verdict of a grade that was flipped."""


def make() -> dict[str, Any]:
    """The turns of the run, with what each search found and how all of it was graded."""
    run = gallery_run(RUN)
    params = Params.model_validate(run.started.params if run.started else {})
    recorded = turns(Scene(run))
    if recorded is None:
        raise ValueError(f"{RUN} has graded nothing")
    stars = stars_of(run)
    details = names_in(run).details
    grades = run.find(Grade)
    relevant = {one.passage.chunk: one.passes for one in grades if one.passage}
    searches, known = [], set[str]()
    for ranking in run.find(Ranking):
        new = [hit.passage for hit in ranking.used if hit.passage.chunk not in known]
        known.update(one.chunk for one in new)
        graded = [
            {
                "chunk": one.chunk,
                "name": f"{STAR} " * (one.chunk in stars) + _short(one.title, details[one.chunk]),
                "passes": relevant[one.chunk],
            }
            for one in new
        ]
        searches.append({"found": [hit.passage.chunk for hit in ranking.used], "graded": graded})
    answers = [
        (one, bool(step.calls))
        for step, one in run.artefacts
        if isinstance(one, Grade) and one.what in PASSES
    ]
    drafts = [
        [
            one.model_dump(include={"what", "verdict", "passes", "reason"}) | {"asked": asked}
            for one, asked in answers[at : at + 2]
        ]
        for at in range(0, len(answers), 2)
    ]
    return head(run, HOW) | {
        "colour": self_rag.STRATEGY.colour,
        "caps": {"rewrites": params.max_rewrites, "regenerations": params.max_regenerations},
        "useful": params.useful_from,
        "k": params.k,
        "assumed": {key: list(one) for key, one in ASSUMED.items()},
        "searches": searches,
        "drafts": drafts,
        "recorded": recorded,
    }


def _short(title: str, detail: str) -> str:
    """A passage's name on a switch."""
    cut = title if len(title) <= LETTERS else f"{title[:LETTERS].rstrip()}…"
    return f"{cut} · {detail}" if detail else cut


class _Way:
    """The graph's way through grades that were flipped, by the strategy's own nodes and decisions."""

    def __init__(self, data: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        self.data, self.values = data, values
        self.params = Params(
            max_rewrites=data["caps"]["rewrites"],
            max_regenerations=data["caps"]["regenerations"],
            useful_from=data["useful"],
        )
        context = SimpleNamespace(params=self.params, tracer=ListTracer())
        self.runtime: Any = SimpleNamespace(context=context)
        self.state: State = {"question": data["question"], "grades": [], "drafts": [], "searches": []}
        self.nodes: list[str] = []
        self.causes: list[str] = []
        self.known = True
        """True if all so far is as in the run."""

    def follow(self) -> None:
        """Until the answer is there."""
        node = "retrieve"
        while node != "answer":
            self.nodes.append(node)
            node = getattr(self, node)()
        self.nodes.append(node)
        made: Any = done(self_rag.answer(self.state, self.runtime))
        self.state |= made

    def retrieve(self) -> str:
        at = rewrites(self.state)
        self.known = self.known and at < len(self.data["searches"])
        if self.known:
            found = self.data["searches"][at]["found"]
            flipped = self.values[f"search{at + 1}"]
            graded = {
                one["chunk"]: on for one, on in zip(self.data["searches"][at]["graded"], flipped, strict=True)
            }
            self.known = all(
                one["passes"] == graded[one["chunk"]] for one in self.data["searches"][at]["graded"]
            )
        else:
            found = [f"new {at} {place}" for place in range(self.data["k"])]
            brings = self.data["assumed"][self.values["rest"]][0]
            graded = {chunk: brings and not place for place, chunk in enumerate(found)}
        passages = {chunk: _passage(chunk) for chunk in found}
        hits = tuple(Hit(passage=one, rank=rank, score=0.0) for rank, one in enumerate(passages.values(), 1))
        self.state["ranking"] = Ranking(query="", retriever="dense", score_name="", k=len(hits), hits=hits)
        self.state["grades"] += [
            (0, _grade("IsRel", "yes" if on else "no", passage=passages[chunk]))
            for chunk, on in graded.items()
        ]
        made: Any = done(nodes.evidence(self.state, self.runtime))
        self.state |= made
        return self_rag.relevance(self.state, self.params)

    def generate(self) -> str:
        at = len(self.state["drafts"])
        number = rewrites(self.state) + 1
        again = any(of == number for of, _, _ in self.state["drafts"])
        self.known = self.known and not again
        draft = Answer(text=str(at + 1), final=False)
        self.state["drafts"] = [*self.state["drafts"], (number, draft, self.state["context"])]
        if self.known:
            flipped = self.values[f"draft{at + 1}"]
            grades = [
                _grade(one["what"], one["verdict"], one["reason"])
                if one["passes"] == on
                else _grade(one["what"], PASSES[one["what"]][on])
                for one, on in zip(self.data["drafts"][at], flipped, strict=True)
            ]
            self.known = all(
                one["passes"] == on for one, on in zip(self.data["drafts"][at], flipped, strict=True)
            )
        else:
            _, support, use = self.data["assumed"][self.values["rest"]]
            grades = [_grade("IsSup", support), _grade("IsUse", use)]
        self.state["grades"] += [(at, grade) for grade in grades]
        return self_rag.worth(self.state, self.params)

    def rewrite(self) -> str:
        self.causes.append(cause(self.state))
        number = rewrites(self.state) + 1
        self.state["rewrite"] = Rewrite(before="", after="", cause="", round=number)
        return "retrieve"


def _grade(what: Any, verdict: str, reason: str = "", passage: Passage | None = None) -> Grade:
    return Grade(what=what, verdict=verdict, passes=verdict == "yes", reason=reason, passage=passage)


def _passage(chunk: str) -> Passage:
    return numbered(0).model_copy(update={"chunk": chunk})


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The `nodes` that the graph goes through, why the question was rewritten, and how it ends.

    Args:
        data: As `make` gives it.
        values: `search1`, `draft1` and so on: which grades are good; and `rest`, a key of `ASSUMED`.
    """
    way = _Way(data, values)
    way.follow()
    answer = way.state["answer"]
    return {
        "nodes": way.nodes,
        "causes": way.causes,
        "best": 0 if answer.abstained else int(answer.text),
        "note": answer.note,
    }
