"""The question, the more general one behind it, and what each of the two found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from core.cards.kind import Edit, Gist, Kind, Scene, TextField, provenance
from core.cards.parts import Aid, Card, Drawing
from core.cards.passages import PassageCard, passage_card
from core.runs import edits
from core.runs.record import Record
from core.trace.artefacts import Ranking, StepBack

READING = "Best passage first on each side. A line joins a passage that both questions found."


@dataclass(frozen=True)
class Side:
    """One question and its passages, best first; raw text."""

    label: str
    question: str
    cards: tuple[PassageCard, ...]
    empty: str
    """What to say in place of passages; empty if there are some."""


@dataclass(frozen=True)
class StepBackView:
    """Both questions side by side; raw text."""

    question: str
    general: str
    same: bool
    """No step back was found."""
    sides: tuple[Side, Side]
    shared: tuple[str, ...]
    """Chunks that both questions found."""

    def data(self) -> dict[str, object]:
        """As plain values, for the page."""
        return asdict(self)


def step_back_view(
    artefact: StepBack, rankings: Sequence[Ranking] = (), *, running: bool = False
) -> StepBackView:
    """The two questions with what they found.

    Args:
        artefact: The step back.
        rankings: Those of the run so far.
        running: Whether a ranking that is not there may still come.
    """
    same = artefact.general == artefact.question
    found = {ranking.query: ranking for ranking in rankings}
    missing = "Searching…" if running else "Not searched."
    specific = found.get(artefact.question)
    general = None if same else found.get(artefact.general)
    nothing = "The same question: it is not searched twice." if same else missing
    left = _side("The question", artefact.question, specific, missing)
    right = _side("A step back", artefact.general, general, nothing)
    shared = tuple(card.id for card in left.cards if card.id in {other.id for other in right.cards})
    return StepBackView(artefact.question, artefact.general, same, (left, right), shared)


def _side(label: str, question: str, ranking: Ranking | None, missing: str) -> Side:
    if ranking is None:
        return Side(label, question, (), missing)
    cards = tuple(passage_card(hit.passage, hit.rank, hit.score, ranking.score_name) for hit in ranking.used)
    return Side(label, question, cards, "" if cards else "Nothing was found.")


def card(artefact: StepBack, scene: Scene) -> Card:
    """Both questions with their passages side by side; a passage of both is marked and joined by a line."""
    running = scene.record.state == "running"
    view = step_back_view(artefact, scene.record.find(Ranking), running=running)
    aid = () if view.same else (Aid(READING),)
    drawing = Drawing("step_back", view.data() | {"colour": scene.colour})
    both = f"{len(view.shared)} found by both" if view.shared else ""
    return Card((*aid, drawing, *provenance(artefact)), both)


def _inside(record: Record) -> Iterator[tuple[str, int]]:
    """The rankings of both questions stand side by side below them."""
    for step in record.steps if record.find(StepBack) else ():
        for place, artefact in enumerate(step.artefacts):
            if isinstance(artefact, Ranking):
                yield step.id, place


def _fields(artefact: StepBack) -> tuple[TextField]:
    return (TextField("edit-text", "The step back", artefact.general),)


def _change(artefact: StepBack, values: Sequence[str]) -> StepBack:
    return edits.with_general(artefact, values[0])


KINDS = (
    Kind(
        key="step_back",
        title="Step back",
        icon="zoom_out_map",
        moment="The step back",
        gist=Gist(60, lambda record: f"Stepped back to: “{record.find(StepBack)[-1].general}”"),
        card=card,
        inside=_inside,
        edit=Edit(_fields, _change, lambda artefact: [artefact.general]),
    ),
)
