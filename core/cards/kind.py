"""A kind of artefact as it is shown, in one place: name, icon, card, summary line, sentence of a replay, picture, edit.

Each module of `core.cards.kinds` lists the kinds that it describes; `KINDS` there finds them all. Fields of the form of
an edit, and the checks of what a user writes, are here as well; what becomes of the artefact stands with its kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from core.cards.matching import matches
from core.cards.models import method_view
from core.cards.narration import Sentence
from core.cards.parts import Aid, Card, Drawing, Fold, Line, Lines, Note, Part
from core.cards.passages import PassageCard, Stars, names, passage_card, says_the_same, stars_of
from core.errors import InputError
from core.runs.record import Record, Step
from core.strict_json import read_json
from core.trace.artefacts import AnyArtefact, Artefact, DroppedQuery
from core.trace.gold import Gold
from core.trace.passages import Hit, Passage

A = TypeVar("A", bound=Artefact)

YOURS = "Changed by you."
MAX_CHARS = 4000
MAX_LINES = 12


@dataclass(frozen=True)
class TextField:
    """A field for text, on one line or several."""

    key: str
    label: str
    text: str
    pixels: int = 0
    """Height of a field for several lines; 0: one line."""


@dataclass(frozen=True)
class ChoiceField:
    """One of some options."""

    key: str
    label: str
    options: Sequence[str]
    chosen: str
    head: str = ""
    """Title of the thing that is judged, shown in bold before `text`."""
    text: str = ""


@dataclass(frozen=True)
class PickField:
    """Some of many, in the order in which they are chosen."""

    key: str
    label: str
    options: Mapping[str, str]
    """Id -> its name on screen."""
    chosen: Sequence[str]
    help: str = ""


Field = TextField | ChoiceField | PickField


@dataclass(frozen=True)
class Edit(Generic[A]):
    """How an artefact is edited."""

    fields: Callable[[A], Sequence[Field]]
    change: Callable[[A, Sequence[Any]], AnyArtefact]
    """The artefact with the values of the fields, in their order; an `InputError` says what is wrong with them."""
    lines: Callable[[A], Sequence[str]]
    """All that can be edited as lines of text, by which a fork shows what it changed."""
    label: Callable[[A], str] | None = None
    """Tells the artefact from others of its kind; None: there is one of it in a card."""


def text_edit(
    label: str,
    text: Callable[[A], str],
    change: Callable[[A, str], AnyArtefact],
    pixels: int = 0,
    name: Callable[[A], str] | None = None,
) -> Edit[A]:
    """Return an edit of one text in a field so many pixels high (0: one line); `change` makes the artefact with
    another text, and `name` is its `Edit.label`."""
    return Edit(
        lambda artefact: (TextField("edit-text", label, text(artefact), pixels),),
        lambda artefact, values: change(artefact, values[0]),
        lambda artefact: [text(artefact)],
        name,
    )


def lines_edit(
    label: str, lines: Callable[[A], Sequence[str]], change: Callable[[A, str], AnyArtefact]
) -> Edit[A]:
    """An edit of several texts in one field, one a line; arguments as for `text_edit`."""
    return Edit(
        lambda artefact: (TextField("edit-lines", label, "\n".join(lines(artefact)), 180),),
        lambda artefact, values: change(artefact, values[0]),
        lines,
    )


def edited(artefact: A, **values: object) -> A:
    """The artefact with other values, marked as changed by the user."""
    return artefact.model_copy(update={**values, "note": YOURS})


def checked_text(text: str) -> str:
    """A text without white space around it.

    Raises:
        InputError: It is empty or too long.
    """
    text = text.strip()
    if not text:
        raise InputError("The text is empty. Write something, or leave the artefact as it is.")
    if len(text) > MAX_CHARS:
        raise InputError(f"The text has {len(text):,} characters; at most {MAX_CHARS:,} are possible.")
    return text


def lines_of(text: str) -> list[str]:
    """The lines of a text field, without blanks and copies.

    Raises:
        InputError: There is none, or there are too many or too long ones.
    """
    lines = list(dict.fromkeys(" ".join(line.split()) for line in text.splitlines() if line.strip()))
    if not lines:
        raise InputError("At least one line is needed. Write one, or leave the artefact as it is.")
    if len(lines) > MAX_LINES:
        raise InputError(f"There are {len(lines)} lines; at most {MAX_LINES} are possible.")
    return [checked_text(line) for line in lines]


_ARTEFACT: TypeAdapter[AnyArtefact] = TypeAdapter(AnyArtefact)


def read_artefact(text: bytes) -> AnyArtefact:
    """An artefact from JSON as `runs show --json` prints it; the step it came from may be in it.

    Raises:
        InputError: It is none.
    """
    try:
        fields = read_json(text)
        for name in ("step", "node"):
            fields.pop(name, None)
        return _ARTEFACT.validate_python(fields)
    except (ValueError, AttributeError, TypeError):
        raise InputError(
            "The file does not hold an artefact. Take one from `runs show RUN --json`, and change its text."
        ) from None


@dataclass(frozen=True)
class Scene:
    """The run that a card belongs to."""

    record: Record
    """The run so far."""
    colour: str = ""
    """The strategy's, `#rrggbb`."""
    key: str = ""
    """Tells the run from others that are drawn with it."""
    gold: Sequence[Gold] | None = None
    """Where the evidence is, where that is known before the run says so at its end, as in a replay."""

    @property
    def evidence(self) -> str:
        """`id` of the drawing that holds the passages given to the answer."""
        return f"{self.key}-evidence"

    @cached_property
    def stars(self) -> Stars:
        """Ids of the passages that hold evidence."""
        return stars_of(self.record, self.gold)


