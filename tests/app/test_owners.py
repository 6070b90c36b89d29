"""Two browsers on a server with a teacher's password: who is offered which change, and what the page says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from core.corpora.demo import DEMO_CORPUS
from core.evaluation.runner import ONLY_THE_TEACHER, evaluations_of
from core.knowledge.store.importing import import_file
from core.runs.workbench import Workbench
from core.ui.shell import session
from core.users import NotAllowed, User
from tests import fleet
from tests.app.drawings import still
from tests.app.opening import click, drawn, has, keys, opened, table, value
from tests.app.pages import NOWHERE, app, workbench
from tests.app.test_documents import SHIPS, corpus, indexed
from tests.app.test_stored_evaluations import begun
from tests.scripted import ScriptedServer

DOCUMENTS, GRAPH, EVALUATE = "pages/documents.py", "pages/knowledge_graph.py", "pages/evaluate.py"
NOWHERE_TO_ASK = {name: NOWHERE[name] for name in ("OPENAI_BASE_URL", "CHAT_MODEL")}
ME, OTHER = "a" * 32, "b" * 32


@pytest.fixture
def guarded(
    demo_home: Path, monkeypatch: pytest.MonkeyPatch, scripted: ScriptedServer
) -> Iterator[Workbench]:
    """A workbench with the demo and a teacher's password; what a test makes beside the demo is deleted after it."""
    endpoint = {"OPENAI_BASE_URL": scripted.base_url, "CHAT_MODEL": "scripted", "OPENAI_API_KEY": "test-key"}
    with workbench(
        monkeypatch, demo_home, TEACHER_PASSWORD="right", CONTEXTS_AND_GRAPHS="all", **endpoint
    ) as bench:
        session.workbench()
        bench.corpora.demo().result()
        yield bench
        for one in bench.corpora.catalogue.corpora():
            if one.name != DEMO_CORPUS:
                bench.corpora.delete(one.name)
        bench.graphs.graphs.close()


def add(page: AppTest, name: str, content: str, into: str) -> AppTest:
    """Upload a file into a new corpus of this name."""
    page.file_uploader(key="files").upload(name, content.encode()).run()
    page.text_input(key="corpus-name").set_value(into).run()
    return indexed(click(page, "index"))


def sign_in(page: AppTest) -> AppTest:
    page.text_input(key="teacher-password").set_value("right")
    return click(page, "teacher-sign-in")


def test_a_corpus_is_changed_by_whoever_added_it_and_by_the_teacher(guarded: Workbench) -> None:
    mine = add(opened(DOCUMENTS, owner=ME), "ships.md", SHIPS, "Nature")
    assert guarded.corpora.catalogue.corpus("Nature").owner == ME

    theirs = add(opened(DOCUMENTS, owner=OTHER), "ships.md", "All false.", "Nature")
    assert has(theirs, "“Nature” is not yours: only its owner and the teacher can change it.")
    assert has(theirs, "Only your own corpora are offered")
    corpus(theirs, "Nature")
    assert has(theirs, "Only its owner and the teacher can change this corpus")
    assert not {"corpus-delete-sure", "corpus-rename-save", "reindex-go"} & keys(theirs)
    theirs.session_state["documents"] = {"selection": {"rows": [0], "columns": [], "cells": []}}
    assert "documents-delete-sure" not in keys(drawn(theirs.run()))

    corpus(mine, "Nature")
    assert {"corpus-delete-sure", "corpus-rename-save", "reindex-go"} <= keys(mine)
    assert "corpus-delete-sure" in keys(sign_in(theirs))
    click(theirs, "corpus-delete-sure")
    assert "Nature" not in table(theirs, "corpora")["Corpus"]


def test_nothing_is_added_to_the_demo_by_its_name(guarded: Workbench) -> None:
    before = guarded.corpora.catalogue.corpus(DEMO_CORPUS)
    page = add(opened(DOCUMENTS, owner=ME), "poison.txt", "All false.", f" {DEMO_CORPUS.upper()}")
    assert has(page, "The demo corpus comes with the app")
    page = add(sign_in(page), "poison.txt", "All false.", DEMO_CORPUS)
    assert has(page, "The demo corpus comes with the app")
    assert guarded.corpora.catalogue.corpus(DEMO_CORPUS) == before
    corpus(page, DEMO_CORPUS)
    assert has(page, "This corpus comes with the app and stays as it is.")
    assert value(page, "corpus") == before.id


