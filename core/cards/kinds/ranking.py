"""The hits of one query, as passage cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from core.cards.grid import list_columns
from core.cards.kind import Gist, Item, Join, Kind, Scene, hit_cards, passage_list, provenance
from core.cards.kinds.hypothetical import rankings_of
from core.cards.narration import SceneContext, Sentence, quoted
from core.cards.parts import Card, Fold, Note, Part
from core.cards.reranking import count_newcomers, flow, rerank_sentence
from core.retrieval.kinds import RETRIEVERS
from core.runs.record import Record
from core.trace.artefacts import HypotheticalDocuments, Ranking
from core.wording import counted


def card(artefact: Ranking, scene: Scene) -> Card:
    """The hits that the strategy uses, with those that repeat one of them, and the others."""
    own = {hit.passage.chunk for hit in artefact.used}
    cards = [
        replace(card, faint=card.id not in own)
        for card in hit_cards(artefact.hits, artefact.score_name, scene.stars, artefact.query)
    ]
    shown = {hit.passage.chunk for hit in artefact.used_as_found}
    used = [card for card in cards if card.id in shown]
    rest = [card for card in cards if card.id not in shown]
    anew = artefact.reranked
    parts: list[Part] = [Note(rerank_sentence(artefact), "compare_arrows")] if anew else []
    parts.append(passage_list(used, "used") if used else Note("Nothing found for this query."))
    if anew:
        both = flow(artefact, scene)
        parts.append(Fold("Before and after reranking", both, _alone(artefact, scene.record), "reranked"))
    elif rest:
        parts.append(
            Fold(f"{len(rest)} more found, not used", (passage_list(rest, "rest"),), slot="ranking-rest")
        )
    retriever = RETRIEVERS.get(artefact.retriever, artefact.retriever) + (", reranked" if anew else "")
    return Card((*parts, *provenance(artefact)), f"{retriever}: {artefact.query}")


def _alone(artefact: Ranking, record: Record) -> bool:
    """True if it is the first search of its run, and nothing runs beside it."""
    layers = [step.layer for step in record.steps]
    own = [step.layer for step in record.steps if any(candidate is artefact for candidate in step.artefacts)]
    return record.find(Ranking)[:1] == [artefact] and [layers.count(layer) for layer in own] == [1]


def _same_layer(first: Item, following: Item) -> bool:
    return isinstance(following.artefact, Ranking) and following.step.layer == first.step.layer


def _gist(record: Record) -> str:
    searches = len(record.find(Ranking))
    return "1 search with the question as it is" if searches == 1 else f"{searches} searches"


def _summary(artefact: Ranking) -> str:
    return f"{counted(len(artefact.used), 'passage')} for “{artefact.query}”"


def _sentence(rankings: Sequence[Ranking], scene: SceneContext) -> str:
    if not any(ranking.used for ranking in rankings):
        return "Nothing is found."
    written = [artefact for artefact in scene.before if isinstance(artefact, HypotheticalDocuments)]
    if written and written[-1].texts and (text := _resembling(rankings[-1], written[-1], scene)):
        return text
    return _one_search(rankings[0], scene) if len(rankings) == 1 else _searches(rankings, scene)


def _resembling(ranking: Ranking, written: HypotheticalDocuments, scene: SceneContext) -> str:
    """The finds of hypothetical passages that the question alone misses; empty: that was not searched."""
    _, beside = rankings_of(written, scene.run.find(Ranking))
    if beside is None or beside is ranking:
        return ""
    alone = {hit.passage.chunk for hit in beside.used}
    new = [hit.passage for hit in ranking.used if hit.passage.chunk not in alone]
    if not new:
        return "Searching with them finds what the question alone finds, too."
    return (
        f"{len(new)} of {counted(len(ranking.used), 'passage')} would not have been found with the question alone"
        f"{scene.with_evidence(new)}."
    )


def _one_search(ranking: Ranking, scene: SceneContext) -> str:
    used = [hit.passage for hit in ranking.used]
    first = scene.names(hit.passage for hit in ranking.hits)[used[0].chunk]
    if ranking.reranked:
        was = ranking.used[0].before
        moved = "stays first" if was == 1 else f"comes first, which the search had at rank {was}"
        newcomers = count_newcomers(ranking)
        brought = f"; {counted(newcomers, 'passage')} of {len(used)} came in from below" if newcomers else ""
        return f"Judged anew, {first} {moved}{brought}{scene.with_evidence(used)}."
    if earlier := scene.found_before():
        new = [passage for passage in used if passage.chunk not in earlier]
        what = f"Searching with {quoted(ranking.query, 60)}"
        if not new:
            return f"{what} finds nothing that was not found before."
        return f"{what} finds {counted(len(new), 'new passage')}{scene.with_evidence(new)}."
    return f"One search finds {counted(len(used), 'passage')}, {first} first{scene.with_evidence(used)}."


def _searches(rankings: Sequence[Ranking], scene: SceneContext) -> str:
    """Several searches at once: what one alone found, or what each found first."""
    columns = list_columns(rankings)
    called = scene.names(hit.passage for ranking in rankings for hit in ranking.used)
    finders: dict[str, list[int]] = {}
    for place, ranking in enumerate(rankings):
        for hit in ranking.used:
            finders.setdefault(hit.passage.chunk, []).append(place)
    question = scene.run.question
    for chunk, places in finders.items():
        if chunk in scene.stars and len(places) == 1 and rankings[places[0]].query != question:
            only, query = columns[places[0]].name, quoted(rankings[places[0]].query, 60)
            return f"{only} alone finds {called[chunk]}, which holds evidence: {query}"
    firsts = Counter(ranking.used[0].passage.chunk for ranking in rankings if ranking.used)
    (top, times), *others = firsts.most_common()
    if times == len(rankings):
        return f"Every query finds {called[top]} first; together they find {len(finders)} different passages."
    if len(others) == 1 and others[0][1] == 1 and times > 1:
        odd = others[0][0]
        name = next(
            column.name
            for column, ranking in zip(columns, rankings, strict=True)
            if ranking.used and ranking.used[0].passage.chunk == odd
        )
        return f"{name} is the only query that puts {called[odd]} first; the others begin with {called[top]}."
    lead = (
        f"{times} of {len(rankings)} queries find {called[top]} first"
        if times > 1
        else f"Each of the {len(rankings)} queries finds another passage first"
    )
    return f"{lead}; together they find {len(finders)} different passages."


KINDS = (
    Kind(
        key="ranking",
        title="Ranking",
        icon="format_list_numbered",
        gist=Gist(90, _gist),
        card=card,
        join=Join(_same_layer),
        summary=_summary,
        sentence=Sentence(200, _sentence),
    ),
)
