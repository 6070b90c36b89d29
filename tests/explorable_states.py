"""Values that the handles of explorables can have, at random; one function per explorable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

Data = Mapping[str, Any]
Values = dict[str, Any]


def rag_fusion(data: Data, random: Random) -> Values:
    return {
        "k": random.randint(1, 100),
        "from": random.choice("01"),
        "order": [random.sample(range(len(one["hits"])), len(one["hits"])) for one in data["lists"]],
    }


def chain(data: Data, random: Random) -> Values:
    return {
        "way": random.choice([one["key"] for one in data["ways"]]),
        "edit": random.choice(["none", *(one["key"] for one in data["edits"])]),
    }


def step_back(data: Data, random: Random) -> Values:
    return {"level": random.choice([one["key"] for one in data["levels"]])}


def plain(data: Data, random: Random) -> Values:
    return {
        "share": random.randint(0, 10) / 10,
        "k": random.randint(1, 10),
        "off": random.choice(["", *(str(at) for at in range(len(data["words"])))]),
        "chosen": str(random.choice(data["passages"])["place"]),
    }


def hyde(data: Data, random: Random) -> Values:
    return {
        "on": [random.random() < 0.5 for _ in data["texts"]],
        "question": random.choice(["with", "without"]),
    }


def multi_query(data: Data, random: Random) -> Values:
    return {
        "on": [random.random() < 0.6 for _ in data["lists"]],
        "drift": random.randint(0, len(data["drift"]) - 1),
        "given": random.randint(4, data["given"]),
    }


def indexing(data: Data, random: Random) -> Values:
    return {
        "size": random.randrange(len(data["sizes"])),
        "share": str(random.randrange(len(data["shares"]))),
        "asked": str(random.randrange(len(data["asked"]))),
    }


def evaluation(data: Data, random: Random) -> Values:
    return {
        "count": random.randint(20, len(data["questions"])),
        "seed": random.randint(1, data["seeds"]),
        "group": str(random.randrange(len(data["groups"]))),
        "in": [random.random() < 0.95 for _ in data["questions"]],
    }


def linked_passages(data: Data, random: Random) -> Values:
    return {
        "restart": random.randint(1, 20) / 20,
        "links": [random.random() < 0.8 for _ in data["cuts"]],
    }


def self_rag(data: Data, random: Random) -> Values:
    recorded = {
        f"search{at}": [one["passes"] for one in search["graded"]]
        for at, search in enumerate(data["searches"], 1)
    } | {f"draft{at}": [one["passes"] for one in draft] for at, draft in enumerate(data["drafts"], 1)}
    flipped = {name: [on != (random.random() < 0.2) for on in grades] for name, grades in recorded.items()}
    return flipped | {"rest": random.choice(list(data["assumed"]))}


def kg_rag(data: Data, random: Random) -> Values:
    path: list[int] = []
    nodes = {data["start"]}
    for _ in range(random.randint(0, len(data["steps"]))):
        hops = sorted(
            {hop for source, hop, target, *_ in data["links"] if source in nodes and target != data["start"]}
        )
        if not hops:
            break
        path.append(random.choice(hops))
        nodes = {
            target
            for source, hop, target, *_ in data["links"]
            if source in nodes and hop == path[-1] and target != data["start"]
        }
    return {"path": path}


def storing_a_graph(data: Data, random: Random) -> Values:
    made: list[dict[str, Any]] = []
    depths: list[int] = []
    for _ in range(random.randint(0, data["most"])):
        sentence = random.randrange(len(data["sentences"]))
        count = len(data["sentences"][sentence]["words"])
        about = [place for place, depth in enumerate(depths) if depth < data["deepest"]]
        subject = random.choice(about) if about and random.random() < 0.5 else None
        spans = [sorted(random.randrange(count) for _ in range(2)) for _ in range(3)]
        depths.append(0 if subject is None else depths[subject] + 1)
        made.append(
            {
                "sentence": sentence,
                "subject": spans[0] if subject is None else subject,
                "relation": spans[1],
                "object": spans[2],
            }
        )
    return {"triples": made, "graph": "hidden"}


def ircot(data: Data, random: Random) -> Values:
    guesses = ["none", *map(str, range(len(data["guesses"])))]
    return {"step": random.choice("123"), "guess": random.choice(guesses)}


def agentic(data: Data, random: Random) -> Values:
    counts = [sum(one["part"] == part for one in data["calls"]) for part in range(len(data["parts"]))]
    return {f"part{at}": str(random.randrange(count)) for at, count in enumerate(counts, 1)}


def corrective(data: Data, random: Random) -> Values:
    verdicts = random.choice((("no",), ("no", "partly"), ("no", "partly", "yes")))
    return {f"grade{at}": random.choice(verdicts) for at in range(1, len(data["passages"]) + 1)}


def search_o1(data: Data, random: Random) -> Values:
    searches = sum(len(one["searches"]) for one in data["thoughts"])
    return {
        "step": random.randint(1, len(data["thoughts"])),
        "read": [random.random() < 0.5 for _ in range(searches)],
    }


def reranking(data: Data, random: Random) -> Values:
    return {
        "depth": random.randint(0, 20),
        "k": random.randint(1, 10),
        "asked": str(random.randrange(len(data["asked"]))),
    }


def small_to_big(data: Data, random: Random) -> Values:
    least, most, _ = data["range"]
    return {
        "give": random.choice([key for key, _ in data["given"]]),
        "most": random.randrange(least, most + 1, 100),
        "asked": str(random.randrange(len(data["asked"]))),
    }


def adaptive(data: Data, random: Random) -> Values:
    ways = ["", *(one["key"] for one in data["ways"])]
    return {f"way{at}": random.choice(ways) for at, _ in enumerate(data["asked"], 1)}


def closed_book(data: Data, random: Random) -> Values:
    place = random.randrange(len(data["asked"]))
    model = random.choice([one["key"] for one in data["models"]])
    other = random.choice(data["asked"])["key"]
    about = random.choice([data["asked"][place]["key"], other])
    return {
        "asked": str(place),
        "model": model,
        "documents": random.choice(["without", "with"]),
        "guess": random.choice(["", f"{about}.{model}.{random.choice(['right', 'wrong', 'refusal'])}"]),
    }


STATES: dict[str, Callable[[Data, Random], Values]] = {
    "decomposition_independent": chain,
    "decomposition_sequential": chain,
    "least_to_most": chain,
    "rag_fusion": rag_fusion,
    "step_back": step_back,
    "plain": plain,
    "hyde": hyde,
    "multi_query": multi_query,
    "indexing": indexing,
    "evaluation": evaluation,
    "linked_passages": linked_passages,
    "self_rag": self_rag,
    "kg_rag": kg_rag,
    "storing_a_graph": storing_a_graph,
    "ircot": ircot,
    "agentic": agentic,
    "corrective": corrective,
    "search_o1": search_o1,
    "reranking": reranking,
    "small_to_big": small_to_big,
    "adaptive": adaptive,
    "closed_book": closed_book,
}
EMBEDS = {"evaluation", "hyde", "indexing", "multi_query", "plain", "reranking", "small_to_big"}
"""Explorables whose data takes vectors of the built-in embeddings, which differ a little between processors."""
SLOW = {"indexing"}
"""Explorables whose data takes minutes to make."""
APART: dict[str, dict[str, float]] = {
    "evaluation": {"low": 0.03, "high": 0.03, "p": 0.03},  # both draw samples, each its own
    "hyde": {"scores": 1e-5},  # the engine counts in 32 bits
}
"""How far values may be from the engine's, by their names; all others agree to nine digits."""
