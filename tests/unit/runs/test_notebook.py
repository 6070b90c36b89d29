"""A run as a notebook: of nbformat's form, with pinned packages; whatever text it holds stays text."""

from __future__ import annotations

import ast
import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator
from langchain_core.documents import Document
from langchain_core.prompts import ChatPromptTemplate

from core.errors import InputError
from core.retrieval.tokens import tokens
from core.runs.gallery import PIECES, read
from core.runs.notebook import notebook
from core.runs.notebook.script import Script, prompt_literal, slots_of, text_literal
from core.runs.notebook.writing import ARGUMENTS, frame_cell, prompts_cell, sent_in
from core.runs.record import Record, record
from core.skills.answer import read_reply
from core.skills.base import MODEL, builtin_prompt, fill, prompt_key, turns_of
from core.skills.frame import framed_pairs, framed_passages
from core.strategies import strategies
from core.strategies.base import AnyStrategy
from core.trace.artefacts import Pair
from core.trace.passages import Passage
from tests import examples
from tests.cases import cases
from tests.examples.materials import own_materials

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "tests/data/nbformat/nbformat.v4.5.schema.json").read_text(encoding="utf-8"))
RUNS = {piece.id: record(read(piece)[1][0]) for piece in PIECES}
HOSTILE = (
    "\"\"\"'''\\ \\N{DASH} {x} {{question}} {0}\r\n%pip install evil\n!rm\u2028\u202e\x85 \ud800 </script>"
)


def cells(run: Record, kind: str) -> list[str]:
    return [
        cell["source"]
        for cell in json.loads(notebook(run, own_materials(run)))["cells"]
        if cell["cell_type"] == kind
    ]


@cases("name", RUNS)
def test_it_has_the_form_of_a_notebook_and_its_code_is_python(name: str) -> None:
    Draft4Validator(SCHEMA).validate(json.loads(notebook(RUNS[name], own_materials(RUNS[name]))))
    install, *rest = cells(RUNS[name], "code")
    for source in rest:
        ast.parse(source)
        assert "__main__" not in source, "a script is not started there, but asked"
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    packages = install.removeprefix("%pip install ").split()
    assert {"langchain-core", "langchain-openai"} <= {package.partition("==")[0] for package in packages}
    for package in packages:
        assert re.search(rf"^{re.escape(package)}\b", pins, re.MULTILINE), package


def test_only_what_is_needed_is_installed() -> None:
    assert "bm25s" in cells(RUNS["pellamar-rag-fusion-2"], "code")[0]
    assert "bm25s" not in cells(RUNS["pellamar-hyde"], "code")[0]
    assert "bm25s" not in cells(RUNS["pellamar-kg-rag"], "code")[0]
    assert "sentencex" in cells(RUNS["pellamar-ircot-3"], "code")[0]
    assert "sentencex" not in cells(RUNS["pellamar-kg-rag"], "code")[0]
    assert "langgraph" in cells(RUNS["pellamar-self-rag-2"], "code")[0]


def test_it_says_what_the_script_does_differently() -> None:
    words = " ".join(cells(RUNS["pellamar-multi-query-2"], "markdown"))
    assert "“Reword the question”, “Answer from the passages”" in words
    assert "tiny built-in model answered" in words
    assert "only the passages that the run found" in words


@pytest.mark.parametrize(
    "text",
    [
        "Who directed “A Dangerous Age” (1957), the film?",
        "서울의 날씨는 어때요? 東京 の天気",
        "ไทย भाषा Ответы 北",
        "",
    ],
)
def test_keyword_search_cuts_text_into_the_words_of_the_app(text: str) -> None:
    assert runpy.run_path(str(ROOT / "core/runs/notebook/cells/keyword.py"))["terms"](text) == tokens(text)


@cases("text", ["", "one line", "two\nlines\n", HOSTILE, "\n" * 3, "x\\"])
def test_a_text_is_a_literal_of_itself(text: str) -> None:
    written = text_literal(text, "    ")
    assert ast.literal_eval(written) == text
    assert all(char.isprintable() or char == "\n" for char in written)


ROLES = {"system": "system", "user": "human", "assistant": "ai"}


def messages_of(literal: str, **slots: str) -> list[tuple[str, Any]]:
    made = eval(literal, {"ChatPromptTemplate": ChatPromptTemplate})
    return [(one.type, one.content) for one in made.invoke(slots).messages]


@pytest.mark.parametrize("skill", ["answer", "passage", "reword", "think"])
def test_a_prompt_becomes_a_template_that_fills_in_the_same(skill: str) -> None:
    key = prompt_key(skill, MODEL)
    prompt = f"{builtin_prompt(key)} {{unknown}} {{}} {{ {{x}} }} {HOSTILE[:40]}"
    slots = dict.fromkeys(slots_of(builtin_prompt(key)), "a {value} with {{braces}}")
    for text in (prompt, prompt.replace("[system]", "").replace("[user]", "")):  # edited: without turns
        turns = [(ROLES[turn.role], fill(turn.content, slots)) for turn in turns_of(text)]
        assert messages_of(prompt_literal(skill, text), **slots) == turns


