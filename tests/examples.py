"""Hand-made runs that look like real ones, for tests and for looking at the page without a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from core.trace.artefacts import (
    Answer,
    AnyArtefact,
    Candidate,
    Candidates,
    Citation,
    Context,
    ContextPassage,
    DroppedQuery,
    Fusion,
    Grade,
    Pair,
    Passages,
    Path,
    PathTriple,
    Plan,
    PlanStep,
    Queries,
    Query,
    RankedList,
    Ranking,
    RankRow,
    Rewrite,
    StepBack,
    SubAnswer,
    SubQuestions,
    Thought,
    Union,
)
from core.trace.events import (
    ArtefactMade,
    BaseEvent,
    Event,
    Message,
    ModelFailed,
    ModelFinished,
    ModelStarted,
    Retried,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    StepFailed,
    StepFinished,
    StepStarted,
    Token,
    Usage,
)
from core.trace.passages import Hit, Passage

QUESTION = "Which film has the director born later, Eight on the Lam or Full Moon High?"
TEXTS = (
    (
        "Full Moon High",
        "Full Moon High is a 1981 horror comedy film written and directed by Larry Cohen. It is about "
        "a teenager who goes on a trip to Transylvania with his father and gets bitten by a werewolf.",
    ),
    (
        "Larry Cohen",
        "Lawrence George Cohen (July 15, 1936 – March 23, 2019) was an American screenwriter, "
        "producer, and director. He was best known as a B-movie auteur of horror and science fiction "
        "films, often containing police procedural and satirical elements, during the 1970s and "
        "1980s. He originally wrote for television, creating the series Branded and The Invaders, "
        "before he turned to films of his own.",
    ),
    (
        "Eight on the Lam",
        "Eight on the Lam is a 1967 American comedy film directed by George Marshall. It stars Bob "
        "Hope, Phyllis Diller and Jonathan Winters.",
    ),
    (
        "George Marshall (director)",
        "George E. Marshall (December 29, 1891 – February 17, 1975) was an American actor, "
        "screenwriter, producer, film and television director, active through the first six decades "
        "of film history.",
    ),
    (
        "Moon Over Her Shoulder",
        "Moon Over Her Shoulder is a 1941 comedy film directed by Alfred L. Werker.",
    ),
    (
        "High School Confidential!",
        "High School Confidential is a 1958 crime drama directed by Jack Arnold.",
    ),
    (
        "The Lamb",
        "The Lamb is a 1915 silent adventure film featuring Douglas Fairbanks in his first film.",
    ),
    (
        "Budd Boetticher",
        "Oscar “Budd” Boetticher Jr. (July 29, 1916 – November 29, 2001) was a director.",
    ),
    (
        "Bill L. Norton",
        "William Lloyd Norton is an American film and television director and writer.",
    ),
)
PASSAGES = tuple(
    Passage(
        chunk=f"doc{i}-0", document=f"doc{i}", title=title, text=text, position=i % 2, start=0, end=len(text),
        page=i + 1 if i % 3 == 0 else None, heading="Career" if i % 4 == 1 else "",
    )
    for i, (title, text) in enumerate(TEXTS)
)  # fmt: skip
QUERIES = (
    QUESTION,
    "Who directed Full Moon High and when was he born?",
    "birth date of the director of Eight on the Lam",
    "Eight on the Lam 1967 film director",
    "Full Moon High 1981 film director",
)
ORDERS = ((0, 2, 4, 5), (0, 1, 5, 8), (3, 2, 6, 7), (2, 3, 6, 0), (0, 1, 5, 4))
"""Positions in PASSAGES that each query found, best first."""


@dataclass
class Script:
    """Collects events and fills in sequence number, time and step."""

    events: list[Event] = field(default_factory=list)
    at: float = 0.0

    def add(self, event: BaseEvent, step: str = "", after: float = 0.0) -> None:
        self.at = round(self.at + after, 3)
        placed = event.model_copy(update={"seq": len(self.events), "at": self.at, "step": step})
        self.events.append(placed)  # type: ignore[arg-type]  # every concrete event is in the union

    def start(self, strategy: str, *, builtin: bool = False, question: str = QUESTION, run: str = "") -> None:
        self.add(
            RunStarted(
                run=run or f"example-{strategy}", created=datetime(2026, 1, 2, tzinfo=UTC), question=question,
                strategy=strategy, params={"k": 4}, corpus="demo", retriever="dense",
                chat_model="SmolLM2 135M" if builtin else "gpt-example", builtin=builtin,
                embedding_model="MiniLM", methods={"answer": "extractive" if builtin else "model"},
            )
        )  # fmt: skip

    def call(
        self, step: str, call: str, skill: str, output: str, *, seconds: float = 0.8, stream: bool = False
    ) -> None:
        self.add(
            ModelStarted(
                call=call, skill=skill, method="model", model="gpt-example", sampling={"temperature": 0.0},
                messages=(Message(role="user", content=f"Please do this: {skill}\n\nQuestion: {QUESTION}"),),
            ),
            step, 0.02,
        )  # fmt: skip
        if stream:
            for word in output.split(" "):
                self.add(Token(call=call, text=word + " "), step, seconds / 40)
        done = ModelFinished(call=call, output=output, usage=Usage(input=321, output=87), seconds=seconds)
        self.add(done, step, 0.05 if stream else seconds)

    def make(self, step: str, artefact: AnyArtefact) -> None:
        self.add(ArtefactMade(artefact=artefact), step, 0.01)

    def step(self, step: str, node: str, layer: int, parent: str | None = None, label: str = "") -> None:
        self.add(StepStarted(node=node, layer=layer, parent=parent, label=label), step, 0.01)

    def done(self, step: str) -> None:
        self.add(StepFinished(), step, 0.01)


def ranking(index: int, passages: tuple[Passage, ...] = PASSAGES) -> Ranking:
    """What query number `index` found."""
    hits = tuple(
        Hit(rank=rank, score=round(0.83 - 0.06 * rank - 0.01 * index, 4), passage=passages[place])
        for rank, place in enumerate(ORDERS[index], 1)
    )
    return Ranking(query=QUERIES[index], retriever="dense", score_name="cosine similarity", k=3, hits=hits)


def rows(k: int = 60, first_rank: int = 1) -> list[RankRow]:
    """Every passage with its rank per query and its fused score, best first."""
    made = []
    for place, passage in enumerate(PASSAGES):
        ranks = tuple(order.index(place) + 1 if place in order else None for order in ORDERS)
        score = sum(1 / (k + rank - 1 + first_rank) for rank in ranks if rank is not None)
        made.append(RankRow(passage=passage, ranks=ranks, score=score))
    return sorted((row for row in made if any(row.ranks)), key=lambda row: -row.score)


LISTS = tuple(RankedList(query=query, retriever="dense") for query in QUERIES)
FUSION = Fusion(k=60, first_rank=1, lists=LISTS, rows=tuple(rows()))
UNION = Union(lists=LISTS, rows=tuple(row.model_copy(update={"score": 0.0}) for row in rows()))
CONTEXT = Context(
    passages=tuple(
        ContextPassage(rank=i, score=row.score, passage=row.passage, given=i <= 6)
        for i, row in enumerate(rows(), 1)
    )
)
VARIANTS = Queries(
    queries=tuple(Query(text=text, origin="model" if i else "question") for i, text in enumerate(QUERIES)),
    dropped=(
        DroppedQuery(text=QUESTION.upper(), reason="the same as the question"),
        DroppedQuery(text="Full Moon High 1981 film director", reason="a copy of query 5"),
    ),
    skill="search_queries",
    method="model",
)


def _number(title: str) -> int:
    return next(p.rank for p in CONTEXT.passages if p.passage.title == title)


def answer() -> Answer:
    """A cited answer with some formatting."""
    moon, cohen, lam, marshall = map(_number, ("Full Moon High", "Larry Cohen", "Eight on the Lam",
                                              "George Marshall (director)"))  # fmt: skip
    sentences = (
        "**Full Moon High** has the director born later.",
        "It was directed by Larry Cohen, born in 1936.",
        "Eight on the Lam was directed by George Marshall, born in 1891.",
    )
    cited = ((0, moon), (1, moon), (1, cohen), (2, lam), (2, marshall))
    passages = {p.rank: p.passage for p in CONTEXT.passages}
    text = (
        f"{sentences[0][:-1]} [{moon}]. {sentences[1][:-1]} [{moon}, {cohen}]. "
        f"{sentences[2][:-1]} [{lam}][{marshall}]."
    )
    return Answer(
        text=text, sentences=sentences, skill="answer", method="model",
        citations=tuple(
            Citation(sentence=s, chunk=passages[n].chunk, quote=passages[n].text.split(". ")[0])
            for s, n in cited
        ),
    )  # fmt: skip


def _answering(script: Script, layer: int, parent: str) -> None:
    script.step("s-answer", "answer", layer, parent)
    script.call("s-answer", "c-answer", "answer", answer().text, seconds=1.4, stream=True)
    script.make("s-answer", answer())
    script.done("s-answer")
    script.add(RunFinished(), after=0.01)


def _searching(script: Script, node: str) -> None:
    """Variants and one search per query, all at once."""
    script.step("s-queries", node, 0)
    script.call("s-queries", "c-queries", "search_queries", "\n".join(QUERIES[1:]))
    script.make("s-queries", VARIANTS)
    script.done("s-queries")
    for i, query in enumerate(QUERIES):
        script.step(f"s-retrieve-{i}", "retrieve", 1, "s-queries", query)
    for i in range(len(QUERIES)):
        script.make(f"s-retrieve-{i}", ranking(i))
        script.done(f"s-retrieve-{i}")


def rag_fusion(run: str = "") -> list[Event]:
    """A finished RAG-Fusion run."""
    script = Script()
    script.start("rag-fusion", run=run)
    _searching(script, "queries")
    script.step("s-fuse", "fuse", 2, "s-retrieve-4")
    script.make("s-fuse", FUSION)
    script.make("s-fuse", CONTEXT)
    script.done("s-fuse")
    _answering(script, 3, "s-fuse")
    return script.events


def multi_query(run: str = "") -> list[Event]:
    """A finished Multi-Query run."""
    script = Script()
    script.start("multi-query", run=run)
    _searching(script, "reword")
    script.step("s-union", "union", 2, "s-retrieve-4")
    script.make("s-union", UNION)
    script.make("s-union", CONTEXT)
    script.done("s-union")
    _answering(script, 3, "s-union")
    return script.events


def plain(run: str = "") -> list[Event]:
    """A finished plain run of the built-in model: the answer is a sentence copied from a passage."""
    script = Script()
    script.start("plain", builtin=True, run=run)
    script.step("s-retrieve", "retrieve", 0)
    found = ranking(0)
    script.make("s-retrieve", found)
    evidence = Context(
        passages=tuple(
            ContextPassage(rank=hit.rank, score=hit.score, passage=hit.passage, given=True)
            for hit in found.hits
        )
    )
    script.make("s-retrieve", evidence)
    script.done("s-retrieve")
    script.step("s-answer", "answer", 1, "s-retrieve")
    quote = TEXTS[0][1].split(". ")[0] + "."
    copied = Answer(
        text=quote, sentences=(quote,),
        citations=(Citation(sentence=0, chunk=PASSAGES[0].chunk, quote=quote),),
        skill="answer", method="extractive",
        note="Copied, not written: the sentence of the passages nearest to the question (cosine 0.71).",
    )  # fmt: skip
    script.make("s-answer", copied)
    script.done("s-answer")
    script.add(RunFinished(), after=0.01)
    return script.events


THOUGHTS = (
    "Full Moon High was directed by Larry Cohen.",
    "Larry Cohen was born in 1936.",
    "So the answer is: Full Moon High.",
)


def ircot(run: str = "") -> list[Event]:
    """A finished IRCoT run: two thoughts that search, and one that ends the chain."""
    script = Script()
    script.start("ircot", run=run)
    script.step("s-retrieve", "retrieve", 0)
    first = ranking(0).model_copy(update={"query": QUESTION})
    script.make("s-retrieve", first)
    script.done("s-retrieve")
    pool = list(dict.fromkeys(hit.passage for hit in first.used))
    for index, text in enumerate(THOUGHTS):
        script.step(f"s-think-{index}", "think", 1 + 2 * index, "s-retrieve")
        written = f"{text} And more that is not used."
        script.call(f"s-think-{index}", f"c-think-{index}", "think", written)
        thought = Thought(
            index=index, text=text, written=written, pool=len(pool), skill="think", method="model"
        )  # fmt: skip
        if index == len(THOUGHTS) - 1:
            ends = "The chain ends: the model gives its answer."
            script.make(f"s-think-{index}", thought.model_copy(update={"ends": ends}))
        script.done(f"s-think-{index}")
        if index < len(THOUGHTS) - 1:
            found = ranking(index + 1).model_copy(update={"query": text})
            new = tuple(hit.passage for hit in found.used if hit.passage not in pool)
            pool += new
            script.step(f"s-more-{index}", "retrieve_more", 2 + 2 * index, f"s-think-{index}")
            script.make(f"s-more-{index}", found)
            script.make(
                f"s-more-{index}", thought.model_copy(update={"new": new, "pool": len(pool)})
            )  # fmt: skip
            script.make(f"s-more-{index}", CONTEXT)
            script.done(f"s-more-{index}")
    _answering(script, 6, "s-think-2")
    return script.events


def step_back(run: str = "") -> list[Event]:
    """A finished step-back run: two searches that share a passage."""
    script = Script()
    script.start("step-back", run=run)
    general = "What is known about the directors of both films?"
    script.step("s-step", "step_back", 0)
    script.step("s-retrieve", "retrieve", 0)
    script.make("s-retrieve", ranking(0))
    script.done("s-retrieve")
    script.call("s-step", "c-step", "step_back", general)
    made = StepBack(question=QUESTION, general=general, skill="step_back", method="model", note="A note.")
    script.make("s-step", made)
    script.done("s-step")
    script.step("s-general", "retrieve_general", 1, "s-step")
    script.make("s-general", ranking(1).model_copy(update={"query": general}))
    script.done("s-general")
    script.step("s-join", "join", 2, "s-general")
    script.make("s-join", CONTEXT)
    script.done("s-join")
    _answering(script, 3, "s-join")
    return script.events


HYPOTHETICAL = Passages(
    question=QUESTION,
    style="encyclopedia",
    texts=(
        "Full Moon High is a 1981 horror comedy film by Larry Cohen, who was born in Boston in 1941. "
        "Penguins live near the equator.",
    ),
    with_question=True,
    skill="passage",
    method="model",
)


def hyde(run: str = "") -> list[Event]:
    """A finished HyDE run: what the question finds, a passage, and what both find together."""
    script = Script()
    script.start("hyde", run=run)
    script.step("s-question", "question", 0)
    script.step("s-write", "write", 0)
    script.make("s-question", ranking(0))
    script.done("s-question")
    script.call("s-write", "c-write", "passage", HYPOTHETICAL.texts[0])
    script.make("s-write", HYPOTHETICAL)
    script.done("s-write")
    script.step("s-search", "search", 1, "s-write")
    found = ranking(1).model_copy(update={"query": "the mean of the question and the passage"})
    script.make("s-search", found)
    script.make("s-search", CONTEXT)
    script.done("s-search")
    _answering(script, 2, "s-search")
    return script.events


def failed(run: str = "") -> list[Event]:
    """A run whose model call was limited, tried again and then failed for good."""
    script = Script()
    script.start("rag-fusion", run=run)
    script.step("s-queries", "queries", 0)
    for attempt in (1, 2):
        call = f"c-{attempt}"
        script.add(
            ModelStarted(
                call=call, skill="search_queries", method="model", model="gpt-example",
                messages=(Message(role="user", content=QUESTION),),
            ),
            "s-queries",
        )  # fmt: skip
        script.add(ModelFailed(call=call, error="rate limit (429)", seconds=0.3), "s-queries", 0.3)
        if attempt == 1:
            script.add(Retried(call=call, attempt=2, wait=2.0, reason="rate limit"), "s-queries")
            script.at += 2.0
    error = "The endpoint keeps refusing: rate limit. Wait a minute, then ask again."
    script.add(StepFailed(error=error), "s-queries", 0.01)
    script.add(RunFailed(error=error), after=0.01)
    return script.events


def stopped(run: str = "") -> list[Event]:
    """A run that the user stopped while the answer was streaming."""
    events = rag_fusion(run)
    last = max(i for i, event in enumerate(events) if isinstance(event, Token))
    kept = events[: last - 4]
    script = Script(kept, kept[-1].at)
    script.add(RunStopped(reason="Stopped by you. What was done so far is kept."), after=0.1)
    return script.events


def self_rag(run: str = "") -> list[Event]:
    """A Self-RAG run that searched again, wrote again, and ended at a cap."""
    script = Script()
    script.start("self-rag", run=run)
    laid = (("retrieve", ranking(0)), ("grade_chunks", None), ("evidence", CONTEXT))
    rewritten = Rewrite(before=QUESTION, after=QUERIES[1], cause="IsRel: none of the 3 passages is relevant.")
    for lap, verdict in ((0, "no"), (1, "yes")):
        for node, artefact in laid:
            step = f"s-{node}-{lap}"
            script.step(step, node, 4 * lap + len(script.events) % 3)
            for place, hit in enumerate(ranking(0).used if artefact is None else ()):
                script.call(step, f"c-{lap}-{place}", "grade_relevance", verdict, seconds=0.1)
                script.make(step, _grade("IsRel", verdict, lap + 1, hit.passage))
            if artefact is not None:
                script.make(step, artefact)
            script.done(step)
        if lap == 0:
            script.step("s-rewrite", "rewrite", 3)
            script.make("s-rewrite", rewritten)
            script.done("s-rewrite")
    for number, support in enumerate(("no", "partially")):
        script.step(f"s-generate-{number}", "generate", 7 + 2 * number)
        script.call(f"s-generate-{number}", f"c-draft-{number}", "answer", answer().text, stream=True)
        script.make(f"s-generate-{number}", answer().model_copy(update={"final": False}))
        script.done(f"s-generate-{number}")
        script.step(f"s-grade-{number}", "grade_answer", 8 + 2 * number)
        script.make(f"s-grade-{number}", _grade("IsSup", support, 2))
        script.make(f"s-grade-{number}", _grade("IsUse", "2", 2))
        script.done(f"s-grade-{number}")
    script.step("s-answer", "answer", 11)
    script.make("s-answer", answer().model_copy(update={"note": "Cap reached: at most 1 rewrite allowed."}))
    script.done("s-answer")
    script.add(RunFinished(), after=0.01)
    return script.events


def _grade(what: str, verdict: str, number: int, passage: Passage | None = None) -> Grade:
    passes = verdict in ("yes", "partially")
    values = {"what": what, "verdict": verdict, "passes": passes, "passage": passage, "round": number}
    return Grade.model_validate(values | {"reason": "So the grader says.", "skill": "grade_relevance"})


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
PATH = Path(
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
    _answering(script, 9, "s-judge-2")
    return script.events


RUNS: dict[str, Callable[[], list[Event]]] = {
    "rag-fusion": rag_fusion,
    "multi-query": multi_query,
    "plain": plain,
    "ircot": ircot,
    "step-back": step_back,
    "hyde": hyde,
    "self-rag": self_rag,
    "kg-rag": kg_rag,
    "failed": failed,
    "stopped": stopped,
}
"""Every example by its name."""


def artefacts() -> Iterator[AnyArtefact]:
    """One artefact of every kind."""
    passage = CONTEXT.passages[0].passage
    yield from (VARIANTS, ranking(1), UNION, FUSION, CONTEXT, answer())
    yield SubQuestions(questions=("Who directed it?", "When was he born?"))
    yield SubAnswer(
        index=1, question="When was he born?", searched="When was Larry Cohen born?", passages=(passage,),
        given=(Pair(question="Who directed it?", answer="Larry Cohen."),), text="In 1936.",
    )  # fmt: skip
    yield StepBack(question=QUESTION, general="Who directs horror comedies?")
    yield Passages(
        question=QUESTION, style="encyclopedia", texts=("It was made in 1981.",), with_question=True
    )
    yield Thought(
        index=0, text="It was made by Larry Cohen.", written="It was made by Larry Cohen. So", pool=4
    )
    yield Grade(what="IsRel", verdict="yes", passes=True, reason="It names the film.", passage=passage)
    yield Rewrite(before=QUESTION, after="director of Full Moon High", cause="No passage was relevant.")
    yield from (PLAN, CANDIDATES, PATH)
