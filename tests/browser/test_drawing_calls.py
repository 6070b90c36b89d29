"""How a drawing is called: only what it was called with last is on the page, in whatever order the calls come."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from core.ui.shell.assets import script

ROUNDS = 30

# As Streamlit calls a component: each call waits for the script on its own, and one that another has taken the place
# of is taken back once it has returned. The browser says in which order those that wait go on.
LOADING = """async ([source, data]) => {
  const drawn = [], orders = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const place = document.createElement("div")
    place.innerHTML = '<div class="root"></div>'
    document.body.replaceChildren(place)
    const url = URL.createObjectURL(new Blob([`${source}\\n// ${round}`], { type: "text/javascript" }))
    const order = []
    await Promise.all(data.map(async (one, at) => {
      const { default: component } = await import(url)
      order.push(at)
      const end = await component({ data: one, parentElement: place })
      if (at < data.length - 1) end()
    }))
    await new Promise((done) => setTimeout(done, 20))
    drawn.push(place.querySelector("h4").textContent)
    orders.push(order.join())
  }
  return [drawn, orders]
}""".replace("ROUNDS", str(ROUNDS))

# A script that is there already, called again and again with what is new, none of it taken back.
GROWING = """async ([source, data]) => {
  const { observe, disconnect } = ResizeObserver.prototype
  const watchers = new Set()
  ResizeObserver.prototype.observe = function (node) { watchers.add(this); observe.call(this, node) }
  ResizeObserver.prototype.disconnect = function () { watchers.delete(this); disconnect.call(this) }
  const place = document.createElement("div")
  place.innerHTML = '<div class="root"></div>'
  document.body.replaceChildren(place)
  const { default: component } = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })))
  let end
  for (const one of data) {
    end = component({ data: one, parentElement: place })
    await new Promise((done) => setTimeout(done, 20))
  }
  const during = watchers.size
  end()
  return [during, watchers.size]
}"""


def chain(question: str) -> dict[str, object]:
    """A chain with one link."""
    link = {
        "number": 1,
        "question": question,
        "searched": "",
        "given": [],
        "cards": [],
        "text": "It was.",
        "abstained": False,
        "note": "",
        "used": True,
    }
    return {"links": [link], "ending": "Put together", "answer": "It was so.", "colour": "#56B4E9"}


@pytest.fixture
def calls() -> list[dict[str, object]]:
    return [chain(f"What was {number}?") for number in range(5)]


def test_what_came_last_is_drawn_though_the_script_loads_late(
    browser: Browser, calls: list[dict[str, object]]
) -> None:
    page = browser.new_page()
    try:
        drawn, orders = page.evaluate(LOADING, [script("chain"), calls])
    finally:
        page.close()
    assert any(order != "0,1,2,3,4" for order in orders), "The browser keeps the order: the wait is needless."
    assert drawn == ["What was 4?"] * ROUNDS


def test_a_drawing_watches_its_size_once(browser: Browser, calls: list[dict[str, object]]) -> None:
    page = browser.new_page()
    try:
        assert page.evaluate(GROWING, [script("chain"), calls]) == [1, 0]
    finally:
        page.close()
