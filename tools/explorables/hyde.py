"""HyDE with handles: hypothetical passages on and off, with the question or without; the mean moves on a map."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from core.models.embedding_vectors import normalise
from core.retrieval.dense import mean_vector
from core.trace.artefacts import HypotheticalDocuments
from tools.explorables.recorded import gallery_run, head, shown
from tools.explorables.world import world

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.floating[Any]]

RUN = "recorded-hyde"
HOW = (
    "Switch hypothetical passages on and off, or leave the question out. The diamond is the vector that is searched "
    "with: the mean of all that is on."
)
WRITTEN = (
    (
        "a rower's words",
        "Dip your oar on a warm evening at the end of summer and green sparks run off the blade. It is plankton: "
        "millions of tiny living cells that light up for an instant when something touches them. Fill a jar, shake it "
        "in the dark, and you can watch them flash. In winter there are too few of them to be seen.",
    ),
    ("one short sentence", "The water glows because of plankton."),
    (
        "wrong: lamps",
        "In August the village holds its week of lanterns. Every family hangs lamps along the quay and sets candles in "
        "paper boats upon the harbour, and their light lies on the water all night long, so that whoever rows there "
        "seems to row through gold.",
    ),
    (
        "wrong: the moon",
        "The glow is moonlight. In August the full moon stands low over the bay, and at spring tide the sea is as flat "
        "as a mirror. Every stroke of the oars breaks the reflection into a hundred pieces, which is what people "
        "take for a light in the water.",
    ),
)
"""Name and text of passages beside the recorded one."""
AROUND = 48
"""Passages on the map: all that can come to the first ten, and others near one of the texts."""
SEEN = 10


def make() -> dict[str, Any]:
    """The run's question and passages, those that could be found, all vectors in whole numbers, and the map."""
    found, run = world(), gallery_run(RUN)
    about = head(run, HOW)
    recorded = run.find(HypotheticalDocuments)[-1].texts[0]
    texts = [("as the model wrote it", recorded), *WRITTEN]
    asked = _whole(found.vectors_of([about["question"], *(text for _, text in texts)]))
    every = _whole(found.vectors)
    near = _near(every, asked)
    passages = [found.passages[place] for place in near]
    stars = found.starred(run)
    cards = shown(passages, run, stars)
    chosen = every[near]
    context = run.context
    plain = (-(normalise(every) @ np.array(mean_vector(asked[:1])))).argsort(kind="stable").tolist()
    return about | {
        "about": f"{about['about']} Passage 1 is the model's; the others were written for this page, two are wrong.",
        "k": sum(one.given for one in context.passages) if context else SEEN,
        "texts": [{"name": name, "text": text} for name, text in texts],
        "passages": cards,
        "alone": [plain.index(place) + 1 for place in near],
        "asked": _packed(asked),
        "vectors": _packed(chosen),
        "points": _map(np.concatenate([asked, chosen]), len(asked)),
    }


def _whole(vectors: Vectors) -> NDArray[np.int8]:
    """Vectors in whole numbers up to 127: a cosine moves by less than 0.002."""
    whole: NDArray[np.int8] = np.rint(vectors / np.abs(vectors).max(axis=1, keepdims=True) * 127).astype(
        np.int8
    )
    return whole


def _packed(vectors: NDArray[np.int8]) -> list[str]:
    return [base64.b64encode(row.tobytes()).decode() for row in vectors]


def _unpacked(packed: Sequence[str]) -> Vectors:
    return np.array([np.frombuffer(base64.b64decode(one), dtype=np.int8) for one in packed], dtype=np.float32)


def _near(every: NDArray[np.int8], asked: NDArray[np.int8]) -> list[int]:
    """Places of passages, in their order in the documents."""
    rows = normalise(every)
    wanted: dict[int, None] = {}
    for on in product((True, False), repeat=len(asked)):
        if any(on):
            cosines = rows @ np.array(mean_vector(asked[list(on)]))
            wanted |= dict.fromkeys((-cosines).argsort(kind="stable")[:SEEN].tolist())
    for place in (-(rows @ normalise(asked).T).max(axis=1)).argsort(kind="stable").tolist():
        if len(wanted) >= AROUND:
            break
        wanted.setdefault(place)
    return sorted(wanted)


def _map(vectors: Vectors, texts: int) -> list[list[float]]:
    """Points on a map: a plane fitted once to the question and the texts written for it, so that these lie apart.

    A vector's point is its product with the axes, so the mean of several has the mean of their points.
    """
    rows = normalise(vectors)
    own = rows[:texts]
    _, _, axes = np.linalg.svd(own - own.mean(axis=0), full_matrices=False)
    # The sign of an axis is chance: it is turned so that its largest number is above 0.
    turned = axes[:2] * np.sign(axes[:2, np.abs(axes[:2]).argmax(axis=1)].diagonal())[:, None]
    return [[round(float(one), 4) for one in point] for point in rows @ turned.T]


def computed(data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """`order` and `scores` of the nearest passages, and the `mean` on the map.

    Args:
        data: As `make` gives it.
        values: `on`: which of the texts count; `question`: "with" or "without".
    """
    on = [values["question"] == "with" or not any(values["on"]), *values["on"]]
    cosines = normalise(_unpacked(data["vectors"])) @ np.array(mean_vector(_unpacked(data["asked"])[on]))
    order = (-cosines).argsort(kind="stable")[:SEEN].tolist()
    points = np.array(data["points"][: len(on)])[on]
    return {
        "order": order,
        "scores": [float(cosines[place]) for place in order],
        "mean": [float(one) for one in points.mean(axis=0)],
    }
