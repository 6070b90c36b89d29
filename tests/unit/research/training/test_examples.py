"""What is taught: the skills' own prompts, no answer that the question does not hold, no cue beside the task."""

from __future__ import annotations

import json
import random
from pathlib import Path

from core.skills import SKILLS
from core.skills.base import TAUGHT
from research.training.examples import PROMPTS, SILENT, example, examples, keywords, marked, swapped
from research.training.families import FAMILIES, filled
from research.training.kept import kept_out

PASSAGE = (
    "The Rosewater Bridge was opened in 1903 by Ada Thorn. It spans the river Merle near Old Harbour. "
    "In 1951 a flood took its northern arch, and John Pell rebuilt it."
)


def record(number: int) -> dict[str, object]:
    """A record such as those that people wrote."""
    return {
        "id": f"tech-{number:04}", "title": f"Bridge {number}", "passage": PASSAGE,
        "question": "Who opened the Rosewater Bridge?", "answer": "Ada Thorn",
        "answer_sentence": "The Rosewater Bridge was opened in 1903 by Ada Thorn.",
        "rewordings": [f"Who was it, in words of kind {kind}, that opened the bridge?" for kind in range(5)],
        "step_back": "What is the history of the Rosewater Bridge?",
        "complex": {
            "question": "Where was the person born who opened the Rosewater Bridge?",
            "subs": ["Who opened the Rosewater Bridge?", "Where was Ada Thorn born?"],
            "answers": ["Ada Thorn", "Old Harbour"],
        },
        "unanswerable": "How long is the Rosewater Bridge?", "off_topic": "How is rosewater made?",
        "supported": ["A woman took it into service.", "High water once did damage to it."],
        "unsupported": ["The bridge was opened in 1903 by John Pell.", "A flood took its southern arch."],
        "triples": [["Ada Thorn", "opened", "Rosewater Bridge"], ["John Pell", "rebuilt", "northern arch"]],
    }  # fmt: skip


def folder(path: Path) -> Path:
    """Data sets of a few lines."""
    for name in ("ragtasks", "scifact", "2wiki_train500"):
        (path / name).mkdir()
    lines = [json.dumps(record(number)) for number in range(1, 31)]
    (path / "ragtasks" / "tech.jsonl").write_text("\n".join(lines), encoding="utf-8")
    claims = [
        {"id": f"c{number}", "text": f"Claim {number}.", "label": "SUPPORT" if number % 2 else "NOINFO"}
        for number in range(20)
    ]
    (path / "scifact" / "queries.jsonl").write_text("\n".join(map(json.dumps, claims)), encoding="utf-8")
    documents = [{"id": "d", "title": "Title", "text": "One thing. Another. A third. The end."}]
    (path / "scifact" / "corpus.jsonl").write_text(json.dumps(documents[0]), encoding="utf-8")
    rows = ["qid\tdocid\trel", *(f"c{number}\td\t1" for number in range(20))]
    (path / "scifact" / "qrels.tsv").write_text("\n".join(rows), encoding="utf-8")
    hops = {
        "id": "w1",
        "evidence": ["Ran is a film directed by Akira Kurosawa.", "He was born in 1910."],
        "evidence_triples": [["Ran", "director", "Akira Kurosawa"], ["Akira Kurosawa", "born", "1910"]],
    }
    (path / "2wiki_train500" / "queries.jsonl").write_text(json.dumps(hops), encoding="utf-8")
    return path


def test_every_task_is_taught_with_its_own_prompt(tmp_path: Path) -> None:
    made = list(examples(folder(tmp_path), seed=0))
    taught = {key for key, skill in SKILLS.items() if TAUGHT in [method.key for method in skill.methods]}
    shared = {"reduce"}  # with `sub_questions`
    given_up = {path.name.partition(".")[0] for path in PROMPTS.iterdir()}
    assert given_up.isdisjoint(taught)
    assert {one.task for one in made} == taught - shared | given_up
    for one in made:
        assert [role for role, _ in one.prompt] == ["system", "user"]
        assert not any(
            f"{{{slot}}}" in one.prompt[1][1] for slot in ("question", "context", "passage", "text")
        )
    assert made == list(examples(tmp_path, seed=0))


def test_what_is_kept_out_is_marked_and_both_verdicts_are_taught_alike(tmp_path: Path) -> None:
    made = list(examples(folder(tmp_path), seed=0))
    kept = [number for number in range(1, 31) if kept_out("ragtasks", f"tech-{number:04}")]
    assert kept == [10, 20, 30]
    titles = {f"Bridge {number}" for number in kept}
    for one in made:
        if one.task == "grade_relevance":
            assert one.kept == (one.prompt[1][1].splitlines()[0] in titles)
    for task, least in (("grade_relevance", 0.4), ("grade_support", 0.4)):
        verdicts = [one.reply for one in made if one.task == task and not one.kept]
        assert least <= verdicts.count("yes") / len(verdicts) <= 1 - least
    answers = [one.reply for one in made if one.task == "answer" and not one.kept]
    assert 0.3 <= answers.count(SILENT) / len(answers) <= 0.5


def test_sub_questions_never_tell_an_answer_that_must_be_found_first() -> None:
    hard = record(1)["complex"]
    assert isinstance(hard, dict)
    assert marked(hard) == ["Who opened the Rosewater Bridge?", "Where was #1 born?"]
    known = hard | {"question": "Where was Ada Thorn born, who opened the Rosewater Bridge?"}
    assert marked(known)[1] == "Where was Ada Thorn born?"


def test_a_sentence_with_one_thing_exchanged_is_no_longer_what_the_passage_says() -> None:
    draw = random.Random(0)
    sentence = "The Rosewater Bridge was opened in 1903 by Ada Thorn."
    for _ in range(20):
        changed = swapped(sentence, record(1), draw)
        assert changed
        assert changed not in PASSAGE
    assert swapped("It was grey.", record(1), draw) == ""


def test_keywords_are_what_is_left_without_question_words() -> None:
    assert keywords("Who opened the Rosewater Bridge?") == "opened Rosewater Bridge"


def test_families_are_filled_whole_with_two_names() -> None:
    made = list(filled(3, seed=0))
    assert len(made) == 3 * len(FAMILIES)
    for family in made:
        texts = (family.question, family.step_back, *family.rewordings, *family.parts)
        assert not any("{" in text for text in texts)
        assert len({family.question, *family.rewordings}) == 6


def test_an_example_is_filled_as_the_skill_fills_it() -> None:
    one = example("reword", "So?", question="Is {question} a slot?")
    assert one.prompt[1] == ("user", "Is {question} a slot?")
