"""Imports killed at random moments: the next one finishes the work, and nothing is left over or half there."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import psutil

from core.corpora.catalogue import Catalogue
from core.corpora.vectors import ChunkStore, open_vectors
from core.models.embeddings import open_embedder
from core.retrieval.searcher import open_searcher
from core.services.chroma import LOCAL_CHROMA
from core.services.supervisor import Supervisor
from core.settings import Settings
from tests.bench import DEMO

ROOT = Path(__file__).parents[2]
KILLS = 10
STEP = 12
"""Documents that come new before each kill."""


class Home:
    """A home folder, and what its corpus “Notes” holds."""

    def __init__(self, folder: Path, documents: Path) -> None:
        self.folder = folder
        self.documents = documents
        clean = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("OPENAI_", "CHAT_", "CHROMA_", "DATABASE_"))
        }
        self.environment = clean | {"RAG_LOUPE_HOME": str(folder)}
        self.file = folder / "rag-loupe.sqlite"
        self.settings = Settings(_env_file=None, rag_loupe_home=folder)

    def index(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "core", "index", str(self.documents), "--corpus", "Notes", "--json"]
        return subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE)

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
        embedder = open_embedder(home.settings)
        for kind in ("dense", "keyword"):
            searcher = asyncio.run(open_searcher(catalogue, url, embedder, "Notes", kind))
            hits = asyncio.run(searcher.search("the film directed in the town", 200)).hits
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


def test_killed_imports_leave_nothing_behind(tmp_path: Path) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    chance = random.Random(seed)
    lines = DEMO.read_text(encoding="utf-8").splitlines()[:150]
    texts = [json.loads(line)["text"] + f" ({number})" for number, line in enumerate(lines)]
    documents = tmp_path / "documents"
    documents.mkdir()
    home, calm = Home(tmp_path / "home", documents), Home(tmp_path / "calm", documents)
    longest = 4.0
    early = 0
    for step in range(KILLS):
        write(documents, texts, step)
        process = home.index()
        started = time.monotonic()
        try:
            process.communicate(timeout=chance.uniform(0.05, longest))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            early += 1
        else:
            longest = time.monotonic() - started  # kills shall strike while something is going on
        home.let_go()
        if step % 3 == 2:
            only_ready_documents_are_found(home)
    assert early >= 3
    for each in (home, calm):
        output, _ = each.index().communicate(timeout=60)
        assert json.loads(output)["skipped"] == []
    entries, chunks = home.state()
    assert (entries, chunks) == calm.state()
    assert all(ready for _, _, ready in entries.values())
    assert len(entries) == KILLS * STEP
    only_ready_documents_are_found(home)
    give_up = time.monotonic() + 15
    while (left := home.processes() + calm.processes()) and time.monotonic() < give_up:
        time.sleep(0.2)
    assert not left
