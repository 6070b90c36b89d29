"""The next thought: what counts as its first sentence, and when a chain ends."""

from __future__ import annotations

import asyncio

from core.skills.base import MODEL, SHORT
from core.skills.think import FEW, GUESS, NO_CONCLUSION, PERHAPS, THINK, concludes, first_sentence, think
from core.trace.artefacts import Thought
from core.trace.passages import Passage
from tests.cases import cases
from tests.skill_context import Replies, skill_context


@cases(
    ("written", "first", "rest"),
    [
        ("Dr. Bo was born in the U.S. in 1950. He died.", "Dr. Bo was born in the U.S. in 1950.", "He died."),
        ("J. R. R. Tolkien wrote The Hobbit. Next.", "J. R. R. Tolkien wrote The Hobbit.", "Next."),
        ("No. 5 was made in St. Louis, Mo. by E. Lee.", "No. 5 was made in St. Louis, Mo. by E. Lee.", ""),
        ("It has 3.5 million people. Then", "It has 3.5 million people.", "Then"),
        ("拉里·科恩出生于1936年。他是导演。", "拉里·科恩出生于1936年。", "他是导演。"),
        ("彼は1936年に生まれた。監督だ。", "彼は1936年に生まれた。", "監督だ。"),
        ("라리 코헨은 1936년에 태어났다. 그는 감독이다.", "라리 코헨은 1936년에 태어났다.", "그는 감독이다."),
        ("Thought 1: It is a film. More", "It is a film.", "More"),
        ("1. The film was made. 2. It", "The film was made.", "2. It"),
        ("- “The film was made.”", "The film was made.", ""),
        ("The passages say so.[1] A second [2].", "The passages say so.", "A second."),
        ("So the answer is:\nLarry Cohen.\nMore.", "So the answer is: Larry Cohen.", "More."),
        ("\n\nA line\nand another", "A line", "and another"),
        ("no stop at all", "no stop at all", ""),
        (" “ ” [1]. … ", "", ""),
        ("", "", ""),
    ],
)  # fmt: skip
def test_only_the_first_sentence_counts(written: str, first: str, rest: str) -> None:
    assert first_sentence(written) == (first, rest)


@cases(
    ("text", "is_one"),
    [
        ("So the answer is: George III.", True),
        ("Therefore the answer is yes.", True),
        ("Answer: yes", True),
        ("따라서 정답은 라리 코헨이다.", True),
        ("所以答案是科恩。", True),
        ("答えはコーエンです。", True),
        ("The answer is not yet known.", False),
        ("그의 대답은 길었다.", False),
        ("He answered.", False),
    ],
)
def test_a_conclusion_is_recognised(text: str, is_one: bool) -> None:
    assert concludes(text) is is_one


def passage(number: int, text: str) -> Passage:
    return Passage(
        chunk=f"c{number}", document="d", title="T", text=text, position=0, start=0, end=len(text)
    )  # fmt: skip


def run(thoughts: list[Thought], passages: list[Passage]) -> Thought:
    context = skill_context(builtin=True)
    question = "who made the big blue film"
    return asyncio.run(think(context, question, passages, thoughts))


def test_copying_takes_the_nearest_unused_sentence_and_ends() -> None:
    passages = [passage(1, "The big film was made by Bo."), passage(2, "Who made the blue film was Al.")]
    chain: list[Thought] = []
    while not chain or not chain[-1].ends:
        chain.append(run(chain, passages))
    assert [thought.text for thought in chain] == [passages[1].text, passages[0].text, ""]
    assert len(chain) == FEW + 1
    assert all(thought.note.startswith("Copied, not reasoned") for thought in chain[:-1])
    assert "draws no conclusion" in chain[-1].ends


def test_copying_ends_when_nothing_near_is_left() -> None:
    assert "fits the question well enough" in run([], [passage(1, "Zebras graze quietly.")]).ends
    assert "no sentence is left" in run([], []).ends


@cases(("method", "note"), [(MODEL, GUESS), (SHORT, PERHAPS)])
def test_a_guess_is_said_to_be_one_where_the_model_marks_it(method: str, note: str) -> None:
    written = "[?] The film is by Bo." if method == MODEL else "The film is by Bo."
    context = skill_context(Replies(written), methods={THINK.key: method})
    made = asyncio.run(think(context, "who", [passage(1, "A film.")], []))
    assert (made.text, made.guess, made.note) == ("The film is by Bo.", method == MODEL, note)


def test_short_rules_end_a_chain_without_asking() -> None:
    chain = [Thought(index=at, text=f"Fact {at}.", written="") for at in range(FEW)]
    context = skill_context(methods={THINK.key: SHORT})
    assert asyncio.run(think(context, "who", [passage(1, "A film.")], chain)).ends == NO_CONCLUSION
