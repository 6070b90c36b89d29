"""Which proposals to merge are still open."""

from __future__ import annotations

from datetime import UTC, datetime

from core.knowledge.build.resolution import SAME_WORDS, ComparedEntity, Proposal, Proposals
from core.knowledge.records import NodeRecord
from core.knowledge.store.aliases import Merge, survivors
from core.ui.knowledge.duplicates import merge_detail, open_proposals, pair, reason_text, search_line


def proposal(keep: str, duplicate: str, reason: str = "one has initials") -> Proposal:
    one, other = (ComparedEntity(id=name, name=name.upper(), kind="", edges=1) for name in (keep, duplicate))
    return Proposal(keep=one, duplicate=other, reason=reason)


def merged(keep: str, gone: str, edges: int = 2) -> Merge:
    ends = [NodeRecord(id=name, name=name.upper()) for name in (keep, gone)]
    moved = [{"s": gone, "t": "x"}] * edges
    return Merge(f"{keep}{gone}", ends[0], ends[1], "", datetime(2026, 1, 1, tzinfo=UTC), moved, [])


def names(left: list[Proposal]) -> list[tuple[str, str]]:
    return [(one.keep.name, one.duplicate.name) for one in left]


def test_a_merge_and_its_undo_move_the_other_proposals() -> None:
    found = [proposal("a", "b"), proposal("b", "c"), proposal("a", "c"), proposal("d", "e")]
    assert names(open_proposals(found, [], [])) == [("A", "B"), ("B", "C"), ("A", "C"), ("D", "E")]
    left = open_proposals(found, [merged("a", "b")], [])
    assert names(left) == [("A", "C"), ("D", "E")], "B is A now, and two pairs have become one"
    assert names(open_proposals(found, [merged("a", "b"), merged("c", "a")], [])) == [("D", "E")]


def test_what_is_dismissed_stays_away() -> None:
    found = [proposal("a", "b"), proposal("b", "c"), proposal("a", "c")]
    dismissed = {pair(found[2])}
    assert names(open_proposals(found, [], dismissed)) == [("A", "B"), ("B", "C")]
    assert open_proposals(found, [merged("a", "b")], dismissed) == [], (
        "also where it comes up by way of a merge"
    )


def test_merges_of_merges_are_followed() -> None:
    assert survivors([merged("a", "b"), merged("c", "a")]) == {"b": "c", "a": "c"}
    assert survivors([merged("a", "b"), merged("b", "a")]) == {"a": "b"}


def test_only_ways_to_write_the_same_are_safe() -> None:
    assert proposal("a", "b", SAME_WORDS).safe
    assert not proposal("a", "b").safe
    assert not proposal("a", "b", "near in meaning (cosine 0.99)").safe


def test_in_words() -> None:
    assert reason_text(proposal("a", "b")) == "One has initials"
    assert merge_detail(merged("c", "d", 1)) == "1 edge moved; by hand"
    assert merge_detail(merged("a", "b")).startswith("2 edges moved")
    assert "by what they mean" not in search_line(Proposals(proposals=(), entities=9, compared=0))
    assert "the 5 with the most edges" in search_line(Proposals(proposals=(), entities=9, compared=5))
