"""The files of the lessons fit the strategies, the demo corpus and the code."""

import json
import re
from collections.abc import Callable
from math import log, log2

import numpy as np

from core.corpora.demo import STARTERS, WORLD
from core.evaluation.statistics import LEVEL, p_value
from core.models.embedding_vectors import cosine_matrix
from core.retrieval.dense import mean_vector
from core.retrieval.fusion import contribution, unite
from core.retrieval.keyword import K1
from core.retrieval.kinds import Walking
from core.retrieval.late_interaction import maxsim
from core.retrieval.linked import stops
from core.runs.recordings import SHIPPED
from core.strategies import strategies
from core.strategies.base import BASELINE
from core.strategies.families import FAMILIES, by_family
from core.strategies.lessons import STANDALONE, Example, lesson, text
from core.strategies.lessons import examples as worked_examples
from core.strategies.lessons.sections import BY_HAND, EXPLAINED, FORMULA, SECTIONS, TRY, WHEN_NOT, lesson_text
from core.strategies.step_back import both_contexts
from core.ui.learn.worked_example import observation
from tests.cases import cases
from tests.examples import exercises
from tests.examples.exercises import ranked
from tools.examples.lessons import better

MAKE = "run make examples"
QUESTIONS = {
    record["id"]: record
    for name in ("questions.jsonl", STARTERS)
    for record in map(json.loads, (WORLD / name).read_text(encoding="utf-8").splitlines())
}


def found(key: str) -> list[Example]:
    return [one for examples in worked_examples(key) for one in (examples.helps, examples.fails) if one]


NOT_WORKED_OUT = {
    "agentic",
    "decomposition-independent",
    "evaluation",
    "multi-query",
    "reranking",
    "small-to-big",
    "what-is-rag",
}
"""Lessons whose exercise asks for what no code of a run can tell."""
TAUGHT = [*(one.key for one in STANDALONE), *strategies()]
OBSERVED = [key for key in strategies() if worked_examples(key)]
BESIDE_THE_BASELINE = [
    key
    for key in OBSERVED
    if key != BASELINE and strategies()[key].retrieves and not strategies()[key].explores
]


@cases("key", OBSERVED)
def test_worked_examples_are_from_the_demo_corpus(key: str) -> None:
    assert found(key)
    for example in found(key):
        asked = QUESTIONS[example.id]
        assert (asked["text"], asked["shows"]) == (example.question, example.shows), MAKE
        assert example.evidence == len(asked["evidence"]), MAKE
        assert max(example.plain.gold, example.strategy.gold, example.plain_as_many) <= example.evidence
        assert observation(strategies()[key], example)


@cases("key", BESIDE_THE_BASELINE)
def test_where_it_helps_it_found_more_or_was_right_alone_and_where_not_it_found_no_more(key: str) -> None:
    for examples in worked_examples(key):
        if examples.helps is not None:
            assert examples.helps.strategy.gold > examples.helps.plain.gold or better(examples.helps)
        if examples.fails is not None:
            assert examples.fails.strategy.gold <= examples.fails.plain.gold


@cases("key", strategies())
def test_a_capable_model_was_observed_first_and_the_built_in_one_wherever_it_can(key: str) -> None:
    recorded, *others = worked_examples(key)
    assert recorded.recording, MAKE
    assert [one.builtin for one in others] == [True] * (not strategies()[key].lacking(True)), MAKE


def test_every_strategy_belongs_to_a_family() -> None:
    found = by_family(strategies().values())
    assert tuple(found) == FAMILIES
    assert sorted(one.key for members in found.values() for one in members) == sorted(strategies())


@cases("key", OBSERVED)
def test_an_example_says_whether_the_answers_were_right(key: str) -> None:
    for example in found(key):
        said = observation(strategies()[key], example).replace("\\", "").splitlines()[-1]
        assert f"Plain retrieval {'yes' if example.plain.right else 'no'}" in said
        assert said.endswith("yes" if example.strategy.right else "no")


