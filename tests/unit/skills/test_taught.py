"""The methods that ask the built-in model for what it was taught: usual replies, nonsense, other languages."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from core.errors import UnusableReply
from core.models.asking import CallBudget
from core.models.chat import Chat
from core.settings import Settings
from core.skills import SKILLS
from core.skills import extract as extracting
from core.skills.answer import READ, READ_WORDS, answer
from core.skills.answer_sub import answer_sub
from core.skills.base import ADAPTER_ON, MODEL, TAUGHT, SkillContext, builtin_prompt
from core.skills.by_rule import BY_RULE
from core.skills.extract import extract, triple_text
from core.skills.grade_relevance import grade_relevance
from core.skills.grade_support import grade_support
from core.skills.model_kind import CAPABLE
from core.skills.references import POINTS_NOWHERE
from core.skills.reword import FEWEST, REWORD, SEARCH_QUERIES, variants
from core.skills.step_back import step_back
from core.skills.sub_questions import REPLIES, reduce, split
from core.skills.taught import ENGLISH_ONLY, JUDGED_WORDS, first_passages, first_words
from core.trace.artefacts import Answer
from core.trace.passages import Passage
from core.trace.tracer import ListTracer
from tests.embedder import word_counts
from tests.scripted import Rule, ScriptedServer, told
from tests.unit.skills.test_citations import PASSAGES, passage

QUESTION = "Where was the director of Jaws born?"
KOREAN = "죠스의 감독은 어디에서 태어났나요?"
TAUGHT_SKILLS = {
    key: method for key, skill in SKILLS.items() for method in skill.methods if method.key == TAUGHT
}


@pytest.fixture
def context(scripted: ScriptedServer) -> SkillContext:
    settings = Settings(_env_file=None, retry_base_seconds=0.01, openai_api_key=SecretStr("x"))
    tracer = ListTracer()
    return SkillContext(
        chat=Chat(scripted.endpoint(), tracer, settings, CallBudget(40)),
        embedder=word_counts(),
        tracer=tracer,
        builtin=True,
        methods=dict.fromkeys(TAUGHT_SKILLS, TAUGHT) | {BY_RULE.key: MODEL},
    )


def bodies(scripted: ScriptedServer) -> list[dict[str, Any]]:
    """What was asked, every time through the adapter."""
    asked = [seen["body"] for seen in scripted.requests]
    assert all(body["lora"] == ADAPTER_ON["lora"] for body in asked)
    return asked


def test_every_taught_method_needs_the_built_in_model() -> None:
    assert set(TAUGHT_SKILLS) == {
        "search_queries", "sub_questions", "reduce", "step_back", "grade_relevance", "grade_support", "answer",
        "answer_sub", "extract",
    }  # fmt: skip
    for key, method in TAUGHT_SKILLS.items():
        assert method.builtin_only
        assert "English only" in method.explains
        assert SKILLS[key].default_method(CAPABLE) != TAUGHT


def test_skills_of_one_task_have_one_prompt() -> None:
    assert builtin_prompt("answer_sub.taught") == builtin_prompt("answer.taught")
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


@pytest.mark.parametrize(("chance", "verdict", "side"), [(0.83, "yes", "at least"), (0.2, "no", "below")])
async def test_relevance_is_a_probability(
    context: SkillContext, scripted: ScriptedServer, chance: float, verdict: str, side: str
) -> None:
    scripted.script(Rule(chances={"yes": chance, "no": 1 - chance}))
    long = passage(1, " ".join(["word"] * 900))
    made = await grade_relevance(context, QUESTION, long)
    assert (made.verdict, made.passes, made.method) == (verdict, verdict == "yes", TAUGHT)
    assert made.score == pytest.approx(chance, abs=1e-3)
    assert made.reason == f"The model gives yes a probability of {chance:.2f}, {side} 0.5."
    messages = bodies(scripted)[0]["messages"]
    assert told(messages, "passage").startswith("T1\nword")
    assert len(messages[-1]["content"].split()) < JUDGED_WORDS + 20


async def test_neither_yes_nor_no_is_no(context: SkillContext, scripted: ScriptedServer) -> None:
    scripted.script(Rule(reply="Bananas"))
    made = await grade_relevance(context, QUESTION, PASSAGES[0])
    assert (made.verdict, made.passes, made.score, made.reason) == ("no", False, None, "")
    assert "neither yes nor no" in made.note
    grade = await grade_support(
        context, "What is so?", Answer(text="It is so.", sentences=("It is so.",)), PASSAGES
    )
    assert (grade.verdict, grade.score) == ("no", 0.0)
    assert "neither yes nor no" in grade.note


async def test_support_is_judged_sentence_by_sentence(
    context: SkillContext, scripted: ScriptedServer
) -> None:
    born, directed = "Steven Spielberg was born in Ohio.", "Jaws won a prize."
    scripted.script(
        Rule(told={"claim": "^Steven"}, chances={"yes": 0.9, "no": 0.1}),
        Rule(chances={"yes": 0.3, "no": 0.7}),
    )
    made = await grade_support(
        context, "What is so?", Answer(text=f"{born} {directed}", sentences=(born, directed)), PASSAGES
    )
    assert (made.verdict, made.passes) == ("partially", True)
    assert made.score == pytest.approx(0.6, abs=1e-3)
    assert "“Jaws won a prize.” (0.30)" in made.reason
    asked = [body["messages"] for body in bodies(scripted)]
    read = {told(messages, "claim"): told(messages, "context") for messages in asked}
    assert set(read) == {born, directed}
    assert read[born].startswith("[1] T2\n"), "the passage with its words comes first"
    whole = await grade_support(context, "What is so?", Answer(text=born, sentences=(born,)), PASSAGES)
    assert whole.reason == "The model gives yes a probability of 0.90, at least 0.5."
    scripted.requests.clear()
    assert (await grade_support(context, "What is so?", Answer(text="x"), PASSAGES)).verdict == "fully"
    assert (
        await grade_support(context, "What is so?", Answer(text=born, sentences=(born,)), [])
    ).verdict == "no"
    assert not scripted.requests


async def test_an_answer_of_few_words_cites_the_sentence_that_holds_them(
    context: SkillContext, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(reply="Steven Spielberg"))
    many = [*PASSAGES, *(passage(number, "word " * 400) for number in range(3, 8))]
    made = await answer(context, "Who directed the film Jaws?", many)
    assert (made.text, made.method, made.abstained) == ("Steven Spielberg", TAUGHT, False)
    (citation,) = made.citations
    assert (citation.chunk, citation.quote) == ("c1", "It was directed by Steven Spielberg.")
    assert "found by comparing words" in made.note
    (body,) = bodies(scripted)
    assert (body["temperature"], body["max_tokens"]) == (0.0, 48)
    read = told(body["messages"], "context")
    assert read.startswith("[1] T1\nJaws is")
    assert f"[{READ}] " in read
    assert f"[{READ + 1}] " not in read
    assert len(body["messages"][-1]["content"].split()) < READ_WORDS + 30


@pytest.mark.parametrize(
    ("reply", "note"),
    [("Zebra crossing", "in no passage"), ("Yes.", "a yes or no"), ("no", "a yes or no")],
)
async def test_an_answer_whose_words_are_nowhere_cites_nothing(
    context: SkillContext, scripted: ScriptedServer, reply: str, note: str
) -> None:
    scripted.script(Rule(reply=reply))
    made = await answer(context, QUESTION, PASSAGES)
    assert (made.text, made.citations, made.abstained) == (reply, (), False)
    assert note in made.note


@pytest.mark.parametrize("reply", ["Not in the passages.", "not in the passages", ""])
async def test_the_model_may_say_that_there_is_no_answer(
    context: SkillContext, scripted: ScriptedServer, reply: str
) -> None:
    scripted.script(Rule(reply=reply))
    made = await answer(context, QUESTION, PASSAGES)
    assert (made.text, made.abstained, made.final) == ("The passages do not hold the answer.", True, True)
    part = await answer_sub(context, QUESTION, PASSAGES)
    assert (part.abstained, part.final, part.skill) == (True, False, "answer_sub")


async def test_a_sub_question_is_answered_the_same_way(
    context: SkillContext, scripted: ScriptedServer
) -> None:
    scripted.script(Rule(reply="Cincinnati, Ohio"))
    made = await answer_sub(context, "Where was Steven Spielberg born?", PASSAGES)
    assert (made.text, made.final, made.skill, made.method) == (
        "Cincinnati, Ohio",
        False,
        "answer_sub",
        TAUGHT,
    )
    assert [citation.chunk for citation in made.citations] == ["c2"]
    nothing = await answer_sub(context, QUESTION, [])
    assert nothing.abstained
    assert len(bodies(scripted)) == 1


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
    said = "죠스는 스티븐 스필버그가 감독했다."
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
    relevance = await grade_relevance(context, KOREAN, film)
    assert (relevance.method, relevance.note) == ("embedding", ENGLISH_ONLY)
    support = await grade_support(context, "What is so?", Answer(text=said, sentences=(said,)), [film])
    assert (support.method, support.verdict) == ("mixed", "fully")
    assert support.note.startswith(ENGLISH_ONLY)
    replied = await answer(context, said, [film])
    assert (replied.method, replied.text) == ("extractive", said)
    assert replied.note.startswith(ENGLISH_ONLY)
    assert (await answer_sub(context, said, [film])).method == "extractive"
    assert (await extract(context, film)).found == ()
    assert not scripted.requests


def test_what_is_read_is_cut() -> None:
    assert first_words("a\nb  c d", 3) == "a\nb  c"
    assert first_words("a b", 9) == "a b"
    assert first_words("", 9) == ""
    cut: list[Passage] = first_passages([passage(1, "a b c"), passage(2, "d e f"), passage(3, "g")], 5)
    assert [one.text for one in cut] == ["a b c", "d e"]
    assert first_passages(PASSAGES, 999) == PASSAGES