@dataclass(frozen=True)
class Item:
    """An artefact and the step that made it."""

    step: Step
    artefact: Any
    key: str
    """Unique in the run and stable while it goes on."""


def items_of(record: Record) -> Iterator[Item]:
    """Every artefact of a run with the step that made it, in order."""
    for step in record.steps:
        for place, artefact in enumerate(step.artefacts):
            yield Item(step, artefact, f"{step.id}-{place}")


@dataclass(frozen=True)
class Join:
    """How artefacts that follow one another are drawn together."""

    takes: Callable[[Item, Item], bool]
    """Of the first artefact of a group and a later one: True if the later one joins the group."""
    card: Callable[[Sequence[Item], Scene], Card] | None = None
    """The one card of all; None: a card each, side by side."""


@dataclass(frozen=True)
class Gist:
    """A run in one line, as artefacts of this kind tell it."""

    order: int
    """Of several kinds in a run, the one with the lowest number speaks."""
    says: Callable[[Record], str]
    """Raw text of a run that made such an artefact; empty: it has nothing to say."""


@dataclass(frozen=True)
class Picture:
    """The one drawing in which all that a run did is seen."""

    title: str
    parts: tuple[Part, ...]
    """How to read it, and the drawing."""
    icon: str = ""
    """A name of Material Symbols."""
    kind: str = ""
    """Key of the kind whose picture it is."""


@dataclass(frozen=True)
class Kind(Generic[A]):
    """Everything about showing a kind of artefact."""

    key: str
    title: str
    icon: str
    """A name of Material Symbols; the same wherever the kind appears."""
    card: Callable[[A, Scene], Card]
    join: Join | None = None
    inside: Callable[[Record], Iterable[str]] = lambda record: ()
    """`Item.key` of the artefacts that are drawn inside the card of this kind."""
    apart: Callable[[A], bool] = lambda artefact: False
    """Whether it has a place of its own, and is no step among the others."""
    spans: bool = False
    """Whether its card is about several steps, so that no one step's seconds belong to it."""
    edit: Edit[A] | None = None
    gist: Gist | None = None
    summary: Callable[[A], str] | None = None
    """A line of a few words, to which its card is folded; None: the card's own subtitle."""
    sentence: Sentence | None = None
    picture: Callable[[Scene], Picture | None] | None = None
    """The picture of a strategy that names this kind in `Strategy.picture`, without icon and kind; None: there is
    nothing to draw yet."""
    artefact: type[A] | None = None
    """Its class, where another package adds it."""


