"""What a reader does with each explorable, and what has to come of it; one function per explorable."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect


@dataclass
class Opened:
    """An explorable that is open on a page."""

    page: Page
    place: Locator
    """Where it is drawn."""
    touch: bool
    """Whether a finger is used in place of a mouse."""

    @property
    def answer(self) -> Locator:
        """The sentence that says what it comes to."""
        return self.place.locator("p.answer")

    def press(self, node: Locator) -> None:
        """Click or tap."""
        if self.touch:
            node.tap()
        else:
            node.click()

    def slide(self, name: str, value: float) -> None:
        """Set the slider that is called so, as a drag of its handle does."""
        self.place.get_by_role("slider", name=name).fill(str(value))

    def drag(self, node: Locator, to: Locator) -> None:
        """Drag one thing onto another, by mouse or finger."""
        node.scroll_into_view_if_needed()
        (x, y), (u, v) = _middle(node), _middle(to)
        half = (x + u) / 2, (y + v) / 2
        if not self.touch:
            self.page.mouse.move(x, y)
            self.page.mouse.down()
            self.page.mouse.move(*half)
            self.page.mouse.move(u, v)
            self.page.mouse.up()
            return
        finger = self.page.context.new_cdp_session(self.page)
        moves = [("touchStart", [(x, y)]), ("touchMove", [half]), ("touchMove", [(u, v)]), ("touchEnd", [])]
        for kind, points in moves:
            touched = [{"x": across, "y": down} for across, down in points]
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touched})
            self.page.wait_for_timeout(
                100
            )  # a finger that is lifted while it moves flings, and the next tap stops that


def _middle(node: Locator) -> tuple[float, float]:
    box = node.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def rag_fusion(one: Opened) -> None:
    """A passage that is dragged to the top of a list rises; with k = 1 the first places decide."""
    column = one.place.locator("section.list").nth(2).locator(".chip")
    name = column.nth(3).locator(".name").inner_text()[1:].strip()
    before = one.answer.inner_text()
    one.drag(column.nth(3).locator(".grip"), column.nth(0).locator(".grip"))
    expect(column.nth(0).locator(".name")).to_contain_text(name)
    expect(one.place.locator(".fused .was:not(:empty)").first).to_be_attached()
    one.slide("k", 1)
    expect(one.place.locator(".fused h4")).to_contain_text("1 / (1 + rank)")
    one.press(one.place.get_by_role("radio", name="0, as in some programs"))
    expect(one.place.locator(".fused h4")).to_contain_text("ranks from 0")
    assert one.answer.inner_text() != before
    column.nth(1).focus()
    second = column.nth(1).locator(".name").inner_text()[1:].strip()
    one.page.keyboard.press("Alt+ArrowUp")
    expect(column.nth(0).locator(".name")).to_contain_text(second)
    expect(column.nth(0)).to_be_focused()


def chain(one: Opened) -> None:
    """A wrong answer travels where links know of one another, and stays where they do not."""
    one.press(one.place.get_by_role("radio", name="1 is “Marten Tesk”"))
    one.press(one.place.get_by_role("radio", name="one after the other"))
    expect(one.place.locator(".remark")).to_have_text(["edited", "changed by it", "changed by it"])
    one.press(one.place.get_by_role("radio", name="each by itself"))
    expect(one.place.locator(".remark")).to_have_text(["edited"])
    one.place.get_by_role("radio", name="one after the other").press("ArrowRight")
    expect(one.place.get_by_role("radio", name="from easy to hard")).to_be_checked()
    expect(one.answer).to_contain_text("travelled into links 2, 3")


def step_back(one: Opened) -> None:
    """Not quite so far, and the rule is found."""
    one.press(one.place.get_by_role("radio", name="very far"))
    expect(one.place.locator(".query").nth(1)).to_contain_text("the law on ferries")
    one.press(one.place.get_by_role("radio", name="a little"))
    expect(one.place.locator(".said")).to_contain_text("The answer is right")


def plain(one: Opened) -> None:
    """Words find what the meaning misses, unless the rare word is off; a passage says word by word why it matched."""
    expect(one.answer).to_contain_text("0 of 2 ★ are among the 6 given")
    one.slide("Meaning or words", 0)
    expect(one.answer).to_contain_text("★ officers.csv is 1st")
    first = one.place.locator(".hit").first
    expect(first).to_contain_text("officers.csv")
    one.press(one.place.get_by_role("radio", name="director"))
    expect(first).not_to_contain_text("officers.csv")
    expect(one.place.locator("tr.off .adds")).to_have_text("–")
    one.press(first)
    expect(first).to_have_attribute("aria-pressed", "true")
    expect(one.place.locator("section h4").nth(1)).to_contain_text("1st now")
    one.slide("Passages given", 2)
    expect(one.place.locator(".hit.left")).to_have_count(8)


def hyde(one: Opened) -> None:
    """Without its passage the question misses the evidence; a passage that is wrong leads elsewhere."""
    passages = one.place.get_by_role("group", name="Hypothetical passages").get_by_role("button")
    first = one.place.locator(".hit").first
    expect(first).to_contain_text("★ An Hour at the Table")
    one.press(passages.nth(0))
    expect(one.answer).to_contain_text("The question does not find")
    expect(one.place.locator(".part")).to_have_count(1)
    one.press(passages.nth(3))
    expect(first).to_contain_text("Lantern Week")
    one.press(passages.nth(2))
    one.press(one.place.get_by_role("radio", name="is left out"))
    expect(one.answer).to_contain_text("The mean of passages 3, 4")
    expect(one.place.locator(".part")).to_have_count(2)
    one.press(first)
    expect(one.place.locator(".text .words")).to_be_visible()


def multi_query(one: Opened) -> None:
    """One query alone finds the source; one that drifts fills the pool with what nobody else finds."""
    queries = one.place.get_by_role("group", name="Queries", exact=True).get_by_role("button")
    pool = one.place.locator(".drawing .chip")
    expect(one.answer).to_contain_text("Only Q4 finds the evidence")
    before = pool.count()
    one.slide("Q6 drifts", 2)
    expect(one.answer).to_contain_text("Q6 alone brings 4")
    assert pool.count() > before
    one.slide("Passages given", 4)
    expect(one.answer).to_contain_text("too far down")
    one.press(queries.nth(3))
    expect(one.answer).to_contain_text("None of these queries finds the evidence")
    expect(one.place.locator(".drawing .query")).to_have_count(5)


def indexing(one: Opened) -> None:
    """The last sentence is found, until chunks are so large that the encoder does not read it."""
    one.place.get_by_role("combobox", name="Question").select_option(index=9)
    expect(one.answer).to_contain_text("1st of")
    one.slide("Chunk size", 4)
    expect(one.answer).to_contain_text("stops reading")
    expect(one.place.locator(".page .unread").first).to_be_visible()
    borders = one.place.locator(".page .border")
    before = borders.count()
    one.press(one.place.locator("td button").nth(0))
    expect(one.place.get_by_role("slider", name="Chunk size")).to_have_value("0")
    assert borders.count() > before
    one.press(one.place.get_by_role("radio", name="half of it"))
    expect(one.place.locator(".page .shared").first).to_be_visible()


def evaluation(one: Opened) -> None:
    """With all questions there is a difference; with few of them, or without two, there is none."""
    expect(one.answer).to_contain_text("a difference")
    tiles = one.place.locator(".tile")
    on = one.place.locator(".tile.counts")
    expect(on).to_have_count(tiles.count())
    for better in one.place.locator(".tile.more").all()[:4]:
        one.press(better)
    expect(one.answer).to_contain_text("no significant difference")
    expect(on).to_have_count(tiles.count() - 4)
    one.slide("Questions", 10)
    expect(on).to_have_count(10)
    before = one.answer.inner_text()
    one.slide("Seed", 5)
    expect(one.answer).not_to_have_text(before)
    one.press(one.place.get_by_role("radio", name="in several steps"))
    expect(one.answer).to_contain_text("10 questions")


def linked_passages(one: Opened) -> None:
    """With the restart at 1 nobody walks, and evidence is missing; without the strongest links few come to it."""
    one.slide("Restart probability", 1)
    expect(one.answer).to_contain_text("1 of 2 ★")
    one.slide("Restart probability", 0.35)
    expect(one.answer).to_contain_text("ships.csv is number 6 (4.4 % stop there)")
    for link in one.place.locator("button.cut", has_text="★ ships.csv").all():
        one.press(link)
        expect(link).to_have_attribute("aria-pressed", "false")
    expect(one.place.locator(".order .was:not(:empty)").first).to_be_attached()
    expect(one.answer).to_contain_text("ships.csv is number 6 (1.8 % stop there)")


def self_rag(one: Opened) -> None:
    """A draft that passes ends the run; without anything relevant it goes round to the cap, without new texts."""
    one.press(one.place.get_by_role("button", name="useful (IsUse)").first)
    expect(one.answer).to_contain_text("1 search, 1 draft")
    expect(one.place.get_by_role("button", name="useful (IsUse)").last).to_be_disabled()
    relevant = one.place.get_by_role("group", name="Search 1")
    for _ in range(2):
        one.press(relevant.locator("button[aria-pressed=true]").first)
    expect(one.place.locator(".box.ghost").first).to_contain_text("A new query would be written here")
    one.press(one.place.get_by_role("radio", name="irrelevant"))
    expect(one.answer).to_contain_text("Cap reached: no answer is given.")


def kg_rag(one: Opened) -> None:
    """Another relation leads elsewhere, and the next column offers what is there; a dead end is said."""
    columns = one.place.locator("section:has(> header)")
    one.press(columns.nth(1).locator(".chip", has_text="42 beds"))
    expect(one.answer).to_contain_text("A dead end: No relation leads on from 42 beds")
    expect(columns.nth(2)).to_contain_text("Not explored")
    one.press(columns.nth(1).locator(".chip", has_text="Hanne Tesk"))
    one.press(columns.nth(2).locator(".chip", has_text="Marten Tesk"))
    expect(columns.nth(3).locator(".chip").first).to_be_visible()
    expect(one.answer).to_contain_text("1 of 3 relations as the model chose")


def storing_a_graph(one: Opened) -> None:
    """More is said of a triple, and the other sentence says it, too: a hypernode, and an edge for each sentence."""

    def select(sentence: int, *words: str) -> None:
        line = one.place.locator("p.sentence").nth(sentence)
        for word in words:
            one.press(line.get_by_role("button", name=word, exact=True).last)

    one.press(one.place.get_by_role("button", name="Say more of it"))
    select(0, "on", "on", "11", "1903")
    one.press(one.place.get_by_role("button", name="Store this triple"))
    expect(one.place.locator(".pill.hyper")).to_have_count(1)
    expect(one.answer).to_contain_text("3 entities, 1 hypernode, 2 edges")
    select(1, "steamer", "Maid", "was", "wrecked", "Sedge", "Reef")
    one.press(one.place.get_by_role("button", name="Store this triple"))
    expect(one.answer).to_contain_text("“steamer Halcyon Maid” and “Halcyon Maid” are two nodes")


def ircot(one: Opened) -> None:
    """A guess brings in what its search found; the model's sentence brings in the evidence, and then the answer."""
    one.press(one.place.get_by_role("radio", name="The Sandpiper has a ship's bell"))
    expect(one.answer).to_contain_text("brings in 0 of the 2 ★ that are missing")
    one.press(one.place.get_by_role("radio", name="2, the model's sentence"))
    expect(one.answer).to_contain_text("3 of 3 ★")
    one.press(one.place.get_by_role("radio", name="3, the answer"))
    expect(one.place.locator(".ending")).to_contain_text("The Halcyon Maid")


