"""KG-RAG in plain LangChain: plan the steps, choose relations, follow them, judge the path, answer from its triples."""

from collections.abc import Iterable

from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate

PLAN = ChatPromptTemplate.from_template(
    "Plan how to answer a question in a knowledge graph: first the name of the entity to start from, then one line "
    "per relation to follow. Nothing but the lines.\n\nQuestion: {question}"
)
CHOOSE = ChatPromptTemplate.from_template(
    "Question: {question}\nThis step looks for: {step}\nRelations, one a line:\n{relations}\n\n"
    "Copy the one that fits best."
)
JUDGE = ChatPromptTemplate.from_template(
    "Question: {question}\nTriples: {path}\n\nReply with one word: respond if they hold the answer, continue if the "
    "way is right, refine if it is wrong."
)
ANSWER_PATH = ChatPromptTemplate.from_template(
    "Answer the question from these triples only:\n{context}\n\nQuestion: {question}"
)

Triple = tuple[str, str, str]


def numbered(path: list[Triple]) -> str:
    """The triples one a line, each with its number."""
    return "\n".join(f"[{number}] {' – '.join(triple)}" for number, triple in enumerate(path, 1))


def ask(
    question: str, llm: BaseChatModel, graph: Iterable[Triple], tries: int = 3
) -> tuple[str, list[Triple]]:
    """The answer to a question from the triples on the way that the model finds through the graph, and these."""
    plan, select, judge, answer = (
        prompt | llm | StrOutputParser() for prompt in (PLAN, CHOOSE, JUDGE, ANSWER_PATH)
    )
    triples = list(graph)
    for _ in range(tries):
        start, *steps = plan.invoke({"question": question}).strip().splitlines() or [""]
        nodes, path, verdict = {start.strip()}, list[Triple](), "continue"
        for step in steps:
            ways = [(s, r, o) for s, r, o in triples if s in nodes or o in nodes]
            relations = sorted({relation for _, relation, _ in ways})
            chosen = select.invoke(
                {"question": question, "step": step, "relations": "\n".join(relations)}
            ).strip()
            followed = [way for way in ways if way[1] == chosen]
            nodes = {end for s, _, o in followed for end in (s, o)} - nodes  # relations lead both ways
            path += followed
            verdict = judge.invoke({"question": question, "path": numbered(path)}).strip().lower()
            if not verdict.startswith("continue"):
                break
        if path and not verdict.startswith("refine"):
            return answer.invoke({"question": question, "context": numbered(path)}), path
    return "Sorry, no way through the graph was found that answers this question.", []
