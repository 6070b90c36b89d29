"""A corpus of ships to build graphs from: what the endpoint extracts from each, and what it was asked."""

from __future__ import annotations

import itertools
import json
import re

from core.knowledge.store.graphs import Graphs
from core.runs.sources.corpora import CorpusService
from tests.scripted import Rule, ScriptedServer

NAME = "Fleet"
SHIPS = 12
ANSWERED = 5
"""Chunks that the endpoint answers before it holds back the rest."""
BAD = "<img src=x onerror=alert('graph')> **yard** ![p](http://attacker.example/p.png)"
PAIRS = (("Café Nero", "Cafe Nero"), ("The Salt Company", "Salt Company"), ("Port Orlau", "Port-Orlau"))
"""Names of one and the same thing."""


def index(corpora: CorpusService) -> None:
    """Make the corpus: a document and a chunk for each ship."""
    files = [(f"ship-{number}.txt", text(number).encode()) for number in range(SHIPS)]
    assert corpora.index(files, NAME).result().chunks == SHIPS


def text(number: int) -> str:
    return f"The ship Ariel-{number} carried salt to Port Orlau. {BAD} built it in {1800 + number}."


def reply(number: int) -> str:
    """Five triples that the text states, and one that it does not."""
    built = {"subject": BAD, "relation": "built", "object": f"Ariel-{number}"}
    quote = f"{BAD} built it in {1800 + number}."
    when = {"subject": built, "relation": "in", "object": str(1800 + number), "quote": quote}
    wrong = {"subject": "Ariel", "relation": "sank", "object": "sea", "quote": "It sank in the sea."}
    known = [
        {
            "subject": f"Ariel-{number}",
            "relation": "known to",
            "object": pair[number % 2],
            "quote": "carried salt",
        }
        for pair in PAIRS
    ]
    return json.dumps({"triples": [built | {"quote": quote}, when, *known, wrong]})


def rules() -> list[Rule]:
    return [Rule(match=rf"The ship Ariel-{number} ", reply=reply(number)) for number in range(SHIPS)]


def hold_back(server: ScriptedServer) -> None:
    """Answer some chunks; the replies about all others never come to their end."""
    numbers = itertools.count()
    endless = Rule(
        when=lambda body: "The ship" in str(body) and next(numbers) >= ANSWERED, reply=" " * 5000, pause=1.0
    )
    server.script(endless, *rules())


def sent(server: ScriptedServer, *, answered: bool = False) -> list[int]:
    """Return the ships that the endpoint was asked about, in order; or only those that it answered."""
    prompts = [
        str(request["body"]["messages"]) for request in server.requests if request["finished"] or not answered
    ]
    return [int(match[1]) for prompt in prompts if (match := re.search(r"The ship Ariel-(\d+) ", prompt))]


def noted(graphs: Graphs, name: str) -> int:
    """Chunks that are done and will not be sent again."""
    return len(graphs.ledger.notes(graphs.catalogue.graph(name).id))
