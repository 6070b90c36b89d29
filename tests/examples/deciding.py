"""A hand-made agentic run: two questions, a query that was repaired, documents, a second round."""

from __future__ import annotations

from core.trace.artefacts import (
    Answer,
    Citation,
    Context,
    ContextPassage,
    Critique,
    CypherAttempt,
    SubQuestions,
    Table,
    ToolCall,
)
from core.trace.events import Event, RunFinished
from core.trace.passages import Passage
from tests.examples.parts import PASSAGES
from tests.examples.script import Script

ROWS = Passage(
    chunk="call-1", document="Movies", title="people_of_film (title: The Matrix)", text="person: Lana <b>Wachowski</b>",
    position=0, start=0, end=29, heading="Movies",
)  # fmt: skip
TOOL_CALL = ToolCall(
    number=1, index=0, asked="Who directed The Matrix?", question="Who directed The Matrix?", tool="people_of_film",
    arguments={"title": "The Matrix", "role": "DIRECTED"}, outcome="found", text="Lana <b>Wachowski</b>",
    table=Table(columns=("person",), rows=(("Lana <b>Wachowski</b>",), ("Lilly Wachowski",))),
    cypher="MATCH (p:Person)-[r]->(m:Movie) RETURN p.name AS person", passages=(ROWS,),
    citations=(Citation(sentence=0, chunk="call-1", quote=ROWS.text),), skill="choose_tool", method="model",
)  # fmt: skip
REPAIRED = TOOL_CALL.model_copy(
    update={
        "number": 2, "index": 1, "asked": "When was #1 born?", "question": "When was Lana Wachowski born?",
        "tool": "text2cypher", "arguments": {"question": "When was Lana Wachowski born?"}, "outcome": "nothing",
        "text": "", "table": None, "passages": (), "citations": (), "cypher": "",
        "attempts": (
            CypherAttempt(cypher="MATCH (p:Person RETURN p", error="The graph database does not accept the query."),
            CypherAttempt(cypher="MATCH (p:Person) WHERE p.name = 'Lana' RETURN p.born"),
        ),
    }
)  # fmt: skip
CRITIQUE = Critique(
    complete=False,
    reason="The year is missing.",
    questions=("In which year was Lana Wachowski born?",),
    skill="critique",
    method="model",
)


def agentic(run: str = "") -> list[Event]:
    """A finished agentic run."""
    script = Script()
    script.start("agentic", run=run)
    script.step("s-split", "split", 1)
    script.make(
        "s-split", SubQuestions(questions=("Who directed The Matrix?", "When was #1 born?"), by_tools=True)
    )
    script.done("s-split")
    script.step("s-run", "run", 2)
    for call in (TOOL_CALL, REPAIRED):
        script.make("s-run", call)
    script.done("s-run")
    script.step("s-critique", "critique", 3)
    script.make("s-critique", CRITIQUE)
    script.done("s-critique")
    again = TOOL_CALL.model_copy(
        update={
            "number": 3, "round": 2, "asked": CRITIQUE.questions[0], "question": CRITIQUE.questions[0],
            "tool": "search_documents", "arguments": {"question": CRITIQUE.questions[0]}, "table": None,
            "cypher": "", "text": "In 1965.", "passages": PASSAGES[:2], "citations": (),
        }
    )  # fmt: skip
    script.step("s-run-2", "run", 4)
    evidence = Context(
        passages=tuple(
            ContextPassage(rank=rank, score=0.0, passage=passage, given=True)
            for rank, passage in enumerate((ROWS, *PASSAGES[:2]), 1)
        )
    )
    script.make("s-run-2", again)
    script.make("s-run-2", evidence)
    script.done("s-run-2")
    script.step("s-critique-2", "critique", 5)
    script.make("s-critique-2", Critique(round=2, complete=True, reason="Both are answered."))
    script.done("s-critique-2")
    script.step("s-answer", "answer", 6)
    script.make(
        "s-answer",
        Answer(
            text="Lana Wachowski [1].", sentences=("Lana Wachowski.",),
            citations=(Citation(sentence=0, chunk="call-1", quote="Lana <b>Wachowski</b>"),), method="model",
            skill="answer_gathered",
        ),
    )  # fmt: skip
    script.done("s-answer")
    script.add(RunFinished(), after=0.01)
    return script.events
