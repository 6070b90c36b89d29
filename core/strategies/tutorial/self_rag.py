"""Self-RAG with LangGraph: grade the passages, write, grade the answer, and go back where a grade is bad.

Prompted, without the paper's trained weights. Caps end every loop.
"""

import operator
import re
from typing import Annotated, Literal, NamedTuple, TypedDict, TypeVar

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel

GRADE_RELEVANCE = ChatPromptTemplate.from_template(
    "Is this passage relevant to the question, or to the step on the way that was searched for? Grade it yes or no."
    "\n\n{passage}\n\nQuestion: {question}\nSearched for: {searched}"
)
ANSWER = ChatPromptTemplate.from_template(
    "Answer the question based only on these passages. Begin with [0] if it is not there, with [?] if they only "
    "suggest it, and with [+] if they hold only a part of it.\n\n{context}\n\nQuestion: {question}"
)
ANSWER_AGAIN = ChatPromptTemplate.from_template(
    "Answer the question again, based only on these passages:\n\n{context}\n\nYour draft: {draft}\n\n"
    "What the passages do not support: {unsupported}\n\nQuestion: {question}"
)
GRADE_SUPPORT = ChatPromptTemplate.from_template(
    "Do the passages support this answer? Grade it fully, partially or no.\n\n{context}\n\nQuestion: {question}\n"
    "Answer: {answer}"
)
GRADE_USE = ChatPromptTemplate.from_template(
    "How useful is this answer? Grade it from 5 (best) to 1.\n\nAnswer: {answer}\n\nQuestion: {question}"
)
DOUBTS = {"[?]": "(suggested, not stated) ", "[+]": "(incomplete) "}
"""Marks of an answer -> the words for them."""
REWRITE_QUESTION = ChatPromptTemplate.from_template(
    "Write a better question to search with.\n\nSearched already:\n{tried}\n\nFound so far:\n{found}\n\n"
    "Draft: {draft}\n\nWhat was wrong: {cause}\n\nQuestion: {question}"
)


class IsRel(BaseModel):
    """The grade of a passage."""

    reason: str
    verdict: Literal["yes", "no"]


class IsSup(BaseModel):
    """How far the passages support an answer."""

    reason: str
    verdict: Literal["fully", "partially", "no"]


class IsUse(BaseModel):
    """How useful an answer is for the question that was asked."""

    reason: str
    verdict: Literal[5, 4, 3, 2, 1]


class Rewritten(BaseModel):
    """A question in other words."""

    question: str


class Draft(NamedTuple):
    """An answer, the passages it was written from, and its grades."""

    text: str
    documents: list[Document]
    support: IsSup
    use: IsUse


class State(TypedDict, total=False):
    """The state of the nodes: a new value takes the place of the old, with `operator.add` it is appended."""

    searched: Annotated[list[str], operator.add]  # first the question, then its rewritings
    relevance: dict[str, IsRel]  # of every passage that was graded: none is graded twice
    documents: list[Document]  # the relevant ones of all searches
    new: bool  # whether the last search brought in any of these
    cause: str  # why the question has to be rewritten
    text: str
    regenerations: int
    drafts: Annotated[list[Draft], operator.add]


Form = TypeVar("Form", bound=BaseModel)


