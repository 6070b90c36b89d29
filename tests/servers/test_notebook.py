"""A run taken home as a notebook: its cells, run in a fresh process, give what the run gave."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.runs.gallery import PIECES, read
from core.runs.notebook import gather, notebook
from core.runs.record import Record, record
from core.runs.request import RunRequest
from core.runs.workbench import Workbench
from tests.bench import CORPUS, open_bench, small_corpus
from tests.examples.materials import own_materials
from tests.homes import Homes
from tests.notebooks import Kernel
from tests.scripted import Rule, ScriptedServer

QUESTION = "Who directed A Dangerous Age?"


@pytest.fixture(scope="module")
def bench(
    scripted_server: ScriptedServer, homes: Homes, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Workbench]:
    """With a corpus of few passages: notebooks embed all of them themselves."""
    bench = open_bench(homes.new(), scripted_server)
    bench.corpora.index([small_corpus(tmp_path_factory.mktemp("files"), 10)], CORPUS).result()
    yield bench
    bench.backends.supervisor.release()


def ask(bench: Workbench, strategy: str, question: str = QUESTION, **more: Any) -> Record:
    corpus = None if strategy == "closed-book" else CORPUS
    run = record(bench.launcher.start(RunRequest(question, strategy, corpus=corpus, **more)).result(60))
    assert run.state == "finished", run.error
    return run


def sent(requests: list[dict[str, Any]]) -> list[list[tuple[str, str]]]:
    """The messages of each request, in an order that does not depend on time."""
    return sorted([(one["role"], one["content"]) for one in seen["body"]["messages"]] for seen in requests)


VARIANTS = json.dumps(
    {
        "queries": [
            "1. Who was the director of A Dangerous Age?",
            QUESTION.upper(),
            '"A Dangerous Age" director',
            "Who was the director of a dangerous age",
            "Sidney J. Furie films",
            "Which films are Canadian?",
        ]
    }
)
"""With numbering, quotes, a copy of the question and one of another variant."""
LISTS = Rule(skill="reword search_queries sub_questions reduce", reply=VARIANTS)
CITING = Rule(skill="answer_sub", reply="He did [2]. Nobody else [1, 3]. Not him [9].")
RESOLVING = Rule(skill="resolve", reply="Who is Sidney J. Furie?")
POINTING = Rule(
    skill="sub_questions reduce",
    reply='{"queries": ["Who is the director?", "Where was #1 born?", "When did he film?", "Who else?"]}',
)
SHORT = [
    Rule(told={"question": "^Who is the dir"}, reply="Sidney J. Furie [1].\n\nThe film says so [2]."),
    Rule(told={"question": "^Where was"}, reply="[0] They do not say. [3]\n\nHe films [1]."),
    Rule(told={"question": "^When did"}, reply="[?] In 1957 [1]"),
    CITING,
]


def grade(skill: str, verdict: str | int, times: int | None = None) -> Rule:
    return Rule(skill=skill, reply=json.dumps({"verdict": verdict, "reason": "So it is."}), times=times)


REWRITTEN = Rule(
    skill="rewrite_question", reply='{"question": "A Dangerous Age 1957 film director"}', times=1
)
EVALUATED = "evaluate_passage"
HOLDS_ALL = Rule(skill=EVALUATED, reply='{"verdict": "yes", "reason": "So it is.", "sentences": [1, 3]}')
HOLDS_NOTHING = Rule(skill=EVALUATED, reply='{"verdict": "no", "reason": "Not here.", "sentences": []}')
HOLDS_PART = Rule(
    skill=EVALUATED,
    told={"passage": "^A Dangerous Age"},
    reply='{"verdict": "partly", "reason": "One half.", "sentences": [2]}',
)
RELEVANT, SUPPORTED, USEFUL = "grade_relevance", "grade_support", "grade_use"
THOUGHTS = [
    Rule(skill="think", reply="A Dangerous Age is a film of 1957 [1]. It is.", times=1),
    Rule(skill="think", reply="[?] Its director was Canadian.", times=1),
    Rule(skill="think", reply="So the answer is: Sidney J. Furie."),
]
CHAIN: list[dict[str, Any]] = [
    {"thought": "I need\nthe film.", "searches": ["A Dangerous Age film", "Brass Buttons"]},
    {"thought": "Again.", "searches": ["a dangerous age FILM", "Sidney J. Furie", "Full Moon High"]},
    {"thought": "So.", "answer": "Sidney J. Furie [2]\n\nIt says so [1]."},
]
REASONING = [Rule(skill="reason", reply=json.dumps(one), times=1) for one in CHAIN]
READING = Rule(skill="read_into_chain", reply="He made it [2], in 1957 [1, 3].\nNo more [9].")
TOKENWISE = {"rerank": "tokens"}


def routed(way: str) -> Rule:
    return Rule(skill="route", reply=json.dumps({"way": way, "reason": "So it is."}))


CASES: list[tuple[str, dict[str, Any], list[Rule]]] = [
    ("closed-book", {}, []),
    ("plain", {}, []),
    ("plain", {"retriever": "keyword", "params": {"k": 7}}, [Rule(reply="[0] Not said.\n\nThey film [2].")]),
    ("plain", {"retriever": "hybrid"}, []),
    ("plain", {"retriever": "dense", "where": ("title~film|a d",)}, []),
    ("linked-passages", {"retriever": "hybrid"}, []),
    ("multi-query", {"params": {"n": 3, "context_size": 9}}, [LISTS]),
    ("rag-fusion", {"params": {"rrf_k": 10, "first_rank": 0, "include_original": False}}, [LISTS]),
    ("decomposition-sequential", {}, [POINTING, RESOLVING, CITING]),
    (
        "decomposition-sequential",
        {"params": {"final": "last sub-answer", "again": False}},
        [POINTING, RESOLVING, *SHORT],
    ),
    ("decomposition-independent", {"params": {"n": 3}}, [POINTING, *SHORT]),
    ("least-to-most", {"params": {"again": False}}, [POINTING, RESOLVING, *SHORT]),
    ("ircot", {}, THOUGHTS),
    ("adaptive", {}, [routed("one-search")]),
    ("adaptive", {"params": {"k": 3}}, [routed("several-searches"), *THOUGHTS]),
    ("search-o1", {}, [*REASONING, READING]),
    ("search-o1", {"params": {"read": False, "max_searches": 2, "context_size": 5}}, REASONING),
    ("step-back", {}, [Rule(skill="step_back", reply='{"question": "What is A Dangerous Age?"}')]),
    ("hyde", {}, [Rule(skill="passage", reply="A Dangerous Age is a Canadian film.\n \nHe directed.\n")]),
    ("corrective", {}, [HOLDS_ALL]),
    (
        "corrective",
        {"params": {"k": 2, "elsewhere": "corpus", "corpus": CORPUS}},
        [HOLDS_PART, HOLDS_NOTHING, REWRITTEN],
    ),
    (
        "self-rag",
        {"params": {"k": 2}},
        [grade(RELEVANT, "no", times=2), REWRITTEN, grade(SUPPORTED, "no", times=1)],
    ),
    ("self-rag", {"params": {"max_rewrites": 1}}, [grade(RELEVANT, "no"), REWRITTEN]),
]
MORE_CASES: list[tuple[str, dict[str, Any], list[Rule]]] = [
    ("linked-passages", {"retriever": "keyword", "params": {"seeds": 2, "restart": 0.6}}, []),
    ("linked-passages", {"retriever": "linked"}, []),
    ("multi-query", {"retriever": "keyword"}, []),
    ("rag-fusion", {}, [LISTS]),
    ("adaptive", {"params": {"k": 2}}, [routed("no-search")]),
    ("ircot", {"params": {"reader": "last thought", "paragraphs": 5, "max_steps": 2}}, []),
    ("step-back", {"params": {"include_original": False}}, []),
    ("hyde", {"params": {"n": 2, "style": "news", "with_question": False}}, []),
    (
        "corrective",
        {"params": {"rewrite": False, "elsewhere": "corpus", "corpus": CORPUS}},
        [HOLDS_PART, HOLDS_NOTHING],
    ),
    ("corrective", {"params": {"elsewhere": "memory"}}, [HOLDS_NOTHING]),
    (
        "corrective",
        {"params": {"elsewhere": "memory"}},
        [HOLDS_PART, HOLDS_NOTHING, Rule(skill="answer", reply="[0] Not said.")],
    ),
    ("self-rag", {}, []),
    ("self-rag", {}, [grade(SUPPORTED, "partially"), grade(USEFUL, 2, times=1), REWRITTEN, grade(USEFUL, 3)]),
]


@pytest.mark.parametrize(
    ("strategy", "more", "rules"),
    [*CASES, *(pytest.param(*case, marks=pytest.mark.thorough) for case in MORE_CASES)],
)
def test_the_notebook_gives_what_the_run_gave(
    bench: Workbench,
    scripted: ScriptedServer,
    kernel: Kernel,
    strategy: str,
    more: dict[str, Any],
    rules: list[Rule],
) -> None:
    scripted.script(*[rule.model_copy() for rule in rules])
    run = ask(bench, strategy, **more)
    asked = len(scripted.requests)
    scripted.script(*[rule.model_copy() for rule in rules])
    # The whole corpus takes seconds to embed; what the run found holds the same best passages for the same searches.
    part = bool(more) and "retriever" not in more  # words are weighed by the whole corpus
    searched = own_materials(run) if part else gather(run, bench.corpora, bench.graphs)
    assert searched.whole_corpus is not part or strategy == "closed-book"
    result = kernel.run(notebook(run, searched))
    assert result["NOW"] == result["RUN"]
    assert "NOT the same" not in result["printed"]
    # Not only the results: the model reads the same, word for word.
    assert sent(scripted.requests[asked:]) == sent(scripted.requests[:asked])


@pytest.mark.parametrize(
    ("more", "plainly", "says"),
    [
        (
            {
                "retriever": "dense",
                "params": {"k": 3, "rerank": 10, "give": "surroundings"},
                "methods": TOKENWISE,
            },
            {"retriever": "dense", "params": {"k": 3}},
            ["A second judge reordered", "hits with their surroundings"],
        ),
        (
            {"retriever": "keyword", "params": {"k": 3, "give": "everything"}},
            {"retriever": "keyword", "params": {"k": 3}},
            ["gave all documents to the answer", "by simpler rules than the app"],
        ),
        ({"retriever": "linked"}, {}, ["merges dense and keyword search"]),
        ({"retriever": "dense", "strategy": "corrective"}, {}, ["merges dense and keyword search"]),
    ],
)
def test_other_retrieval_is_said_and_searched_plainly(
    bench: Workbench,
    scripted: ScriptedServer,
    kernel: Kernel,
    more: dict[str, Any],
    plainly: dict[str, Any],
    says: list[str],
) -> None:
    scripted.script(HOLDS_NOTHING, REWRITTEN)
    run = ask(bench, **{"strategy": "plain"} | more)
    text = notebook(run, gather(run, bench.corpora, bench.graphs))
    words = " ".join(cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
    for sentence in says:
        assert sentence in words
    result = kernel.run(text)
    if plainly:
        context = ask(bench, "plain", **plainly).context
        assert context is not None
        assert result["NOW"]["ranking"] == [one.passage.chunk for one in context.passages if one.given]
    assert result["NOW"]["searches"]


def test_text_stays_text(bench: Workbench, scripted: ScriptedServer, kernel: Kernel, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    code = f"open({str(trap)!r}, 'w')"
    evil = f"'''\"\"\"\\ {{question}} {{0}} {{{code}}} \\N{{DASH}}\n%pip x\n{code}\n# {code} \u202e?"
    prompts = {"answer.model": f"{evil} Passages: {{context}} {{nothing}} Question: {{question}}"}
    scripted.script(Rule(reply=f"{evil} [1]"))
    run = ask(bench, "plain", evil, prompts=prompts)
    asked = len(scripted.requests)
    text = notebook(run, own_materials(run))
    result = kernel.run(text)
    assert result["NOW"] == result["RUN"]
    assert sent(scripted.requests[asked:]) == sent(scripted.requests[:asked])
    assert not trap.exists()
    assert all(evil not in cell["source"] for cell in json.loads(text)["cells"])
    assert "the-servers-key" not in text
    assert "127.0.0.1" not in text


PLANNED = (
    Rule(reply="Ternik Hospital\nfounder", times=1),
    Rule(match="founded", reply="Number 1.", times=1),
    Rule(match="Hanne Tesk", reply="refine: she is not asked for here.", times=1),
    Rule(match="she is not asked for here", reply="Ternick Hospital\nfounder", times=1),
    Rule(match="founded", reply="1", times=1),
    Rule(match="Hanne Tesk", reply="respond", times=1),
)
"""To the script of KG-RAG, whose prompts are its own: a plan that is refined, and one that is told why."""
TAKEN_APART = (
    Rule(reply='{"questions": ["Who directed it?", "When was #1 born?"]}', times=1),
    Rule(match="Who directed it", calls=[("search_documents", {"query": "directed"})], times=1),
    Rule(match="Who directed it.*#1", reply='{"question": "When was Ann born?"}', times=1),
    Rule(match="When was Ann born", calls=[("nothing_like_it", {})], times=1),
    Rule(match="There is no tool nothing_like_it", reply='{"questions": []}', times=1),
)


@pytest.mark.parametrize(
    ("strategy", "rules", "remark"),
    [("kg-rag", PLANNED, "in a simpler way than the run"), ("agentic", TAKEN_APART, "need the database")],
)
def test_without_a_database_it_runs_and_says_that_it_goes_another_way(
    scripted: ScriptedServer, kernel: Kernel, strategy: str, rules: tuple[Rule, ...], remark: str
) -> None:
    piece = next(piece for piece in PIECES if not piece.recorded and piece.requests[0].strategy == strategy)
    run = record(read(piece)[1][0])
    text = notebook(run, own_materials(run))
    scripted.script(*(rule.model_copy() for rule in rules), Rule(reply="Somebody [1]."))
    result = kernel.run(text)
    assert len(scripted.requests) == len(rules) + 1
    assert result["NOW"]["answer"] == "Somebody [1]."
    assert "NOT the same as in the run" in result["printed"]
    words = " ".join(cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
    assert remark in words