def agentic(one: Opened) -> None:
    """Another tool brings back something else, for which there is no critique; the model's calls have theirs."""
    expect(one.place.locator(".verdict")).to_contain_text("Enough")
    one.press(one.place.get_by_role("radio", name="works_of_person: works of “naval architect”"))
    expect(one.place.locator(".call").last).to_contain_text("found nothing")
    expect(one.place.locator(".verdict")).to_have_count(0)
    one.press(one.place.get_by_role("radio", name="ships_of_yard"))
    expect(one.place.locator(".call").first).to_contain_text("4 rows")


def corrective(one: Opened) -> None:
    """A part that is taken for the answer ends the search too early; where nothing counts, all is thrown away."""
    first = one.place.get_by_role("group", name="University of Tollerby")
    one.press(first.get_by_role("radio", name="yes"))
    expect(one.answer).to_contain_text("1 of 2 ★ is given: nothing is looked for elsewhere")
    one.press(first.get_by_role("radio", name="no", exact=True))
    expect(one.answer).to_contain_text("The search is incorrect")
    expect(one.place.locator(".box.ghost").first).to_contain_text("A new query would be written here")


def search_o1(one: Opened) -> None:
    """Whole passages make the chain long, and it is shown as the model reads it."""
    text = one.place.locator("pre")
    expect(text).not_to_contain_text("<passage")
    for name in ("search 1", "search 2", "search 3"):
        one.press(one.place.get_by_role("button", name=name))
    expect(text).to_contain_text('<passage number="12">')
    expect(one.answer).to_contain_text("reads 10,009 characters")
    one.slide("Before thought", 2)
    expect(text).not_to_contain_text('<passage number="12">')


