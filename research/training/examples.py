"""What is taught: examples of every task, made from labelled data so that they teach the task and not a cue.

Prompts are the skills' own, word for word, or those with which they were taught once. What the data suggest beside the
task is balanced: among the hand-written records true claims share few words with their passage and false ones many, so
sentences of the passage are added as true claims and claims about something else as false ones; and for every question
that a passage answers there is one on the same subject that it does not.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.corpora.sentence_spans import sentences
from core.retrieval.tokens import tokens
from core.skills.base import builtin_prompt, fill, turns_of
from research.training.families import filled
from research.training.kept import kept_out

PROMPTS = Path(__file__).parent / "prompts"
"""Of tasks that were taught and that the app does otherwise."""
SILENT = "Not in the passages."
"""What an answer says where there is none."""
FILLINGS = 10
"""How often each family of questions is used."""
CLAIMS = 260
"""Claims of SciFact that are used: each brings an abstract of its own."""
LONGEST_ABSTRACT = 220
"""Words."""
TWO = 0.3
"""Share of the claims that are judged by two passages, of which one is about something else."""
EMPTY = 0.1
"""Share of the sentences without a fact that are kept."""

Record = dict[str, Any]


@dataclass(frozen=True)
class Example:
    """One prompt and the reply to be learned."""

    task: str
    """Key of a skill."""
    prompt: tuple[tuple[str, str], ...]
    """Role and text of each message."""
    reply: str
    kept: bool = False
    """Kept out: never trained on."""


def example(skill: str, reply: str, *, kept: bool = False, **slots: str) -> Example:
    """An example of a skill's task."""
    own = PROMPTS / f"{skill}.taught.txt"
    turns = turns_of(own.read_text("utf-8") if own.is_file() else builtin_prompt(f"{skill}.taught"))
    return Example(skill, tuple((turn.role, fill(turn.content, slots)) for turn in turns), reply, kept)


def examples(folder: Path, seed: int) -> Iterator[Example]:
    """Everything that is taught, from the data sets in a folder; the same for the same seed."""
    draw = random.Random(seed)
    records = _records(folder / "ragtasks")
    for record in records:
        kept = kept_out("ragtasks", record["id"])
        yield from _queries(record, kept, draw)
        yield from _facts(record, kept, draw)
    for family in filled(FILLINGS, seed):
        yield from _of_question(family.question, list(family.rewordings), False, draw)
        yield example("step_back", family.step_back, question=family.question)
        yield example("sub_questions", "\n".join(family.parts), question=family.question)
        for part in family.parts:
            if "#" not in part:
                yield example("search_queries", part, question=family.question)
    # Judging and answering, each with half of the records that are taught: their passages are long.
    for kept in (False, True):
        some = [record for record in records if kept_out("ragtasks", record["id"]) == kept]
        draw.shuffle(some)
        for place, record in enumerate(some):
            others = [some[place - 1], some[place - 2], some[place - 3]]
            if place % 2 or kept:
                yield from _relevance(record, others, kept, draw)
            if not place % 2 or kept:
                yield from _support(record, others, kept, draw)
        yield from _answers(some, kept, draw)
    yield from _claims(folder / "scifact", draw)
    yield from _evidence(folder / "2wiki_train500")


def _records(folder: Path) -> list[Record]:
    lines = [line for file in sorted(folder.glob("*.jsonl")) for line in file.read_text("utf-8").splitlines()]
    return sorted((json.loads(line) for line in lines if line.strip()), key=lambda one: str(one["id"]))


def _lines(file: Path) -> list[Record]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def _queries(record: Record, kept: bool, draw: random.Random) -> Iterator[Example]:
    """Rewordings, search queries, steps back and sub-questions."""
    question, rewordings = record["question"], record["rewordings"]
    yield from _of_question(question, rewordings, kept, draw)
    yield example("step_back", record["step_back"], kept=kept, question=question)
    yield example("step_back", record["step_back"], kept=kept, question=draw.choice(rewordings))
    hard = record["complex"]
    parts = marked(hard)
    yield example("sub_questions", "\n".join(parts), kept=kept, question=hard["question"])
    if draw.random() < 0.2:
        yield example("sub_questions", question, kept=kept, question=question)
    for part in parts:
        if "#" not in part:
            yield example("search_queries", part, kept=kept, question=hard["question"])


