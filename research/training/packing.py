"""Examples laid into rows of tokens, in which what several prompts begin with stands once.

Questions about the same passage share its tokens: their prompts are the branches of a tree, laid out in one row with an
attention mask that lets each token see only its ancestors, and with positions that count from the root. What the model
computes for an example is what it would compute for it alone.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

ROW = 448
"""Tokens of a row; attention takes time by the square of it. A tree that is longer has a row of its own."""


@dataclass(frozen=True)
class Encoded:
    """An example as tokens."""

    prompt: tuple[int, ...]
    reply: tuple[int, ...]
    """With the token that ends it."""

    @property
    def weight(self) -> float:
        """What it counts: a list more than a yes or no, but not by all of its tokens."""
        return float(len(self.reply) ** 0.5)


@dataclass
class Tree:
    """Examples that share beginnings; a node is a token."""

    tokens: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """Node before each; -1 for the first."""
    targets: dict[tuple[int, int], float] = field(default_factory=dict)
    """Node and token to be said after it -> weight."""
    _children: dict[tuple[int, int], int] = field(default_factory=dict)

    def add(self, example: Encoded) -> None:
        """Put an example in."""
        node = -1
        for token in example.prompt:
            node = self._child(node, token)
        each = example.weight / len(example.reply)
        for place, token in enumerate(example.reply):
            self.targets[node, token] = self.targets.get((node, token), 0.0) + each
            if place < len(example.reply) - 1:  # nothing is said after the end
                node = self._child(node, token)

    def _child(self, parent: int, token: int) -> int:
        key = (parent, token)
        if key not in self._children:
            self._children[key] = len(self.tokens)
            self.tokens.append(token)
            self.parents.append(parent)
        return self._children[key]


@dataclass(frozen=True)
class Row:
    """Trees side by side, none of which sees another."""

    tokens: NDArray[np.int64]
    """Of shape (n,)."""
    positions: NDArray[np.int64]
    """Depth of each token in its tree, (n,)."""
    sees: NDArray[np.bool_]
    """Whether a token (row) attends to another (column), (n, n)."""
    at: NDArray[np.int64]
    """Places after which something is to be said, (m,)."""
    say: NDArray[np.int64]
    """What, (m,)."""
    weights: NDArray[np.float32]
    """What each counts, (m,)."""


def trees(examples: Sequence[Encoded]) -> list[Tree]:
    """Examples with a common beginning together; in sorted order neighbours share most."""
    made: list[Tree] = []
    shared: tuple[int, ...] = ()
    for example in sorted(examples, key=lambda one: one.prompt):
        common = _common(shared, example.prompt)
        # The system message and the first words of a passage are not worth a common tree; a passage is.
        fits = made and common >= 0.5 * len(example.prompt)
        longest = max(ROW, 2 * len(example.prompt))
        if fits and len(made[-1].tokens) + len(example.prompt) - common + len(example.reply) <= longest:
            made[-1].add(example)
        else:
            made.append(Tree())
            made[-1].add(example)
        shared = example.prompt
    return made


def _common(one: Sequence[int], other: Sequence[int]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def rows(made: Sequence[Tree], seed: int) -> list[Row]:
    """Trees in a random order, filled into rows."""
    order = list(made)
    random.Random(seed).shuffle(order)
    laid: list[list[Tree]] = []
    room = 0
    for tree in order:
        if len(tree.tokens) > room:
            laid.append([])
            room = ROW
        laid[-1].append(tree)
        room -= len(tree.tokens)
    return [_row(trees_of) for trees_of in laid]


def _row(made: Sequence[Tree]) -> Row:
    count = sum(len(tree.tokens) for tree in made)
    tokens, positions = np.zeros(count, np.int64), np.zeros(count, np.int64)
    sees = np.zeros((count, count), bool)
    at: list[int] = []
    say: list[int] = []
    weights: list[float] = []
    start = 0
    for tree in made:
        for node, (token, parent) in enumerate(zip(tree.tokens, tree.parents, strict=True)):
            here = start + node
            tokens[here] = token
            if parent >= 0:
                positions[here] = positions[start + parent] + 1
                sees[here] = sees[start + parent]
            sees[here, here] = True
        for (node, token), weight in tree.targets.items():
            at.append(start + node)
            say.append(token)
            weights.append(weight)
        start += len(tree.tokens)
    return Row(tokens, positions, sees, np.array(at), np.array(say), np.array(weights, np.float32))
