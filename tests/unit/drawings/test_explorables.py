"""Explorables compute, under node, the engine's values."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

from core.drawings import FOLDER
from core.explorables import stored
from core.strategies.lessons import key_of, lesson
from tests.explorables import APART, close, companion
from tests.unit.drawings.node import evaluated
from tools.explorables import explorable, stems

ROUNDS = 25
COMPUTE = """({ handles, compute }, data, states) => {
  const starts = () => structuredClone(Object.fromEntries(handles(data).map(({ name, start }) => [name, start])))
  return states.map((values) => compute(data, { ...starts(), ...values }))
}"""


@cache
def data_of(stem: str) -> dict[str, Any]:
    part = stored(stem)
    assert part is not None
    return dict(part.data)


def computed(states: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """The scripts' results for states of these explorables; handles that a state does not name are as at first."""
    parts = {stem: stored(stem) for stem in states}
    calls = [
        (FOLDER / f"{part.name}.js", COMPUTE, [part.data, states[stem]])
        for stem, part in parts.items()
        if part
    ]
    return dict(zip(parts, evaluated(calls), strict=True))


def test_values_are_the_engines() -> None:
    states = {}
    for stem in stems():
        random = Random(7)
        states[stem] = [companion(stem).state(data_of(stem), random) for _ in range(ROUNDS)]
    for stem, answers in computed(states).items():
        for values, answer in zip(states[stem], answers, strict=True):
            expected = json.loads(json.dumps(explorable(stem).computed(data_of(stem), values)))
            for name, value in expected.items():
                assert close(answer[name], value, APART.get(stem, {}).get(name, 1e-12)), (stem, name, values)


SENTENCES: dict[str, list[tuple[dict[str, Any], str]]] = {
    "adaptive": [
        ({}, "Choose a way for each question."),
        ({"way1": "one-search"}, "You: 1 of 1 right, 1 call. The router: 1 of 1 right, 2 calls"),
    ],
    "agentic": [
        ({}, "The model's own calls: part 1 brings 3 rows, part 2 brings 2 rows. Its critique: enough."),
        ({"part1": "1"}, "Part 1 brings 11 rows, part 2 brings 2 rows."),
    ],
    "closed_book": [
        ({}, "What will it say from memory? Choose, then see."),
        ({"memory": "q86.large.right"}, "No. From memory it says that it does not know."),
        (
            {"memory": "q86.large.right", "documents": "with"},
            "With documents it is right, and cites them: 1 of 1 ★",
        ),
    ],
    "corrective": [
        (
            {},
            "The search is ambiguous: what it found is refined, and another way is tried. 2 of 2 ★ are given.",
        ),
        ({"grade1": "no"}, "The search is incorrect: another way is tried. 0 of 2 ★ are given"),
        ({"grade1": "yes"}, "The search is correct: what it found is refined. 1 of 2 ★ is given"),
    ],
    "decomposition_independent": [
        ({"edit": "first-wrong"}, "Link 1 now names another Warden, Marten Tesk. No other link changed."),
    ],
    "decomposition_sequential": [
        ({}, "As it was recorded. The answer: “1915.” That is right."),
        ({"edit": "first-wrong"}, "It travelled into links 2, 3."),
    ],
    "evaluation": [
        (
            {},
            "On 85 questions, hybrid search finds 6.6 points more of the evidence, interval +1.6 to +12.0 points.",
        ),
        (
            {"count": 10},
            "On 10 questions, hybrid search finds 3.3 points more of the evidence, interval −5.0 to +15.0",
        ),
    ],
    "hyde": [
        ({}, "at rank 1, among the 6 given; the question alone has it at rank 21."),
        ({"on": [False] * 5}, "at rank 21"),
    ],
    "indexing": [
        (
            {},
            "In chunks of at most 240 tokens, the page has 6. The answer is in chunk 2, which comes 3rd of 96 chunks",
        ),
        (
            {"size": 1},
            "of at most 80 tokens, the page has 18. The answer is in chunk 2, which comes 1st of 269 chunks",
        ),
        ({"share": "2"}, "the page has 7."),
    ],
    "ircot": [
        ({}, "The question finds 1 of 3 ★. What would you search with next?"),
        (
            {"search": "2"},
            "brings in 2 of the 2 ★ that are missing. It is the model's own sentence.",
        ),
        ({"step": "2"}, "its search brings in the rest: 3 of 3 ★ are there."),
    ],
    "kg_rag": [
        ({}, "The model's own way. It reaches four years in prison."),
        (
            {"path": [18]},
            "As the model chose, so far. Column 3 is yours: 10 relations lead on from Hanne Tesk.",
        ),
    ],
    "least_to_most": [
        ({"edit": "first-wrong"}, "It travelled into links 2, 3, 4."),
    ],
    "linked_passages": [
        (
            {},
            "65 % of the readers follow a mention at least once. ★ ships.csv is number 6 (4.4 % stop there)",
        ),
        (
            {"restart": 1},
            "Nobody reads on: only what the search found can be there. ★ ships.csv is not among the candidates",
        ),
    ],
    "multi_query": [
        ({}, "6 queries bring 24 hits, 11 different passages. Q5 and Q6 find the evidence"),
        (
            {"drift": 2},
            "6 queries bring 24 hits, 15 different passages. Q6 alone brings 4. Only Q5 finds the evidence",
        ),
        (
            {"on": [True] + [False] * 5},
            "1 query brings 4 hits, 4 different passages. None of these queries finds the evidence, ★.",
        ),
    ],
    "plain": [
        (
            {},
            "By meaning alone, ★ officers.csv · chunk 4 is 9th and ★ ships.csv is 13th: 0 of 2 ★ are among the 6",
        ),
        (
            {"share": 0},
            "By words alone, ★ officers.csv · chunk 4 is 2nd and ★ ships.csv is 16th: 1 of 2 ★ is among",
        ),
    ],
    "rag_fusion": [
        ({}, "First is ★ Ferry Passengers Regulation 2011 · p. 4 with 0.0801."),
        ({"k": 1}, "First is Ferry Users' Committee: Minutes of the Meeting of 13 March 2018 with 1.8333."),
        ({"k": 1}, "with 1.8333. 4 passages move most in the fused order, by 1 place each."),
    ],
    "reranking": [
        ({}, "chunk 6 goes from 9th to 5th. So 1 of 1 ★ is among the 6 given; by the search alone 0."),
        ({"depth": 5}, "chunk 6 is 9th, and not read. So 0 of 1 ★ are among the 6 given"),
    ],
    "search_o1": [
        ({}, "reads 1,450 characters of chain. With whole passages it would be 9,875, 6.8 times as much."),
        ({"read": [False, True, True]}, "reads 3,870 characters of chain."),
    ],
    "self_rag": [
        (
            {},
            "As it was recorded: 2 searches, 2 drafts, 15 calls of the model. Good enough: draft 2 is the answer.",
        ),
        (
            {"draft1": [True, True]},
            "1 grade flipped: 1 search, 1 draft, 7 calls of the model. Good enough: draft 1",
        ),
    ],
    "small_to_big": [
        ({}, "Hits alone, 6 of 6: 827 tokens, 1 of 3 ★ given."),
        ({"give": "2"}, "with 2 neighbours on either side: 2,208 tokens, 3 of 3 ★ given."),
        ({"give": "everything"}, "Of 70 documents, the first 4 by name: 2,643 tokens, 0 of 3 ★ given."),
    ],
    "step_back": [
        ({}, "Evidence is in 1 of its own 4 hits, and in 1 of the question's 4."),
        ({"level": "far"}, "Evidence is in 0 of its own 4 hits, and in 1 of the question's 4."),
    ],
    "storing_a_graph": [
        ({}, "2 entities, 0 hypernodes, 1 edge."),
        ({"triples": []}, "0 entities, 0 hypernodes, 0 edges."),
    ],
    "what_is_rag": [
        ({}, "What will it say from memory? Choose, then see."),
        (
            {"memory": "q86.large.refusal", "documents": "with"},
            "Yes. From memory it says that it does not know. No model can know: the island is invented. With documents "
            "it is right",
        ),
        (
            {"model": "small", "memory": "q86.small.refusal"},
            "No. From memory it is wrong, and sounds just as sure.",
        ),
    ],
}
"""Moved handles, the others as at first, and a part of the sentence below them."""


