"""The methods that ask the built-in model for what it was taught: usual replies, nonsense, other languages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.errors import UnusableReply
from core.skills import SKILLS
from core.skills import extract as extracting
from core.skills.base import ADAPTER_ON, CAPABLE, TAUGHT, SkillContext, builtin_prompt
from core.skills.extract import extract, triple_text
from core.skills.references import POINTS_NOWHERE
from core.skills.reword import FEWEST, REWORD, SEARCH_QUERIES, variants
from core.skills.step_back import step_back
from core.skills.sub_questions import REPLIES, reduce, split
from tests.scripted import Rule, ScriptedServer, told
from tests.skill_context import scripted_context
from tests.unit.skills.test_citations import PASSAGES, passage

QUESTION = "Where was the director of Jaws born?"
KOREAN = "죠스의 감독은 어디에서 태어났나요?"
TAUGHT_SKILLS = {
    key: method for key, skill in SKILLS.items() for method in skill.methods if method.key == TAUGHT
}


@pytest.fixture
def context(scripted: ScriptedServer) -> SkillContext:
    methods = dict.fromkeys(TAUGHT_SKILLS, TAUGHT)
    return replace(scripted_context(scripted, 40), builtin=True, methods=methods)


def bodies(scripted: ScriptedServer) -> list[dict[str, Any]]:
    """What was asked, every time through the adapter."""
    asked = [seen["body"] for seen in scripted.requests]
    assert all(body["lora"] == ADAPTER_ON["lora"] for body in asked)
    return asked


def test_every_taught_method_needs_the_built_in_model() -> None:
    assert set(TAUGHT_SKILLS) == {
        "search_queries", "sub_questions", "reduce", "step_back", "extract",
    }  # fmt: skip
    for key, method in TAUGHT_SKILLS.items():
        assert method not in SKILLS[key].offered(CAPABLE)
        assert "English only" in method.explains
        assert SKILLS[key].default_method(CAPABLE) != TAUGHT


def test_skills_of_one_task_have_one_prompt() -> None:
    assert builtin_prompt("reduce.taught") == builtin_prompt("sub_questions.taught")


async def test_search_queries_are_asked_for_one_by_one_and_sieved(
    context: SkillContext, scripted: ScriptedServer
) -> None:
    good = "Where was the director of film Jaws born?"
    scripted.script(
        Rule(reply=QUESTION, times=1),
        Rule(reply=good, times=2),
        Rule(reply="Where was the director of it born?", times=1),
        Rule(reply=" ", times=9),
    )
    made = await variants(context, SEARCH_QUERIES, QUESTION, n=3, include_original=False)
    assert [query.text for query in made.queries if query.origin == "model"] == [good]
    assert made.method == TAUGHT
    reasons = {drop.text: drop.reason for drop in made.dropped}
    assert reasons["Where was the director of it born?"] == "loses Jaws"
    assert made.note


async def test_the_first_sample_is_the_likeliest_and_more_variants_need_more_samples(
    context: SkillContext, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(reply="the director of Jaws birthplace"))
    made = await variants(context, SEARCH_QUERIES, QUESTION, n=2, include_original=True)
    assert [query.text for query in made.queries] == [QUESTION, "the director of Jaws birthplace"]
    asked = bodies(scripted)
    assert sorted(body["temperature"] for body in asked) == [0.0] + [0.8] * (FEWEST - 1)
    assert {body.get("top_p") for body in asked} == {None, 0.95}
    assert {body["max_tokens"] for body in asked} == {60}
    assert all("grammar" not in body for body in asked)
    scripted.requests.clear()
    await variants(context, SEARCH_QUERIES, QUESTION, n=6, include_original=True)
    assert len(scripted.requests) == 12


async def test_sub_questions_come_one_a_line(context: SkillContext, scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply="1. Who directed Jaws?\n\n2. Where was #1 born?\n3. When did #4 die?\n"))
    made = await split(context, QUESTION, n=3)
    assert made.questions == ("Who directed Jaws?", "Where was #1 born?")
    assert [(drop.text, drop.reason) for drop in made.dropped] == [("When did #4 die?", POINTS_NOWHERE)]
    assert (made.method, made.note) == (TAUGHT, "")
    asked = bodies(scripted)
    assert sorted(body["temperature"] for body in asked) == [0.0] + [0.7] * (REPLIES - 1)
    body = asked[0]
    assert body["max_tokens"] == 120
    assert body["grammar"].startswith('root ::= line ("\\n" line){0,2}')  # three lines and no more
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert told(body["messages"], "question") == QUESTION


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (QUESTION, "takes the question for a simple one"),
        ("#1\n#2", "No usable sub-question came"),
        ("", "No usable"),
    ],
)
async def test_without_a_sub_question_the_question_stays(
    context: SkillContext, scripted: ScriptedServer, reply: str, why: str
) -> None:
    scripted.script(Rule(reply=reply))
    made = await split(context, QUESTION, n=3)
    assert made.questions == (QUESTION,)
    assert why in made.note


async def test_the_reply_that_splits_the_question_best_is_kept(
    context: SkillContext, scripted: ScriptedServer
) -> None:
    replies = (
        f"{QUESTION}\n{QUESTION}",
        "Where was the director of Jaws born exactly?",  # one alone splits nothing
        "Who directed Alien?\nWhere was #1 born?",  # another name
        "Who directed it?\nWhere was #1 born?",  # its name is lost
        "Who directed Jaws?\nWhere was #1 born?",
    )
    for number in (5, 4, 3):
        some = replies[:number]
        scripted.script(*(Rule(reply=text, times=1) for text in some), Rule(reply=QUESTION))
        made = await split(context, QUESTION, n=3)
        expected = {5: replies[4], 4: replies[3], 3: QUESTION}[number]
        assert made.questions == tuple(expected.splitlines())
        scripted.reset()


async def test_one_sub_question_may_be_all_that_is_wanted(
    context: SkillContext, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(reply="Who directed Jaws?"))
    assert (await split(context, QUESTION, n=1)).questions == ("Who directed Jaws?",)
    assert bodies(scripted)[0]["grammar"].startswith("root ::= line\n")


async def test_the_question_itself_is_the_last_and_hardest_of_a_reduction(
    context: SkillContext, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(reply=f"Who directed Jaws?\nWhere was #1 born?\n{QUESTION}"))
    made = await reduce(context, QUESTION, n=3)
    assert made.questions == ("Who directed Jaws?", "Where was #1 born?", QUESTION)
    assert (made.skill, made.method, made.note) == ("reduce", TAUGHT, "")
    scripted.script(Rule(reply=QUESTION))
    alone = await reduce(context, QUESTION, n=3)
    assert (alone.questions, alone.dropped) == ((QUESTION,), ())
    assert alone.note == "The model takes the question for a simple one, so only the question itself is left."
    assert bodies(scripted)
    scripted.requests.clear()
    assert (await reduce(context, QUESTION, n=1)).note == ""
    assert not scripted.requests


async def test_a_step_back(context: SkillContext, scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply="What is the life of the director of Jaws?\nMore."))
    made = await step_back(context, QUESTION)
    assert (made.general, made.note) == ("What is the life of the director of Jaws?", "")
    assert bodies(scripted)[0]["max_tokens"] == 40


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (QUESTION, "repeated the question"),
        ("What is a shark?", "has none of the names"),
        ("", "gave no question"),
    ],
)
async def test_a_step_back_that_leads_nowhere_gives_way_to_the_rule(
    context: SkillContext, scripted: ScriptedServer, reply: str, why: str
) -> None:
    scripted.script(Rule(reply=reply))
    made = await step_back(context, QUESTION)
    assert made.general == "What is known about Jaws?"
    assert why in made.note
    assert "a rule made this" in made.note
    plain = "where is the deepest lake?"
    scripted.script(Rule(reply=plain))
    assert (await step_back(context, plain)).note.startswith(
        "No step back: the model repeated the question, and"
    )


async def test_triples_come_one_a_line(context: SkillContext, scripted: ScriptedServer) -> None:
    scripted.script(
        Rule(
            match="directed",
            reply="Steven Spielberg | directed | Jaws\nSteven Spielberg | directed | Alien\nIt | won | Jaws\na | b",
        ),
        Rule(reply="nothing"),
    )
    first = "Jaws was directed by Steven Spielberg."
    text = f"{first} It won a prize."
    made = await extract(context, passage(1, text))
    assert [(triple_text(one.triple), one.quote) for one in made.found] == [
        ("(Steven Spielberg)-[directed]->(Jaws)", first)
    ]
    assert {drop.text: drop.reason for drop in made.dropped} == {
        "(Steven Spielberg)-[directed]->(Alien)": extracting.NOT_STATED,
        "(It)-[won]->(Jaws)": extracting.NO_NAME,
        "a | b": extracting.UNREADABLE,
    }
    assert made.method == TAUGHT
    assert [body["max_tokens"] for body in bodies(scripted)] == [120, 120]


async def test_nothing_but_prose_is_no_extraction(context: SkillContext, scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply="The film is a film."))
    with pytest.raises(UnusableReply):
        await extract(context, PASSAGES[0])


async def test_the_model_is_not_asked_in_other_languages(
    context: SkillContext, scripted: ScriptedServer
) -> None:
    film = PASSAGES[0].model_copy(
        update={"text": "죠스는 스티븐 스필버그가 감독했다. 감독은 오하이오에서 태어났다."}
    )
    for skill in (REWORD, SEARCH_QUERIES):
        made = await variants(context, skill, KOREAN, n=3, include_original=False)
        assert [query.text for query in made.queries] == [KOREAN]
        assert "English only" in made.note
    parts = await split(context, KOREAN, n=3)
    assert parts.questions == (KOREAN,)
    assert "English only" in parts.note
    back = await step_back(context, KOREAN)
    assert back.general == KOREAN
    assert "English only" in back.note
    assert (await extract(context, film)).found == ()
    assert not scripted.requests
