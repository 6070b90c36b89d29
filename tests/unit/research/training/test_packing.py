"""What a packed row holds: each reply is learned after exactly the tokens that its example has alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from research.training.packing import ROW, Encoded, Row, rows, trees

PASSAGE = tuple(range(100, 160))
EXAMPLES = [
    Encoded((*PASSAGE, 1, 2, 3), (7, 9)),
    Encoded((*PASSAGE, 1, 2, 4), (8, 9)),
    Encoded((*PASSAGE, 5), (7, 8, 9)),
    Encoded((*PASSAGE, 5), (7, 6, 9)),
    Encoded((50, 51, 52), (9,)),
]


def contexts(row: Row) -> Counter[tuple[tuple[int, ...], int]]:
    """What is said after which tokens, as the row's mask and positions have it."""
    found = Counter[tuple[tuple[int, ...], int]]()
    for at, say in zip(row.at, row.say, strict=True):
        seen = np.flatnonzero(row.sees[at])
        order = seen[np.argsort(row.positions[seen])]
        assert list(row.positions[order]) == list(range(len(order)))
        found[tuple(int(row.tokens[place]) for place in order), int(say)] += 1
    return found


def test_every_reply_is_learned_after_its_own_tokens_and_no_others() -> None:
    (row,) = rows(trees(EXAMPLES), seed=0)
    wanted = {
        (example.prompt + example.reply[:place], token)
        for example in EXAMPLES
        for place, token in enumerate(example.reply)
    }
    assert set(contexts(row)) == wanted
    assert row.weights.sum() == pytest.approx(sum(example.weight for example in EXAMPLES))


def test_what_prompts_share_stands_once() -> None:
    made = trees(EXAMPLES)
    assert sorted(len(tree.tokens) for tree in made) == [3, len(PASSAGE) + 4 + 2 + 3 + 1]
    assert sum(len(example.prompt) + len(example.reply) for example in EXAMPLES) > 3 * len(PASSAGE)


def test_a_row_is_full_but_never_cuts_a_tree() -> None:
    many = [Encoded((start,) * 100, (1, 2)) for start in range(10)] + [Encoded((99,) * (2 * ROW), (1,))]
    made = rows(trees(many), seed=1)
    assert sum(len(row.tokens) for row in made) == 10 * 101 + 2 * ROW
    assert max(len(row.tokens) for row in made) == 2 * ROW
    assert sum(len(row.say) for row in made) == 21


def test_rows_depend_on_the_seed_alone() -> None:
    one, same, other = (rows(trees(EXAMPLES), seed)[0] for seed in (3, 3, 4))
    assert np.array_equal(one.tokens, same.tokens)
    assert sorted(one.tokens) == sorted(other.tokens)
