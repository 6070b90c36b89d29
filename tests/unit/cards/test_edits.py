"""What a user makes of an artefact, and what a fork changed beside its parent."""

from __future__ import annotations

from typing import get_args

import pytest

from core.cards.fork import changes, fork_view, lines
from core.cards.kind import YOURS, lines_of, read_artefact
from core.cards.kinds import KINDS
from core.cards.kinds.chain import with_answer
from core.cards.kinds.evidence import with_given
from core.cards.kinds.queries import with_queries
from core.errors import InputError
from core.runs.record import record
from core.skills.references import fill_references
from core.trace.artefacts import AnyArtefact, Context, Pair, Queries, SubAnswer
from tests import examples

QUERIES = next(item for item in examples.artefacts() if isinstance(item, Queries))
CONTEXT = next(item for item in examples.artefacts() if isinstance(item, Context))


def test_every_kind_that_can_be_edited_has_a_form_and_lines() -> None:
    kinds = get_args(get_args(AnyArtefact)[0])
    editable = {kind.key for kind in KINDS.values() if kind.edit}
    assert {kind.model_fields["kind"].default for kind in kinds if kind.channel} == editable
    for artefact in examples.artefacts():
        assert bool(lines(artefact)) == (artefact.channel is not None)


def test_queries_keep_their_origin_and_new_ones_are_the_users() -> None:
    kept = QUERIES.queries[0]
    edited = with_queries(QUERIES, f"\n {kept.text} \n\nmine\nmine\n")
    assert edited.queries[0] == kept
    assert [(query.text, query.origin) for query in edited.queries[1:]] == [("mine", "user")]
    assert edited.note == YOURS


@pytest.mark.parametrize(
    ("text", "sentence"),
    [("", "At least one line"), (" \n ", "At least one line"), ("\n".join("abcdefghijklmn"), "at most 12"),
     ("x" * 5000, "at most 4,000")],
)  # fmt: skip
def test_lines_that_cannot_be_used(text: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        lines_of(text)


def test_given_passages_come_first_in_the_order_chosen() -> None:
    chunks = [item.passage.chunk for item in CONTEXT.passages]
    edited = with_given(CONTEXT, [chunks[2], chunks[0], "nowhere"])
    assert [item.passage.chunk for item in edited.passages][:2] == [chunks[2], chunks[0]]
    assert [item.given for item in edited.passages] == [True, True] + [False] * (len(chunks) - 2)
    assert [item.rank for item in edited.passages] == list(range(1, len(chunks) + 1))
    with pytest.raises(InputError, match="At least one passage"):
        with_given(CONTEXT, [])


def test_another_answer_is_sure_and_is_what_fills_the_marks() -> None:
    doubtful = SubAnswer(index=0, question="Who?", searched="Who?", text="He.", short="He", suggested=True)
    edited = with_answer(doubtful, "Steven Spielberg")
    assert (edited.short, edited.suggested, edited.abstained) == ("", False, False)
    filled = Pair(question="Who?", answer=edited.text, short=edited.short)
    assert fill_references("Where was #1 born?", [filled]).text == "Where was Steven Spielberg born?"


def test_an_artefact_from_json() -> None:
    text = QUERIES.model_dump_json().replace("{", '{"step": "s", "node": "n",', 1)
    assert read_artefact(text.encode()) == QUERIES
    for bad in (b"", b"[]", b"{}", b'{"kind": "nope"}', b"[" * 100_000):
        with pytest.raises(InputError, match="does not hold an artefact"):
            read_artefact(bad)


def test_changes_are_the_lines_taken_away_and_added() -> None:
    found = [(change.sign, change.text) for change in changes(["a", "b", "c"], ["a", "x", "c", "d"])]
    assert found == [("-", "b"), ("+", "x"), ("+", "d")]


def test_a_fork_beside_its_parent() -> None:
    parent = record(examples.rag_fusion())
    same = fork_view(parent, record(examples.rag_fusion()))
    assert (same.came_in, same.dropped, same.moved) == ((), (), 0)
    assert same.answer_before == same.answer_after != ""