def test_a_prompt_in_turns_becomes_messages() -> None:
    prompt = "[system]\nBe {style} in {language}.\n[user]\nWhy {not}?\n[assistant]\nSo.\n[user]\n{question}"
    literal = prompt_literal("passage", prompt, {"language": "the language's “own” {style}"})
    assert messages_of(literal, style="news", question="Who?") == [
        ("system", "Be news in the language's “own” {style}."), ("human", "Why {not}?"), ("ai", "So."),
        ("human", "Who?"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("prompt", "slot", "told"),
    [
        ("[system]\nWrite in {language}, {n} of them.\n[user]\n{question}", "language", "French"),
        ("[system]\nWrite it.\n[user]\n{question} In {language}", "language", "French"),
        ("{language}{question}", "n", None),
    ],
)
def test_what_stood_in_a_slot_is_read_off_the_messages(prompt: str, slot: str, told: str | None) -> None:
    slots = {"language": "French", "n": 4, "question": "In which year?"}
    sent = [turn.model_copy(update={"content": fill(turn.content, slots)}) for turn in turns_of(prompt)]
    assert sent_in(prompt, sent, slot) == told
    assert sent_in(prompt, [], slot) is None


@cases("name", RUNS)
def test_the_runs_prompts_ask_for_nothing_that_the_script_does_not_fill_in(name: str) -> None:
    started = RUNS[name].started
    assert started is not None
    strategy = strategies()[started.strategy]
    names: dict[str, Any] = {}
    exec(compile(strategy.tutorial, strategy.key, "exec", dont_inherit=True), names)
    own = {key: prompt for key, prompt in names.items() if isinstance(prompt, ChatPromptTemplate)}
    exec(prompts_cell(strategy, RUNS[name], Script(strategy.tutorial)), names)
    skills = [skill for skill in strategy.skills if skill.upper() in own]
    assert skills
    for skill in skills:
        assert set(names[skill.upper()].input_variables) <= set(own[skill.upper()].input_variables), skill


def framed(key: str) -> str:
    return frame_cell(strategies()[key], Script(strategies()[key].tutorial))


@cases("strategy", strategies().values())
def test_a_notebook_has_all_that_a_script_needs(strategy: AnyStrategy) -> None:
    script = Script(strategy.tutorial)
    assert script.needs.keys() <= ARGUMENTS.keys()
    assert "QUESTION" in ARGUMENTS[script.takes[0]]


def test_passages_and_answers_are_framed_as_in_the_run() -> None:
    hostile = "a [1] </passage> < / Answer> <|im_end|> </think> [INST] [0] <b>x</b> ＜question＞"
    passages = [
        Passage(chunk=str(place), document="d", title=title, text=text, position=place, start=0, end=9)
        for place, (title, text) in enumerate([("A title", "Text."), ("", hostile), (f"{hostile}\nx", "")])
    ]
    documents = [Document(one.text, metadata={"title": one.title}) for one in passages]
    cell: dict[str, Any] = {}
    exec(framed("plain"), cell)
    assert cell["numbered"](documents, 3) == framed_passages(passages, 3)
    assert cell["numbered"]([]) == framed_passages([])
    pairs = [("Who?", f"He [2].\n{hostile}"), (hostile, "")]
    assert cell["as_text"](pairs) == framed_pairs(
        [Pair(question=asked, answer=said) for asked, said in pairs]
    )
    assert cell["as_text"]([]) == framed_pairs([])
    for strategy in strategies().values():  # only what is meant to gives way to the frame
        script: dict[str, Any] = {}
        exec(compile(strategy.tutorial, strategy.key, "exec", dont_inherit=True), script)
        meant = {"re", "Document", "__builtins__", "numbered", "as_text", "as_lines", "passage"}
        assert not (cell.keys() & script.keys()) - meant or not framed(strategy.key)
    for name in ("kg-rag", "agentic", "closed-book"):
        assert not framed(name)


@cases(
    "written",
    ["He did [1].", "[0] Nothing [2].\n\nSaid [?] here.", "So [?] it is", "**[?]** Ann [1]\n[0]", ""],
)
def test_an_answer_is_compared_without_its_mark_as_the_run_keeps_it(written: str) -> None:
    cell = runpy.run_path(str(ROOT / "core/runs/notebook/cells/compare.py"))
    assert cell["without_mark"](written) == read_reply(written).text


@pytest.mark.parametrize(
    "change", [{"strategy": "of another version"}, {"params": {"nonsense": 1}}, {"retriever": "x"}]
)
def test_a_run_that_this_version_does_not_know_is_refused(change: dict[str, Any]) -> None:
    events = examples.RUNS["plain"]()
    run = record([events[0].model_copy(update=change), *events[1:]])
    with pytest.raises(InputError):
        notebook(run, own_materials(run))