ELSEWHERE = {
    "Filter", "Index it another way", "Compare", "Context for each chunk", "Knowledge graph", "Duplicates",
    "Evaluate", *(one.title for one in STANDALONE), *(one.title for one in strategies().values()),
}  # fmt: skip
"""Names that a lesson gives in italics and that are no parameters: a lesson, a page, a button, a choice."""


def plain_text(written: str) -> str:
    """A lesson without its formulas."""
    return re.sub(r"\$\$.*?\$\$", "", written, flags=re.DOTALL)


def sentences(written: str) -> list[str]:
    """The sentences of a lesson: a point of a list is one at least, as a reader takes it."""
    lines = (line.strip().removeprefix("- ") for line in plain_text(written).splitlines())
    parts = [re.split(r"(?<=[.!?])[”)*]*\s+(?=[A-Z“(*$])", line) for line in lines if line and line[0] != "#"]
    return [sentence for part in parts for sentence in part]


OPEN = (*EXPLAINED, BY_HAND, WHEN_NOT, TRY)
"""Sections that do not fold."""
MOST_WORDS, MOST_WORDS_OPEN = 900, 420


@cases("key", TAUGHT)
def test_a_lesson_has_its_sections_in_their_order(key: str) -> None:
    written = lesson_text(key)
    missing = () if FORMULA in written.sections else (FORMULA,)
    assert tuple(written.sections) == tuple(title for title in SECTIONS if title not in missing)
    assert all(written.sections.values())
    assert ("$$" in written.part(FORMULA)) is (FORMULA in written.sections)


@cases("key", TAUGHT)
def test_a_lesson_is_written_for_anyone_who_reads_slowly(key: str) -> None:
    written = lesson_text(key)
    assert 3 <= len(sentences(written.case)) <= 5
    assert "\n\n" not in written.case
    assert [sentence for sentence in sentences(text(key)) if len(sentence.split()) > 25] == []
    shown = " ".join((written.case, *map(written.part, OPEN)))
    assert len(plain_text(shown).split()) <= MOST_WORDS_OPEN
    assert len(plain_text(text(key)).split()) <= MOST_WORDS


@cases("key", [key for key in TAUGHT if lesson_text(key).part(FORMULA)])
def test_a_formula_has_its_symbols_named(key: str) -> None:
    assert re.search(r"^- \$.+: ", lesson_text(key).part(FORMULA), re.MULTILINE)


def calls(key: str, **params: int) -> int:
    return exercises.forecast(key, **params).calls_expected


def best_ranks(*lists: str) -> str:
    return " ".join(row.passage.chunk for row in unite([ranked(one) for one in lists]).rows)


def given() -> int:
    """Passages that plain retrieval gives."""
    return int(strategies()[BASELINE].params().k)