def drawn_picture(
    title: str, reading: str, drawing: str, data: Mapping[str, object] | None, colour: str = ""
) -> Picture | None:
    """Return a picture of one drawing with how to read it; None where `data` is empty, since there is nothing to
    draw yet. `colour` is the strategy's, for a drawing that takes it."""
    if not data:
        return None
    own = {**data, "colour": colour} if colour else data
    return Picture(title, (Aid(reading), Drawing(drawing, own, "picture")))


def card_picture(
    title: str, kind: type[A], card: Callable[[A, Scene], Card]
) -> Callable[[Scene], Picture | None]:
    """Return a `Kind.picture` that is the drawing of a card which is already about the whole run."""

    def picture(scene: Scene) -> Picture | None:
        parts = [part for artefact in scene.record.find(kind)[:1] for part in card(artefact, scene).parts]
        drawings = [part for part in parts if isinstance(part, Drawing)]
        aids = [part for part in parts if isinstance(part, Aid)]
        return Picture(title, (*aids[:1], drawings[0])) if drawings else None

    return picture


def provenance(artefact: Artefact, *, method: bool = True, note: bool = True) -> tuple[Part, ...]:
    """Notes on how an artefact was made: its method, and its note unless they stand elsewhere."""
    parts: list[Part] = []
    if method and (view := method_view(artefact)):
        parts.append(Note(f"{view.skill}: {view.method}", "psychology", view.explains))
    if note and artefact.note:
        parts.append(Note(artefact.note, "info"))
    return tuple(parts)


def hit_cards(hits: Sequence[Hit], score_name: str, stars: Stars, query: str = "") -> list[PassageCard]:
    """The cards of hits in their order, named among one another, faint where one repeats another; each begins, folded,
    with the sentence that shares most with `query`."""
    every = [hit.passage for hit in hits]
    called, near = names(every), matches(query, every)
    return [
        passage_card(
            hit.passage,
            hit.rank,
            hit.score,
            score_name,
            match=near.get(hit.passage.chunk),
            badge=says_the_same(hit.repeats),
            faint=hit.repeats is not None,
            name=called[hit.passage.chunk],
            was=hit.before,
            stars=stars,
        )
        for hit in hits
    ]


def numbered_cards(
    passages: Sequence[Passage],
    stars: Stars,
    quotes: Mapping[str, Sequence[str]] | None = None,
    first: int = 1,
) -> list[dict[str, Any]]:
    """Passages without scores for a drawing, named among one another and numbered from `first` on; `quotes` are the
    words that were used, by chunk."""
    called = names(passages)
    cards = (
        passage_card(
            passage,
            number,
            None,
            "",
            quotes=(quotes or {}).get(passage.chunk, ()),
            name=called[passage.chunk],
            stars=stars,
        )
        for number, passage in enumerate(passages, first)
    )
    return [asdict(card) for card in cards]


def passage_list(
    cards: Sequence[PassageCard], slot: str, *, compact: bool = True, fold: int = 0, id: str = ""
) -> Drawing:
    """Draw passage cards below one another, best first; compact ones show their text on a click only. `fold` is how
    many are seen at once (0: all), `slot` tells the list from others of a card, and citations find it by `id`."""
    shown = [asdict(card) for card in cards]
    data = {"cards": shown, "compact": compact, "fold": fold, "open": "", "asked": 0}
    return Drawing("passages", data, slot, id)


FEW_DROPPED = 4
"""Above this number, dropped queries are folded."""


def dropped(queries: Sequence[DroppedQuery]) -> tuple[Part, ...]:
    """A fold with the queries that were written and not used; empty without any."""
    if not queries:
        return ()
    struck = Lines([Line(query.text, query.reason) for query in queries], numbered=False, struck=True)
    return (Fold(f"{len(queries)} dropped, and why", (struck,), len(queries) <= FEW_DROPPED, "dropped"),)
