"""Imports killed at random steps: the next one finishes the work, and nothing is left over or half there."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from core.corpora.catalogue import Catalogue, CorpusStores
from core.corpora.chunk_store import ChunkStore, open_vectors
from core.models.embeddings import open_embedder
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from core.settings import Settings
from tests.bench import PASSAGES
from tests.commands import ROOT, core_here, environment_of, parsed, until
from tests.servers.corpora.bench import opened

STEP = 12
"""Documents that come new before each kill."""
LATEST = 20
"""Steps after which a kill comes at the latest; every import takes more."""

KILLED = """
import os, signal, sys, threading
from core.cli.main import main
from core.corpora import pipeline
from core.corpora.catalogue import Catalogue
from core.corpora.chunk_store import ChunkStore
pipeline._GROUP, pipeline._BATCH, pipeline._WRITTEN = 5, 2, 4
left, pause = int(sys.argv[1]), float(sys.argv[2])
def kill():
    os.kill(os.getpid(), signal.SIGKILL)
def step():
    global left
    left -= 1
    if left == 0:
        threading.Timer(pause, kill).start() if pause else kill()
def counted(owner, name):
    work = getattr(owner, name)
    def step_by_step(*args, **kwargs):
        step()
        result = work(*args, **kwargs)
        step()
        return result
    setattr(owner, name, step_by_step)
for owner, names in ((Catalogue, ("begin", "finish", "forget")), (ChunkStore, ("__init__", "add", "remove"))):
    for name in names:
        counted(owner, name)
sys.exit(main(sys.argv[3:]))
"""
"""The command line, writing a few chunks at a time, and killed so many seconds after it has begun or done so many
writes."""


class Home:
    """A home folder, and what its corpus “Notes” holds."""

    def __init__(self, folder: Path, documents: Path) -> None:
        self.folder = folder
        self.documents = documents
        self.file = folder / "rag-loupe.sqlite"
        self.settings = Settings(_env_file=None, rag_loupe_home=folder)

    @property
    def words(self) -> tuple[str, ...]:
        """The command that indexes the documents."""
        return ("index", str(self.documents), "--corpus", "Notes", "--json")

    def index_killed(self, steps: int, seconds: float) -> int:
        """Index in a process that is killed; its exit status."""
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(steps), str(seconds), *self.words],
            cwd=ROOT, env=environment_of(self.folder), stdout=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        return done.returncode

    def let_go(self) -> None:
        """As if the time were over for which a killed import holds the corpus."""
        if self.file.exists():
            # No table yet: killed before it was made.
            with closing(sqlite3.connect(self.file)) as connection, suppress(sqlite3.OperationalError):
                connection.execute("UPDATE corpora SET writer_until = 0")
                connection.commit()

    def state(self) -> tuple[dict[str, tuple[str, int, bool]], set[str]]:
        """What the catalogue knows of the documents, and the ids of the chunks in Chroma."""
        catalogue = Catalogue(self.settings.database)
        supervisor = Supervisor(self.folder)
        try:
            corpus = catalogue.corpus("Notes")
            entries = {e.name: (e.id, e.chunks, e.ready) for e in catalogue.documents(corpus.id)}
            client = open_vectors(supervisor.ensure(LOCAL_CHROMA).url)
            found = client.get_collection(ChunkStore(client, corpus).name).get(include=[])["ids"]
            assert len(client.list_collections()) == 1
            assert (corpus.documents, corpus.chunks) == (len(entries), len(found))
            return entries, set(found)
        finally:
            catalogue.close()
            supervisor.release()

    def processes(self) -> list[psutil.Process]:
        """Every process that works for this home."""
        found = []
        for process in psutil.process_iter():
            try:
                words, variables = process.cmdline(), process.environ()
            except psutil.Error:
                continue
            ours = variables.get("RAG_LOUPE_HOME") == str(self.folder) and ("core" in words or "-c" in words)
            if ours or str(self.folder) in words:
                found.append(process)
        return found


def only_ready_documents_are_found(home: Home) -> None:
    """Whatever a kill left: searches see ready documents, each of them whole."""
    catalogue = Catalogue(home.settings.database)
    supervisor = Supervisor(home.folder)
    try:
        if not catalogue.corpora() or not catalogue.corpora()[0].documents:
            return
        corpus = catalogue.corpus("Notes")
        ready = catalogue.ready(corpus.id)
        url = supervisor.ensure(LOCAL_CHROMA).url
        chunks = ChunkStore(open_vectors(url), corpus)
        whole = {entry.id: entry.chunks for entry in catalogue.documents(corpus.id) if entry.ready}
        passages = chunks.passages(frozenset(ready))
        for document, count in whole.items():
            assert sum(passage.document == document for passage in passages) == count
        stores = CorpusStores(catalogue, url, open_embedder(home.settings))
        for kind in ("dense", "keyword"):
            retriever = asyncio.run(opened(stores, "Notes", kind))
            hits = asyncio.run(retriever.search("the film directed in the town", 200)).hits
            assert {hit.passage.document for hit in hits} <= set(ready)
            assert kind == "keyword" or len(hits) == min(200, len(passages))
    finally:
        catalogue.close()
        supervisor.release()


def write(folder: Path, texts: list[str], step: int) -> None:
    """The next documents; one that is there changes."""
    for number, words in enumerate(texts[step * STEP : (step + 1) * STEP]):
        (folder / f"{step}-{number}.txt").write_text(words, encoding="utf-8")
    if step:
        (folder / f"{step - 1}-0.txt").write_text(f"It was changed. {texts[step]}", encoding="utf-8")


@pytest.mark.parametrize("kills", [2, pytest.param(10, marks=pytest.mark.thorough)])
def test_killed_imports_leave_nothing_behind(tmp_path: Path, kills: int) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    chance = random.Random(seed)
    lines = PASSAGES.read_text(encoding="utf-8").splitlines()[:150]
    texts = [json.loads(line)["text"] + f" ({number})" for number, line in enumerate(lines)]
    documents = tmp_path / "documents"
    documents.mkdir()
    home, calm = Home(tmp_path / "home", documents), Home(tmp_path / "calm", documents)
    for number in range(kills):
        write(documents, texts, number)
        seconds = chance.uniform(0.001, 0.05) if number % 2 else 0.0
        status = home.index_killed(chance.randint(1, LATEST), seconds)
        assert status == -signal.SIGKILL or seconds, "it came to its end"
        home.let_go()
        if number % 3 == 1:
            only_ready_documents_are_found(home)
    for each in (home, calm):
        assert parsed(core_here(each.folder, *each.words))["skipped"] == []
    entries, chunks = home.state()
    assert (entries, chunks) == calm.state()
    assert all(ready for _, _, ready in entries.values())
    assert len(entries) == kills * STEP
    only_ready_documents_are_found(home)
    until(lambda: not home.processes() + calm.processes())
