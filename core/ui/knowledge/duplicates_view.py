"""Which proposals to merge are still open, and what is known of each. All text is raw."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from core.knowledge.build.resolution import ComparedEntity, Proposal, Proposals
from core.knowledge.store.aliases import Merge, survivors
from core.wording import counted

Pair = frozenset[str]
"""Ids of two entities."""


def pair(proposal: Proposal) -> Pair:
    """Which two entities a proposal is about."""
    return frozenset((proposal.keep.id, proposal.duplicate.id))


def open_proposals(
    proposals: Iterable[Proposal], merges: Iterable[Merge], dismissed: Collection[Pair]
) -> list[Proposal]:
    """What is still to be decided, in its order.

    Where an entity of a pair has been merged since, what it is part of now takes its place; of pairs that become the
    same, the first stays.
    """
    merges = list(merges)
    stays, names = survivors(merges), {one.keep.id: one.keep for one in merges}

    def now(one: ComparedEntity) -> ComparedEntity:
        keep = stays.get(one.id)
        if keep is None:
            return one
        return ComparedEntity(id=keep, name=names[keep].name, kind=names[keep].kind, edges=one.edges)

    found: dict[Pair, Proposal] = {}
    for proposal in proposals:
        if pair(proposal) in dismissed:
            continue
        moved = proposal.model_copy(update={"keep": now(proposal.keep), "duplicate": now(proposal.duplicate)})
        if moved.keep.id != moved.duplicate.id and pair(moved) not in dismissed:
            found.setdefault(pair(moved), moved)
    return list(found.values())


def search_line(found: Proposals) -> str:
    """What the search looked at."""
    text = f"{found.entities:,} entities compared by how their names are written"
    if found.compared == found.entities:
        return f"{text} and by what they mean."
    if not found.compared:
        return f"{text}."
    return f"{text}, and the {found.compared:,} with the most edges by what they mean."


def reason_text(proposal: Proposal) -> str:
    """Why two are proposed."""
    return proposal.reason[:1].upper() + proposal.reason[1:]


def merge_detail(merge: Merge) -> str:
    """What a merge moved, and why it was made."""
    return f"{counted(len(merge.moved), 'edge')} moved; {merge.reason or 'by hand'}"