def test_a_moved_handle_says_what_comes_of_it() -> None:
    assert sorted(SENTENCES) == stems()
    answers = computed({stem: [values for values, _ in table] for stem, table in SENTENCES.items()})
    for stem, table in SENTENCES.items():
        for (values, sentence), answer in zip(table, answers[stem], strict=True):
            assert sentence in answer["says"], (stem, values)


GUESSED = """({ handles, compute }, data) => {
  const { move } = data.guess
  const values = Object.fromEntries(handles(data).map((one) => [one.name, structuredClone(one.start)]))
  const before = compute(data, structuredClone(values)).says
  const printed = {}
  for (const { name, parse, print } of handles(data)) {
    if (!(name in move)) continue
    values[name] = parse(move[name])
    printed[name] = print(values[name])
  }
  return [before, compute(data, values).says, printed]
}"""


def test_a_guess_is_answered_by_its_move() -> None:
    """The move is one that the address can hold, and what comes of it is said after it only."""
    files = {stem: FOLDER / f"{part.name}.js" for stem in stems() if (part := stored(stem))}
    guesses = {stem: guess for stem in stems() if (guess := lesson(key_of(stem)).guess)}
    assert len({guess.id for guess in guesses.values()}) == len(guesses)
    answers = evaluated([(files[stem], GUESSED, [data_of(stem)]) for stem in guesses])
    for (stem, guess), (before, after, printed) in zip(guesses.items(), answers, strict=True):
        assert printed == guess.move, stem
        assert guess.shows in after, (stem, after)
        assert guess.shows not in before, stem
    assert list(guesses) == stems()


READ = """({ handles }, data, values) => handles(data).map((one) => {
  const value = one.name in values ? values[one.name] : one.start
  return [one.name, value, one.parse(one.print(value)), one.start, NONSENSE.map((text) => one.parse(text))]
})""".replace("NONSENSE", json.dumps(["", "-", "x", "1e99x", "1.1.1", "0-0.1.2.99"]))


def test_an_address_leads_to_the_state_that_it_was_written_for() -> None:
    """A handle reads again what it prints; anything else leaves it as at first."""
    calls = []
    for stem in stems():
        part = stored(stem)
        assert part is not None
        for seed in range(5):
            values = companion(stem).state(part.data, Random(seed))
            calls.append((FOLDER / f"{part.name}.js", READ, [part.data, values]))
    for (file, _, _), handles in zip(calls, evaluated(calls), strict=True):
        for name, value, read, start, nonsense in handles:
            assert read == value, (file.name, name)
            assert all(one == start for one in nonsense), (file.name, name, nonsense)
