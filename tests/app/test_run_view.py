"""A run on the page: every example is drawn, and hostile text in any field stays text."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import core.drawings
import core.ui
from core.cards.kind import Scene
from core.cards.kinds import KINDS
from core.runs.record import record
from core.trace.artefacts import Answer, Citation
from core.trace.events import EVENT, Event
from core.ui.cards.rows import ON_THE_PAGE
from core.ui.run.whole_run import WHOLE
from tests import examples
from tests.app.drawings import components
from tests.cases import cases
from tests.unit.ui.shell.test_safe import HOSTILE, harmless


def draw(lines: list[str], whole: bool) -> None:
    import streamlit as st

    from core.runs.record import record
    from core.trace.events import load
    from core.ui.run.whole_run import WHOLE, draw_run

    st.session_state.setdefault(WHOLE, whole)
    draw_run(record(map(load, lines)))


def page(events: list[Event], *, whole: bool = True) -> AppTest:
    """A run, with every step open or with one of them on its stage."""
    from core.trace.events import dump

    lines = [dump(event) for event in events]
    app = AppTest.from_function(draw, args=(lines, whole), default_timeout=20).run()
    assert not app.exception
    return app


def texts(app: AppTest) -> list[str]:
    """Everything that Streamlit renders as Markdown."""
    found: list[str] = []
    item: Any
    for kind in ("markdown", "caption", "error", "warning", "info", "success", "header", "subheader"):
        for item in app.get(kind):
            found += [str(item.value), str(getattr(item.proto, "help", ""))]
    for kind in ("button", "expander", "metric", "slider"):
        for item in app.get(kind):
            found.append(item.label)
    found += [button.help or "" for button in app.button]
    return found


@cases("name", examples.RUNS)
def test_every_example_is_drawn_folded_and_whole(name: str) -> None:
    app = page(examples.RUNS[name](), whole=False)
    assert len(steps(app, opened=True)) <= 1
    page(examples.RUNS[name]())


def steps(app: AppTest, *, opened: bool) -> list[str]:
    """Labels of the steps that are open, or of those that are folded to a line."""
    lines: list[Any] = list(app.expander)
    return [one.label for one in lines if "-step-" in one.proto.id and one.proto.expanded == opened]


def test_one_step_is_on_stage_and_the_others_say_what_they_did() -> None:
    app = page(examples.rag_fusion(), whole=False)
    assert steps(app, opened=True) == [
        "**Rank fusion** :gray[:small[0.03 s]] · 5 lists into one of 9 passages"
    ]
    folded = steps(app, opened=False)
    assert folded[0].endswith(" · 5 queries\\, 2 dropped")
    assert folded[-2].startswith("**Passages** · 6 given to the answer")
    assert folded[-1].startswith("**Embedding map** · 5 texts")


def test_all_steps_are_open_on_request() -> None:
    app = page(examples.rag_fusion(), whole=False)
    few = len(components(app))
    app.toggle(key=WHOLE).set_value(True).run()
    assert not app.exception
    assert [line.split()[0] for line in steps(app, opened=False)] == [
        "**Embedding"
    ]  # only on a click of its own
    assert len(components(app)) > few + 5


MOMENTS = 3
"""At which each example is drawn by default; `thorough` draws them all."""


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.thorough)])
@cases("name", examples.RUNS)
def test_a_run_can_be_drawn_at_every_moment(name: str, every: bool) -> None:
    events = examples.RUNS[name]()
    for end in range(1, len(events), 1 if every else -(-len(events) // MOMENTS)):
        page(events[:end])


def test_what_only_the_page_draws_is_of_a_kind() -> None:
    assert set(ON_THE_PAGE) < set(KINDS)


def test_a_citation_opens_its_passage() -> None:
    app = page(examples.rag_fusion(), whole=False)
    chip = next(button for button in app.button if button.key and button.key.startswith("cite-"))
    chip.click().run()
    opened = [data["open"] for data in components(app) if data.get("open")]
    assert opened
    assert opened[0] in {passage.chunk for passage in examples.PASSAGES}


def test_the_k_slider_fuses_again_and_says_how_the_run_fused() -> None:
    app = page(examples.rag_fusion())
    assert not any("With these values" in caption.value for caption in app.caption)
    app.slider[0].set_value(1).run()
    assert not app.exception
    changed = next(caption.value for caption in app.caption if "With these values" in caption.value)
    assert "fused with k = 60" in changed.replace("\\", "")


def test_a_chain_of_thoughts_is_one_card_that_grows() -> None:
    events = examples.ircot()
    lengths = []
    for end in range(1, len(events) + 1, 6):
        chains = [data["thoughts"] for data in components(page(events[:end])) if "thoughts" in data]
        assert len(chains) <= 1
        lengths += [len(chain) for chain in chains]
    assert lengths == sorted(lengths)
    chain = next(data["thoughts"] for data in components(page(events)) if "thoughts" in data)
    assert [thought["text"] for thought in chain] == list(examples.THOUGHTS)
    assert chain[0]["rest"] == "And more that is not used."
    assert chain[-1]["ends"].startswith("The chain ends")
    numbers = [card["rank"] for thought in chain for card in thought["cards"]]
    assert numbers == [str(number) for number in range(4, 4 + len(numbers))]


def test_a_step_back_shows_both_searches_and_what_both_found() -> None:
    data = next(data for data in components(page(examples.step_back())) if "sides" in data)
    first, second = data["sides"]
    assert first["question"] == examples.QUESTION
    both = {card["id"] for card in first["cards"]} & {card["id"] for card in second["cards"]}
    assert set(data["shared"]) == both
    assert both


def test_a_step_back_under_way_waits_for_its_search() -> None:
    events = examples.step_back()
    made = next(
        i for i, event in enumerate(events) if event.type == "artefact" and event.artefact.kind == "step_back"
    )
    data = next(data for data in components(page(events[: made + 1])) if "sides" in data)
    assert data["sides"][0]["cards"]
    assert data["sides"][1]["empty"] == "Searching…"


def test_a_failed_run_keeps_what_it_had_and_says_what_to_do() -> None:
    app = page(examples.failed())
    assert "rate limit" in app.error[0].value
    assert any("rate limit" in item.value and "tried again" in item.value for item in app.markdown)


def test_a_stopped_run_keeps_the_draft() -> None:
    app = page(examples.stopped())
    assert app.warning
    assert any("Full Moon High" in item.value for item in app.markdown)


def test_the_copied_answer_says_that_it_is_copied() -> None:
    app = page(examples.plain())
    assert any("not written" in caption.value for caption in app.caption)


def poisoned(value: Any, poison: str) -> Any:
    """A value with hostile text in every free text field."""
    fixed = {"type", "kind", "role", "run", "step", "parent", "call", "chunk", "document", "origin",
             "created", "strategy", "node", "state", "missing"}  # fmt: skip
    if isinstance(value, dict):
        return {k: v if k in fixed else poisoned(v, poison) for k, v in value.items()}
    if isinstance(value, list):
        return [poisoned(item, poison) for item in value]
    return f"{value} {poison}" if isinstance(value, str) else value


POISONED = ("rag-fusion", "multi-query", "ircot", "step-back", "hyde", "failed", "stopped")


@pytest.mark.parametrize(
    ("poison", "name"),
    [
        pytest.param(poison, name, marks=() if number % len(POISONED) == place else pytest.mark.thorough)
        for number, poison in enumerate(HOSTILE)
        for place, name in enumerate(POISONED)
    ],
)
def test_hostile_text_in_every_field_stays_text(poison: str, name: str) -> None:
    events = [
        EVENT.validate_python(poisoned(EVENT.dump_python(event, mode="json"), poison))
        for event in examples.RUNS[name]()
    ]
    # The answer's text is Markdown by design; everything else of the run is literal.
    for text in texts(page(events)):
        harmless(without_ours(text))


def without_ours(text: str) -> str:
    """Our own directives and icons taken away: what is left comes from the run."""
    import re

    text = re.sub(r"\[[^]]*\]\(#open-(\d+|missed)\)", "", re.sub(r"(?<!\\):(material/\w+):", "", text))
    return re.sub(r"(?<!\\):(blue-badge|gray-badge|gray|small|green-badge)\[", "", text)


def test_an_answer_of_hostile_text_is_harmless() -> None:
    for poison in HOSTILE:
        answer = Answer(
            text=poison, sentences=(poison,), citations=(Citation(sentence=0, chunk="doc0-0", quote=poison),)
        )
        events = [
            event.model_copy(update={"artefact": answer})
            if event.type == "artefact" and event.artefact.kind == "answer"
            else event
            for event in examples.plain()
        ]
        for text in texts(page(events)):
            harmless(without_ours(text))


FOLDERS = (Path(core.ui.__file__).parent, Path(core.drawings.__file__).parent)


@cases("script", sorted(path for folder in FOLDERS for path in folder.rglob("*.js")))
def test_our_components_never_interpret_text(script: Path) -> None:
    code = script.read_text(encoding="utf-8")
    for risky in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert risky not in code


def test_hypothetical_passages_are_counted() -> None:
    """In the line below their title, which for one and for none reads another way."""
    made = next(
        event for event in examples.hyde() if event.type == "artefact" and event.artefact.kind == "passages"
    )
    assert made.type == "artefact"
    for texts_, line in (
        (("One.",), "1 passage, "),
        (("One.", "Two."), "2 passages, "),
        ((), "no passages, "),
    ):
        artefact = made.artefact.model_copy(update={"texts": texts_})
        card = KINDS["passages"].card(artefact, Scene(record([]), "#0072B2", "run"))
        assert card.subtitle.startswith(line)