def test_a_graph_is_changed_by_whoever_made_it_and_by_the_teacher(guarded: Workbench, tmp_path: Path) -> None:
    file = tmp_path / "wrens.tsv"
    file.write_text("Wren\tsings in\twinter\nThe Wren\tis a\tbird\n", encoding="utf-8")
    import_file(guarded.graphs.graphs, file, "Wrens", by=User(ME))
    for owner, may in ((ME, True), (OTHER, False)):
        page = still(app(GRAPH, owner=owner, graph="Wrens", section="Delete"))
        assert ("graph-delete-sure" in keys(page)) is may
        assert has(page, "Only its owner and the teacher can delete or change it.") is not may
        page = still(app(GRAPH, owner=owner, graph="Wrens", section="Duplicates"))
        still(page.button(key="duplicates-find").click().run())
        assert any(key.startswith("merge-") for key in keys(page)) is may
        assert has(page, "Only whoever made this graph, and the teacher, can merge") is not may
    page = sign_in(still(app(GRAPH, owner=OTHER, graph="Wrens", section="Delete")))
    click(page, "graph-delete-sure")
    assert "Wrens" not in guarded.graphs.names()


def test_no_graph_is_built_under_a_taken_name_or_into_another_s(guarded: Workbench) -> None:
    fleet.index(guarded.corpora)
    guarded.graphs.graphs.catalogue.create("Theirs", "test", fleet.NAME, owner=OTHER)
    page = app(GRAPH, owner=ME, section="Build")
    page.selectbox(key="build-corpus").select(fleet.NAME).run()
    for name, why in (
        ("movies (neo4j EXAMPLE)", "a graph that comes with the app"),
        ("Theirs ", "is not yours"),
    ):
        field = next(one for one in page.text_input if str(one.key).startswith("build-name-"))
        field.set_value(name).run()
        if "build-go" in keys(page):
            click(page, "build-go")
        assert has(page, why) or has(page, "Only whoever began this graph, and the teacher, can build on it")
    assert guarded.builds.running() == []
    page.selectbox(key="build-graph").select("Theirs").run()
    assert has(page, "Only whoever began this graph, and the teacher, can build on it")
    assert not {"build-go", "build-retry"} & keys(page)
    guarded.graphs.graphs.catalogue.forget(guarded.graphs.graphs.catalogue.graph("Theirs").id)


def test_without_a_password_everybody_is_the_teacher(ready: Workbench) -> None:
    ready.corpora.index([("ships.md", SHIPS.encode())], "Nature", by=User(ME)).result()
    page = corpus(opened(DOCUMENTS, owner=OTHER), "Nature")
    assert {"corpus-delete-sure", "corpus-rename-save", "reindex-go"} <= keys(page)
    click(page, "corpus-delete-sure")
    assert "Nature" not in [one.name for one in ready.corpora.catalogue.corpora()]
    st.cache_resource.clear()


@pytest.mark.parametrize(("setting", "may"), [("", False), ("teacher", False), ("all", True)])
def test_who_may_evaluate_is_a_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, may: bool
) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE, TEACHER_PASSWORD="right", EVALUATIONS=setting) as bench:
        page = app(EVALUATE, owner=ME)
        start = {one.key: one for one in page.button}["evaluation-start"]
        assert start.disabled is not may
        assert has(page, ONLY_THE_TEACHER) is not may
        if may:
            return
        with pytest.raises(NotAllowed, match="only the teacher"):
            evaluations_of(bench).start("an evaluation", User(ME))
        sign_in(page)
        assert not has(page, ONLY_THE_TEACHER)


def test_a_paused_evaluation_is_gone_on_with_by_the_teacher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with workbench(monkeypatch, tmp_path, **NOWHERE, TEACHER_PASSWORD="right") as bench:
        key = begun(bench, ME, only=[(0, "q0")])
        page = app(EVALUATE, owner=ME, evaluation=key)
        assert page.button(key="evaluation-continue").disabled
        assert page.button(key="evaluation-continue").help == ONLY_THE_TEACHER
        assert not sign_in(page).button(key="evaluation-continue").disabled