def ask(
    question: str,
    llm: BaseChatModel,
    retriever: BaseRetriever,  # of more than k: what was graded already does not count
    k: int = 4,
    max_rewrites: int = 2,
    max_regenerations: int = 2,
    useful_from: int = 4,
) -> tuple[str, list[Document]]:
    """The best answer to a question that the caps allow, and the passages it was given."""

    def graded(prompt: ChatPromptTemplate, form: type[Form], **values: str) -> Form:
        grader = prompt | llm.with_structured_output(form, method="json_schema")
        return form.model_validate(grader.invoke(values))

    # The nodes: each is given the state and returns what it changes.

    def retrieve(state: State) -> State:
        query, relevance = state["searched"][-1], state.get("relevance", {})
        before = state.get("documents", [])
        documents = [doc for doc in retriever.invoke(query) if identity(doc) not in relevance][:k]
        for document in documents:
            searched = query if query != question else "(the question itself)"
            values = {"passage": passage(document), "question": question, "searched": searched}
            relevance = relevance | {identity(document): graded(GRADE_RELEVANCE, IsRel, **values)}
        new = [doc for doc in documents if relevance[identity(doc)].verdict == "yes"]
        none = f"IsRel: none of the {len(documents)} passages found is relevant."
        cause = "The last search brought in nothing new that is relevant." if before else none
        return {"relevance": relevance, "documents": [*before, *new], "new": bool(new), "cause": cause}

    def generate(state: State) -> State:
        values = {"context": numbered(state["documents"]), "question": question}
        return {"text": (ANSWER | llm | StrOutputParser()).invoke(values)}

    def generate_again(state: State) -> State:
        draft = state["drafts"][-1]
        values = {"context": numbered(draft.documents), "question": question}
        # Without these it writes the same again.
        values |= {"draft": bare(draft.text), "unsupported": draft.support.reason}
        text = (ANSWER_AGAIN | llm | StrOutputParser()).invoke(values)
        return {"text": text, "regenerations": state.get("regenerations", 0) + 1}

    def grade(state: State) -> State:
        text, documents = state["text"], state["documents"]
        if marked("[0]", text):
            support = IsSup(reason="It gives no answer, so it claims nothing.", verdict="fully")
            missing = bare(text).partition("\n")[0]
            use = IsUse(reason=f"It gives no answer. {missing}", verdict=1)
        else:
            doubt = next((words for mark, words in DOUBTS.items() if marked(mark, text)), "")
            answer = doubt + bare(text)
            values = {"answer": answer, "question": question}  # what was asked, not a rewriting
            support = graded(GRADE_SUPPORT, IsSup, context=numbered(documents), **values)
            use = graded(GRADE_USE, IsUse, **values)
            if doubt and use.verdict > 3:  # a better search may find where it is stated
                use = IsUse(reason=use.reason, verdict=3)
        cause = f"IsUse {use.verdict} of 5: the answer is not useful enough. {use.reason}".strip()
        if support.verdict == "partially":
            cause += f" IsSup partially: {support.reason}"
        return {"drafts": [Draft(text, documents, support, use)], "cause": cause}

    def rewrite(state: State) -> State:
        values = {"question": question, "tried": listed(state["searched"]), "cause": state["cause"]}
        findings = [f"{title(doc)}: {state['relevance'][identity(doc)].reason}" for doc in state["documents"]]
        values |= {"found": listed(findings)}  # names that lead on, and what is known
        values |= {"draft": bare(state["drafts"][-1].text) if state.get("drafts") else "(nothing)"}
        better = graded(REWRITE_QUESTION, Rewritten, **values)
        return {"searched": [better.question.strip() or state["searched"][-1]]}

    # The conditional edges: each says which node comes next.

    def search_again(state: State) -> str:
        return "rewrite" if len(state["searched"]) <= max_rewrites else END

    def after_retrieve(state: State) -> str:
        return "generate" if state["new"] else search_again(state)

    def after_grade(state: State) -> str:
        *earlier, last = state["drafts"]
        again = "generate_again" if state.get("regenerations", 0) < max_regenerations else END
        fit = (
            draft.support.verdict != "no" and draft.use.verdict >= useful_from for draft in state["drafts"]
        )
        if any(fit):  # what it adds to the passages is put right once
            first = all(draft.documents != last.documents for draft in earlier)
            return again if first and last.support.verdict == "partially" else END
        return again if last.support.verdict == "no" else search_again(state)

    graph = StateGraph(State)
    for node in (retrieve, generate, generate_again, grade, rewrite):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "retrieve")
    graph.add_conditional_edges("retrieve", after_retrieve, ["generate", "rewrite", END])
    graph.add_edge("generate", "grade")
    graph.add_edge("generate_again", "grade")
    graph.add_conditional_edges("grade", after_grade, ["generate_again", "rewrite", END])
    graph.add_edge("rewrite", "retrieve")
    # .stream in place of .invoke shows every step; LangGraph's own limit is never reached.
    end = graph.compile().invoke({"searched": [question]}, {"recursion_limit": 100})

    if not end.get("drafts"):
        return nothing(len(end["searched"]) - 1), []
    best = max(reversed(end["drafts"]), key=worth)  # of equals the last: it was told what was wrong
    return best.text, best.documents


def marked(mark: str, text: str) -> bool:
    """True if an answer begins with a mark: [0], [?] or [+]."""
    return mark in text.strip().partition("\n")[0]


def bare(text: str) -> str:
    """An answer without these marks."""
    return re.sub(r"\[[0?+]\] ?", "", text).strip()


def worth(draft: Draft) -> tuple[bool, int, int]:
    """Supported first; then the paper's sum, in which a step of IsSup counts as two of IsUse; then useful."""
    supported = ["no", "partially", "fully"].index(draft.support.verdict)
    return supported > 0, 2 * supported + draft.use.verdict, draft.use.verdict


def nothing(rewrites: int) -> str:
    """The words for a run in which no search found anything relevant."""
    times = "1 rewrite" if rewrites == 1 else f"{rewrites} rewrites"
    after = f", even after {times} of the question" if rewrites else ""
    return f"No relevant passage was found{after}, so there is no answer."


def identity(document: Document) -> str:
    """The id of a passage, or its text where the retriever gives none."""
    return document.id or document.page_content


def title(document: Document) -> str:
    """The title of a passage, or how it begins."""
    return document.metadata.get("title") or document.page_content[:60]


def listed(texts: list[str]) -> str:
    """The texts one a line, each once."""
    return "\n".join(f"- {text}" for text in dict.fromkeys(texts)) or "(nothing)"


def passage(document: Document) -> str:
    """A passage with, where it has one, its title."""
    return "\n".join(filter(None, (document.metadata.get("title"), document.page_content)))


def numbered(documents: list[Document]) -> str:
    """The passages one after the other, each with its number."""
    return "\n\n".join(f"[{number}] {passage(document)}" for number, document in enumerate(documents, 1))


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    indexing.show(*ask(setup.question, setup.llm, setup.retriever(k=4 + 8)))
