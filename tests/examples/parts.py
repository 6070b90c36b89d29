"""What hand-made runs are made of: passages, rankings, one artefact of every kind."""

from __future__ import annotations

from collections.abc import Iterator

from core.trace.artefacts import (
    Answer,
    AnyArtefact,
    Baseline,
    Citation,
    Context,
    ContextPassage,
    DroppedQuery,
    FusedRow,
    Fusion,
    Grade,
    HypotheticalDocuments,
    Pair,
    PooledRanking,
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
)
from core.trace.gold import Gold
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


def ranking(index: int, passages: tuple[Passage, ...] = PASSAGES) -> Ranking:
    """What query number `index` found."""
    hits = tuple(
        Hit(rank=rank, score=round(0.83 - 0.06 * rank - 0.01 * index, 4), passage=passages[place])
        for rank, place in enumerate(ORDERS[index], 1)
    )
    return Ranking(query=QUERIES[index], retriever="dense", score_name="cosine similarity", k=3, hits=hits)


def reranked(index: int) -> Ranking:
    """Two of the same, in the order of another judge: what was found last comes first."""
    found = ranking(index)
    hits = tuple(
        hit.model_copy(update={"rank": rank, "score": 1 / rank, "before": hit.rank})
        for rank, hit in enumerate((found.hits[-1], *found.hits[:-1]), 1)
    )
    judged = {"hits": hits, "k": 2, "score_name": "place by the model", "skill": "rerank", "method": "model"}
    return found.model_copy(update=judged)


def rows(k: int = 60, first_rank: int = 1) -> list[FusedRow]:
    """Every passage with its rank per query and its fused score, best first."""
    made = []
    for place, passage in enumerate(PASSAGES):
        ranks = tuple(order.index(place) + 1 if place in order else None for order in ORDERS)
        score = sum(1 / (k + rank - 1 + first_rank) for rank in ranks if rank is not None)
        made.append(FusedRow(passage=passage, ranks=ranks, score=score))
    return sorted((row for row in made if any(row.ranks)), key=lambda row: -row.score)


LISTS = tuple(RankedList(query=query, retriever="dense") for query in QUERIES)
FUSION = Fusion(k=60, first_rank=1, lists=LISTS, rows=tuple(rows()))
UNION = PooledRanking(
    lists=LISTS, rows=tuple(RankRow(passage=row.passage, ranks=row.ranks) for row in rows())
)
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


BASELINE = Baseline(
    retriever="dense",
    score_name="cosine similarity",
    hits=ranking(0).hits,
    gold=(Gold(document=PASSAGES[0].document, title=PASSAGES[0].title, chunks=(PASSAGES[0].chunk,)),),
    answers=("Larry Cohen",),
)
"""Plain retrieval with as many passages, and one piece of evidence."""


def artefacts() -> Iterator[AnyArtefact]:
    """One artefact of every kind that strategies over text make."""
    passage = CONTEXT.passages[0].passage
    yield from (VARIANTS, ranking(1), UNION, FUSION, CONTEXT, answer())
    yield SubQuestions(questions=("Who directed it?", "When was he born?"))
    yield SubAnswer(
        index=1, question="When was he born?", searched="When was Larry Cohen born?", passages=(passage,),
        given=(Pair(question="Who directed it?", answer="Larry Cohen."),), text="In 1936.",
    )  # fmt: skip
    yield StepBack(question=QUESTION, general="Who directs horror comedies?")
    yield HypotheticalDocuments(
        question=QUESTION, style="encyclopedia", texts=("It was made in 1981.",), with_question=True
    )
    yield Thought(index=0, text="It was made by Larry Cohen.", written="It was made by Larry Cohen. So")
    yield Grade(what="IsRel", verdict="yes", passes=True, reason="It names the film.", passage=passage)
    yield Rewrite(before=QUESTION, after="director of Full Moon High", cause="No passage was relevant.")