def reranking(one: Opened) -> None:
    """Evidence climbs once the judge reads so far; what lies deeper it never finds, and it can be wrong."""
    expect(one.answer).to_contain_text("goes from 9th to 2nd. So 1 of 1 ★ is among the 6 given")
    one.slide("Hits that the judge reads", 8)
    expect(one.answer).to_contain_text("is 9th, and not read. So 0 of 1")
    one.slide("Passages given", 9)
    expect(one.answer).to_contain_text("1 of 1 ★ is among the 9 given")
    questions = one.place.get_by_role("combobox", name="Question")
    questions.select_option(index=1)
    expect(one.answer).to_contain_text("a judge sorts, and finds nothing")
    questions.select_option(index=2)
    one.slide("Hits that the judge reads", 20)
    one.slide("Passages given", 6)
    expect(one.answer).to_contain_text("So 0 of 2 ★ are among the 6 given; by the search alone 1")
    one.press(one.place.locator(".hit").first)
    expect(one.place.locator(".text .words")).to_be_visible()


def small_to_big(one: Opened) -> None:
    """Neighbours bring evidence that hits lack; where tokens are few, wide gives less than narrow."""
    expect(one.answer).to_contain_text("1 of 3 ★ given")
    one.press(one.place.get_by_role("radio", name="1 neighbour on either side"))
    expect(one.answer).to_contain_text("3 of 3 ★ given. As many tokens of hits alone give 2 of 3 ★")
    expect(one.place.locator(".text .around:not(.out)").first).to_contain_text("given around a hit")
    one.place.get_by_role("combobox", name="Question").select_option(index=1)
    one.slide("Tokens at most", 2000)
    expect(one.answer).to_contain_text("1 of 2 ★ given")
    one.press(one.place.get_by_role("radio", name="documents"))
    expect(one.answer).to_contain_text("0 of 2 ★ given")
    one.press(one.place.get_by_role("radio", name="everything"))
    expect(one.answer).to_contain_text("Of 70 documents, the first 3 by name")
    one.press(one.place.locator("button.page").last)
    expect(one.place.locator("section h4").last).to_have_text("Port Ansel")


