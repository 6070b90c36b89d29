"""What single searches found, in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from core.cards.grid import list_columns
from core.cards.kinds.hypothetical import rankings_of
from core.cards.narration.told import Told
from core.cards.narration.words import quoted
from core.cards.reranking import came_in, reranked
from core.trace.artefacts import HypotheticalDocuments, RankedList, Ranking
from core.wording import counted


def rankings(found: Sequence[Ranking], told: Told) -> str:
    if not any(one.used for one in found):
        return "Nothing is found."
    written = [one for one in told.before if isinstance(one, HypotheticalDocuments)]
    if written and written[-1].texts and (text := _resembling(found[-1], written[-1], told)):
        return text
    return _one_search(found[0], told) if len(found) == 1 else _searches(found, told)


def _resembling(found: Ranking, written: HypotheticalDocuments, told: Told) -> str:
    """What hypothetical passages found that the question alone did not; empty: that was not searched."""
    _, beside = rankings_of(written, told.run.find(Ranking))
    if beside is None or beside is found:
        return ""
    alone = {hit.passage.chunk for hit in beside.used}
    new = [hit.passage for hit in found.used if hit.passage.chunk not in alone]
    if not new:
        return "Searching with them finds what the question alone finds, too."
    return (
        f"{len(new)} of {counted(len(found.used), 'passage')} would not have been found with the question alone"
        f"{told.held(new)}."
    )


def _one_search(found: Ranking, told: Told) -> str:
    used = [hit.passage for hit in found.used]
    first = told.named(hit.passage for hit in found.hits)[used[0].chunk]
    if reranked(found):
        was = found.used[0].before
        moved = "stays first" if was == 1 else f"comes first, which the search had at rank {was}"
        came = came_in(found)
        brought = f"; {counted(came, 'passage')} of {len(used)} came in from below" if came else ""
        return f"Judged anew, {first} {moved}{brought}{told.held(used)}."
    if earlier := told.found_before():
        new = [one for one in used if one.chunk not in earlier]
        what = f"Searching with {quoted(found.query, 60)}"
        if not new:
            return f"{what} finds nothing that was not found before."
        return f"{what} finds {counted(len(new), 'new passage')}{told.held(new)}."
    return f"One search finds {counted(len(used), 'passage')}, {first} first{told.held(used)}."


def _searches(found: Sequence[Ranking], told: Told) -> str:
    """Several searches at once: what one alone found, or what each found first."""
    columns = list_columns([RankedList(query=one.query, retriever=one.retriever) for one in found])
    called = told.named(hit.passage for one in found for hit in one.used)
    finders: dict[str, list[int]] = {}
    for place, one in enumerate(found):
        for hit in one.used:
            finders.setdefault(hit.passage.chunk, []).append(place)
    asked = told.run.started.question if told.run.started else ""
    for chunk, places in finders.items():
        if chunk in told.stars and len(places) == 1 and found[places[0]].query != asked:
            only, query = columns[places[0]].name, quoted(found[places[0]].query, 60)
            return f"{only} alone finds {called[chunk]}, which holds evidence: {query}"
    firsts = Counter(one.used[0].passage.chunk for one in found if one.used)
    (top, times), *others = firsts.most_common()
    if times == len(found):
        return f"Every query finds {called[top]} first; together they find {len(finders)} different passages."
    if len(others) == 1 and others[0][1] == 1 and times > 1:
        odd = others[0][0]
        name = next(
            column.name
            for column, one in zip(columns, found, strict=True)
            if one.used and one.used[0].passage.chunk == odd
        )
        return f"{name} is the only query that puts {called[odd]} first; the others begin with {called[top]}."
    lead = (
        f"{times} of {len(found)} queries find {called[top]} first"
        if times > 1
        else f"Each of the {len(found)} queries finds another passage first"
    )
    return f"{lead}; together they find {len(finders)} different passages."