def _of_question(
    question: str, rewordings: Sequence[str], kept: bool, draw: random.Random
) -> Iterator[Example]:
    for text in rewordings:
        yield example("reword", text, kept=kept, question=question)
    turned = draw.choice(rewordings)
    for text in (question, *rewordings):
        if text != turned:
            yield example("reword", text, kept=kept, question=turned)
    for text in (keywords(question), *draw.sample(list(rewordings), 1)):
        yield example("search_queries", text, kept=kept, question=question)


def keywords(question: str) -> str:
    """A question as people type it into a search box: without question words and auxiliaries."""
    idle = (
        r"^(?:in|on|at|of|by|for|to|from)?\s*(?:who|whom|whose|what|which|where|when|why|how)\b|"
        r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|the|a|an)\b|[?]"
    )
    return " ".join(re.sub(idle, " ", question, flags=re.IGNORECASE).split())


def marked(hard: Record) -> list[str]:
    """The sub-questions of a record; in place of an answer that the question does not hold stands its number."""
    made = []
    for place, part in enumerate(hard["subs"]):
        for number, answer in enumerate(hard["answers"][:place], 1):
            if len(answer) > 2 and answer.casefold() not in hard["question"].casefold():
                part = re.sub(rf"\b{re.escape(answer)}(?!\w)", f"#{number}", part, flags=re.IGNORECASE)
        made.append(part)
    return made


def _facts(record: Record, kept: bool, draw: random.Random) -> Iterator[Example]:
    """The triples of each sentence whose names it holds itself."""
    if not kept and draw.random() < 0.4:
        return
    for sentence in sentences(record["passage"]):
        there = [
            triple
            for triple in record["triples"]
            if all(str(end).casefold() in sentence.casefold() for end in (triple[0], triple[2]))
        ]
        if there:
            yield example("extract", _listed(there), kept=kept, text=sentence)
        elif draw.random() < EMPTY:
            yield example("extract", "nothing", kept=kept, text=sentence)


def _listed(triples: Sequence[Sequence[str]]) -> str:
    return "\n".join(" | ".join(map(str, triple[:3])) for triple in triples)


def _evidence(folder: Path) -> Iterator[Example]:
    """Sentences of 2WikiMultihopQA that hold both names of a triple; nothing else of its questions is used."""
    seen: dict[str, tuple[list[list[str]], bool]] = {}
    for record in _lines(folder / "queries.jsonl"):
        for sentence in record["evidence"]:
            words = set(tokens(sentence))
            for triple in record["evidence_triples"]:
                if all(set(tokens(end)) and set(tokens(end)) <= words for end in (triple[0], triple[2])):
                    found, _ = seen.setdefault(sentence, ([], kept_out("2wiki_train500", record["id"])))
                    if triple not in found:
                        found.append(triple)
    for sentence, (found, kept) in seen.items():
        yield example("extract", _listed(found), kept=kept, text=sentence)


def _relevance(
    record: Record, others: Sequence[Record], kept: bool, draw: random.Random
) -> Iterator[Example]:
    parts = [part for part in marked(record["complex"]) if "#" not in part]
    question, other = record["question"], others[0]["question"]
    # A question with a second half about something else: the passage answers the first, and so it helps.
    double = f"{question.rstrip('?')}, and {other[:1].lower()}{other[1:]}"
    asked = [(question, "yes"), (draw.choice(record["rewordings"]), "yes"), (double, "yes")]
    asked += [(draw.choice(parts), "yes")] if parts else []
    asked += [(record["unanswerable"], "no"), (record["off_topic"], "no"), (other, "no")]
    asked += [(draw.choice(others[1]["rewordings"]), "no")]
    for text, verdict in asked:
        passage = f"{record['title']}\n{record['passage']}"
        yield example("grade_relevance", verdict, kept=kept, question=text, passage=passage)