def adaptive(one: Opened) -> None:
    """Each way shows what all came to; for the boat the router errs, and several searches would have been right."""
    ways = one.place.locator("button.way")
    expect(ways).to_have_text(["?1 call", "?1 call", "?4 calls in 4 rounds, at most 7"] * 3)
    one.press(ways.nth(1))
    expect(one.answer).to_contain_text("You: 1 of 1 right, 1 call. The router: 1 of 1 right, 2 calls")
    expect(ways.nth(1)).to_contain_text("you and the router")
    one.press(ways.nth(5))
    one.press(ways.nth(8))
    expect(ways.nth(7)).to_contain_text("the router")
    expect(one.answer).to_contain_text("You: 3 of 3 right, 8 calls. The router: 2 of 3 right, 9 calls")
    expect(one.place.locator(".said")).to_contain_text("So it chose one search")


def closed_book(one: Opened) -> None:
    """A guess shows the answer, and is of one question and one model; documents say what they add."""
    expect(one.answer).to_contain_text("Guess first")
    one.press(one.place.get_by_role("radio", name="that it does not know"))
    expect(one.answer).to_contain_text("You guessed it")
    one.press(one.place.get_by_role("radio", name="searched once"))
    expect(one.answer).to_contain_text("With documents it is right, and cites them: 1 of 1 ★ was found")
    one.press(one.place.locator("summary"))
    expect(one.place.locator(".words")).to_be_visible()
    one.press(one.place.get_by_role("radio", name="the tiny built-in model"))
    expect(one.answer).to_contain_text("Guess first")
    one.place.get_by_role("combobox", name="Question").select_option(index=1)
    one.press(one.place.get_by_role("radio", name="something right"))
    expect(one.answer).to_contain_text(
        "You guessed otherwise. From memory it is wrong, and sounds just as sure"
    )
    expect(one.place.locator("section").first).to_contain_text("Rayleigh scattering")


USES: dict[str, Callable[[Opened], None]] = {
    "decomposition_independent": chain,
    "decomposition_sequential": chain,
    "least_to_most": chain,
    "rag_fusion": rag_fusion,
    "step_back": step_back,
    "plain": plain,
    "hyde": hyde,
    "multi_query": multi_query,
    "indexing": indexing,
    "evaluation": evaluation,
    "linked_passages": linked_passages,
    "self_rag": self_rag,
    "kg_rag": kg_rag,
    "storing_a_graph": storing_a_graph,
    "ircot": ircot,
    "agentic": agentic,
    "corrective": corrective,
    "search_o1": search_o1,
    "reranking": reranking,
    "small_to_big": small_to_big,
    "adaptive": adaptive,
    "closed_book": closed_book,
}
CHANGED = re.compile(r"#explore=[a-z0-9-]+&")
"""A fragment that says that handles were moved."""