WORKED_OUT: dict[str, Callable[[], list[str]]] = {
    "what-is-rag": lambda: [
        f"{given()} · 160 = {given() * 160} tokens",
        f"{given() / 380:.1%}".replace("%", " %"),
    ],
    "indexing": lambda: [f"{cosine_matrix([(3.0, 4.0)], [(4.0, 3.0)])[0][0]:.2f}"],
    "plain": lambda: [
        f"{log(1 + 8.5 / 1.5):.2f} · {2 / (2 + K1):.3f} = {log(1 + 8.5 / 1.5) * 2 / (2 + K1):.2f}"
    ],
    "multi-query": lambda: [best_ranks("ABC", "DAE")],
    "rag-fusion": lambda: [f"{contribution(1, 60) + contribution(3, 60):.4f}", f"{contribution(1, 60):.4f}"],
    "hyde": lambda: ["({:.2f}, {:.2f})".format(*mean_vector([(0.6, 0.8), (0.8, 0.6)]))],
    "step-back": lambda: [
        " ".join(
            one.passage.chunk for one in both_contexts(ranked("ABCD"), exercises.ranked("DEFG"), 8).passages
        )
    ],
    "decomposition-sequential": lambda: [f"{0.9 ** strategies()['decomposition-sequential'].params().n:.2f}"],
    "decomposition-independent": lambda: [f"{calls('decomposition-independent')} calls"],
    "search-o1": lambda: [f"{calls('search-o1')} calls"],
    "reranking": lambda: [
        f"{maxsim(np.array([(1.0, 0.0), (0.0, 1.0)]), np.array([(0.9, 0.1), (0.2, 0.5)])):.1f}"
    ],
    "linked-passages": lambda: [
        "{:.0f} of 100 readers stop at once, 0.35 · 65 = {:.0f} after one step, and {:.0f} after two".format(
            *(100 * stops(np.eye(11), Walking().restart)[:3])
        )
    ],
    "adaptive": lambda: [
        f"{1 + 0.2 * calls('closed-book') + 0.6 * calls('plain') + 0.2 * calls('ircot'):.1f}"
    ],
    "agentic": lambda: [f"{calls('agentic')} calls"],
    "kg-rag": exercises.former_husbands,
    "evaluation": lambda: [f"{(1 + 1 / log2(4)) / (1 + 1 / log2(3)):.2f}"],
}


@cases("key", WORKED_OUT)
def test_numbers_that_a_lesson_works_out_by_hand_are_those_of_the_code(key: str) -> None:
    for found in WORKED_OUT[key]():
        assert found in lesson_text(key).part(BY_HAND)


@cases("key", ["agentic", "self-rag"])
def test_calls_that_a_lesson_reports_are_those_of_the_recorded_runs(key: str) -> None:
    kept = map(json.loads, SHIPPED.read_text(encoding="utf-8").splitlines())
    recorded = [one["calls"] for one in kept if one.get("kind") == "run" and one["strategy"] == key]
    told = re.search(r"question took (?:about )?(\d+) calls", text(key))
    assert told is not None
    assert int(told[1]) == round(np.mean(recorded))


def test_five_questions_never_tell_a_difference_and_six_may() -> None:
    task = lesson("evaluation").exercise
    assert task is not None
    few, more = (p_value([0.5] * count) for count in (5, 6))
    assert few > 1 - LEVEL > more
    assert f"{few:.4f}" in task.explanation
    assert f"{more:.3f}" in task.explanation


@cases("key", TAUGHT)
def test_what_a_lesson_says_to_switch_is_there(key: str) -> None:
    """A name in italics with a capital letter, without a colon behind it, is what a parameter is called."""
    about = [strategies()[key]] if key in strategies() else strategies().values()
    titles = {field.title for one in about for field in one.params.model_fields.values()}
    named = set(re.findall(r"(?<!\*)\*([A-Z][^*]*[^*:])\*(?!\*)", text(key)))
    assert named <= titles | ELSEWHERE


@cases("key", TAUGHT)
def test_every_lesson_has_an_exercise_whose_answer_the_code_works_out_as_its_file_says(key: str) -> None:
    task = lesson(key).exercise
    assert task is not None
    assert 3 <= len(task.options) <= 4
    assert len(set(task.options.values())) == len(task.options)
    assert set(task.tempting) == set(task.options) - {task.right}
    worked_out = exercises.worked_out(key, task.options)
    assert worked_out in (None, (task.right, task.working))
    assert (worked_out is None) == (key in NOT_WORKED_OUT)


def test_the_fusion_exercise_shows_its_sum() -> None:
    task = lesson("rag-fusion").exercise
    assert task is not None
    first, second, *_, turned = task.working
    assert first == "X: 1/64 + 1/63 = 0.0315"
    assert second == "A: 1/61 = 0.0164"
    assert turned == "With k = 1 instead: A: 1/2 = 0.5000; X: 1/5 + 1/4 = 0.4500"