def _support(record: Record, others: Sequence[Record], kept: bool, draw: random.Random) -> Iterator[Example]:
    parts = sentences(record["passage"])
    said = [(claim, "yes") for claim in record["supported"]] + [
        (claim, "no") for claim in record["unsupported"]
    ]
    said += [(record["answer_sentence"], "yes"), (draw.choice(parts), "yes")]
    said += [(draw.choice(others[0]["supported"]), "no"), (others[1]["answer_sentence"], "no")]
    changed = swapped(draw.choice(parts), record, draw)
    said += [(changed, "no")] if changed else []
    given = draw.sample([record, others[2]], 2) if draw.random() < TWO else [record]
    context = _numbered(given)
    for claim, verdict in dict.fromkeys(said):
        yield example("grade_support", verdict, kept=kept, claim=claim, context=context)


def swapped(sentence: str, record: Record, draw: random.Random) -> str:
    """A sentence with a number or name of it put in the place of another one of the passage; empty if it has none.

    Word for word what the passage says, but for one thing.
    """
    found = r"\b\d[\d.,]*\d\b|\b(?:[A-Z]\w+ )+[A-Z]\w+\b"
    here = [match.group() for match in re.finditer(found, sentence)]
    for name in draw.sample(here, len(here)):
        number = name[0].isdigit()
        there = [match.group() for match in re.finditer(found, record["passage"])]
        fit = [one for one in there if one[0].isdigit() == number and one not in name and name not in one]
        if fit:
            return sentence.replace(name, draw.choice(fit), 1)
    return ""


def _numbered(records: Sequence[Record]) -> str:
    """Passages, each with its number and its title."""
    return "\n\n".join(
        f"[{number}] {one['title']}\n{one['passage']}" for number, one in enumerate(records, 1)
    )


def _answers(records: Sequence[Record], kept: bool, draw: random.Random) -> Iterator[Example]:
    """Questions on one to four numbered passages: those they answer, and those that they leave open."""
    rest = list(records)
    while rest:
        count = draw.choice((1, 2, 3, 4))
        given, rest = rest[:count], rest[count:]
        context = _numbered(given)
        asked: list[tuple[str, str]] = []
        for record in given:
            hard = record["complex"]
            known = [pair for pair in zip(marked(hard), hard["answers"], strict=True) if "#" not in pair[0]]
            asked += [(record["question"], record["answer"])]
            asked += [(draw.choice(record["rewordings"]), record["answer"])]
            asked += [draw.choice(known)] if known else []
            asked += [(record["unanswerable"], SILENT), (record["off_topic"], SILENT)]
        for question, reply in asked:
            yield example("answer", reply, kept=kept, question=question, context=context)


def _claims(folder: Path, draw: random.Random) -> Iterator[Example]:
    """Claims of SciFact with the abstract that is cited for them; supported ones also with another abstract."""
    documents = {one["id"]: one for one in _lines(folder / "corpus.jsonl")}
    cited: dict[str, str] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, cites, *_ = line.split("\t")
        cited.setdefault(query, cites)
    claims = [one for one in _lines(folder / "queries.jsonl") if str(one["id"]) in cited]
    draw.shuffle(claims)
    used = 0
    for one in claims:
        kept = kept_out("scifact", str(one["id"]))
        used += not kept
        if used > CLAIMS and not kept:
            continue
        document = documents[cited[str(one["id"])]]
        text = " ".join(document["text"].split(" ")[:LONGEST_ABSTRACT])
        context = f"[1] {document['title']}\n{text}"
        verdict = "yes" if one["label"] == "SUPPORT" else "no"
        yield example("grade_support", verdict, kept=kept, claim=one["text"], context=context)
        # The other verdict for the same abstract, so that an abstract by itself tells nothing.
        said = (
            draw.choice(sentences(text)[-4:-1] or [text]) if verdict == "no" else draw.choice(claims)["text"]
        )
        other = "yes" if verdict == "no" else "no"
        yield example("grade_support", other, kept=kept, claim=said, context=context)
