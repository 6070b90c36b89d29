"""Explorables on pages of their own: used as a reader does, their state in the address."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from core.explorables import stored
from core.models.embeddings import builtin_embedder
from core.strategies.lessons import key_of, lesson
from tests.browser.still import still
from tests.explorables import CHANGED, ELSEWHERE, EMBEDS, ORDERED, SLOW, Opened, close, companion
from tools.explorables import explorable, stems
from tools.explorables.world import world

SIZES = [(1920, 1080), (1440, 900), (800, 1000), (345, 844)]


@pytest.fixture(scope="module")
def one_page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
    yield page
    page.close()


@pytest.fixture
def plain_page(one_page: Page) -> Iterator[Page]:
    """A blank page, on which nothing may fail; the same for all tests, since a new one takes a process of its own."""
    faults: list[object] = []

    def note(fault: object) -> None:
        faults.append(fault)

    one_page.goto("about:blank")
    one_page.on("pageerror", note)
    yield one_page
    one_page.remove_listener("pageerror", note)
    assert not faults


def opened(
    page: Page, stem: str, folder: Path, *, width: int, dark: bool = False, touch: bool = False
) -> Opened:
    part = stored(stem)
    assert part is not None
    file = folder / f"{stem}.html"
    file.write_text(still(part, width=min(width - 32, 1200), dark=dark), encoding="utf-8")
    page.goto(file.as_uri())
    return Opened(page, page.locator("#place"), touch)


def use(one: Opened, stem: str) -> None:
    """Use it; then its address alone leads to the same state, and a reset to the first one."""
    first = one.answer.inner_text()
    companion(stem).use(one)
    expect(one.page).to_have_url(CHANGED)
    said = one.answer.inner_text()
    address = one.page.url
    one.page.goto("about:blank")
    one.page.goto(address)
    expect(one.answer).to_have_text(said)
    one.press(one.place.get_by_role("button", name="Reset"))
    expect(one.answer).to_have_text(first)
    assert "#" not in one.page.url
    assert one.place.locator(".aloud li").count() > 0
    _guess(one, stem)
    _other_data(one.page, stem)


def _guess(one: Opened, stem: str) -> None:
    """Guess wrongly, let it be shown: the guess stays beside what came, also when the handles are reset, and
    when the page is opened again with its address."""
    guess = lesson(key_of(stem)).guess
    assert guess is not None
    wrong = next(text for option, text in guess.options.items() if option != guess.right)
    place, came = one.place.locator(".guess"), one.place.locator(".came")
    one.press(place.locator("label").filter(has_text=wrong).first)
    expect(came).to_contain_text(f"Your guess: {wrong}")
    assert guess.after not in came.inner_text()
    one.press(place.get_by_role("button", name="Show the result"))
    expect(one.answer).to_contain_text(guess.shows)
    one.press(one.place.get_by_role("button", name="Reset"))
    address = one.page.url
    one.page.goto("about:blank")
    one.page.goto(address)
    expect(came).to_contain_text(f"Your guess: {wrong}")
    expect(came).to_contain_text(f"Something else happened: {guess.options[guess.right]}")
    expect(came).to_contain_text(guess.after)
    one.press(place.get_by_role("button", name="Guess again"))
    assert "#" not in one.page.url


def _other_data(page: Page, stem: str) -> None:
    """Draw other data in the same place, and make that narrow: nothing draws in the stage that was there before."""
    part = stored(stem)
    assert part is not None
    page.evaluate("data => void put(data)", {**part.data, "question": "Another question?"})
    expect(page.locator("#place h3")).to_have_text("Another question?")
    expect(page.locator("#place .stage > *")).not_to_have_count(0)
    page.locator("#place").evaluate("place => { place.style.width = '400px' }")
    expect(page.locator("#place .root.slim")).to_have_count(1)


@pytest.mark.parametrize("stem", stems())
def test_it_is_used_as_a_reader_does(plain_page: Page, stem: str, tmp_path: Path) -> None:
    use(opened(plain_page, stem, tmp_path, width=1440), stem)


@pytest.mark.thorough
@pytest.mark.parametrize("touch", [False, True])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("stem", stems())
def test_it_is_used_in_every_size_and_theme(
    browser: Browser, stem: str, size: tuple[int, int], tmp_path: Path, *, dark: bool, touch: bool
) -> None:
    page = browser.new_page(
        viewport={"width": size[0], "height": size[1]}, has_touch=touch, reduced_motion="reduce"
    )
    try:
        one = opened(page, stem, tmp_path, width=size[0], dark=dark, touch=touch)
        use(one, stem)
        assert one.place.evaluate(
            "node => node.shadowRoot.querySelector('.root').scrollWidth <= node.clientWidth"
        )
    finally:
        page.close()


@pytest.mark.parametrize(
    "stem", [pytest.param(stem, marks=[pytest.mark.thorough] if stem in SLOW else []) for stem in stems()]
)
def test_what_is_stored_is_what_is_made(stem: str) -> None:
    elsewhere = stem in EMBEDS and not same_vectors()
    part = stored(stem)
    assert part is not None
    made = json.loads(json.dumps(explorable(stem).make()))
    data = {name: value for name, value in part.data.items() if name != "guess"}  # the lesson's
    if elsewhere and stem in ORDERED:
        # Neighbours may have changed places: everything else is compared, the same fields and the texts of the page.
        assert made.keys() == data.keys()
        assert all(data[name] == text for name, text in made.items() if isinstance(text, str))
    else:
        assert close(made, data, ELSEWHERE if elsewhere else 1e-12)


def same_vectors() -> bool:
    """Whether this processor computes the vectors that come with the demo documents."""
    found = world()
    computed = builtin_embedder().embeddings.embed_query(found.texts[0])
    return bool(abs(np.array(computed) - found.vectors[0]).max() < 1e-3)


@pytest.mark.parametrize(
    "said", ["k=x&from=9&order=9-1.2_0-1.1.1", "k=1e99", "k=&from=&order=-", "order=0-0.1.2.99"]
)
def test_nonsense_in_the_address_is_no_state(plain_page: Page, said: str, tmp_path: Path) -> None:
    one = opened(plain_page, "rag_fusion", tmp_path, width=1440)
    first = one.answer.inner_text()
    plain_page.goto("about:blank")
    plain_page.goto((tmp_path / "rag_fusion.html").as_uri() + f"#explore=rag-fusion&{said}")
    if "1e99" not in said:
        expect(one.answer).to_have_text(first)
    expect(one.place.get_by_role("slider")).to_have_value("100" if "1e99" in said else "60")
