"""KG-RAG in plain LangChain: plan the steps, choose relations, follow them, judge the path, answer from its triples.

The graph is a table, such as these lines, saved as triples.csv; a graph that the app exports as .tsv will do as well:

    subject,relation,object
    Elizabeth Taylor,was married first to,Conrad Hilton Jr.
    Elizabeth Taylor,was married second to,Michael Wilding
    Michael Wilding,died in,Chichester
    Chichester,lies in,West Sussex

Save indexing.py beside this script, which says what is in the environment, and ask:

    python kg_rag.py triples.csv "Where did the second husband of Elizabeth Taylor die?"
"""

import csv
import re
from collections.abc import Iterable

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.vectorstores import InMemoryVectorStore

PLAN = ChatPromptTemplate.from_template(
    "Plan how to answer a question in a knowledge graph: first the name of the entity to start from, then one line "
    "per relation to follow. Nothing but the lines.\n\nPlans that failed, and why:\n{failed}\n\nQuestion: {question}"
)
CHOOSE = ChatPromptTemplate.from_template(
    "Question: {question}\nThis step looks for: {step}\nRelations:\n{relations}\n\n"
    "Reply with the number of the one that fits best."
)
JUDGE = ChatPromptTemplate.from_template(
    "Question: {question}\nTriples: {path}\nReached: {nodes}\nSteps left: {left}\n\nReply with one word, and why: "
    "respond if the triples hold the answer, continue if the way is right, refine if it is wrong."
)
ANSWER_PATH = ChatPromptTemplate.from_template(
    "Answer the question from these triples only:\n{context}\n\nQuestion: {question}"
)
SORRY = "Sorry, no way through the graph was found that answers this question."

Triple = tuple[str, str, str]


def ask(
    question: str, llm: BaseChatModel, graph: Iterable[Triple], embeddings: Embeddings, tries: int = 3
) -> tuple[str, list[Triple]]:
    """The answer to a question from the triples on the way that the model finds through the graph, and these.

    A triple is two names and what relates them, such as ("Michael Wilding", "died in", "Chichester").
    """
    plan, choose, judge, answer = (
        prompt | llm | StrOutputParser() for prompt in (PLAN, CHOOSE, JUDGE, ANSWER_PATH)
    )
    triples = list(graph)
    if not triples:
        return SORRY, []
    names = InMemoryVectorStore(embeddings)
    names.add_texts(sorted({name for subject, _, object_ in triples for name in (subject, object_)}))

    failed: list[str] = []  # told to the next plan: at temperature 0 the same prompt gives the same plan
    while len(failed) < tries:
        planned = plan.invoke({"question": question, "failed": "\n".join(failed) or "(none)"}).strip()
        start, *steps = planned.splitlines() or [question]
        [nearest] = names.similarity_search(start, k=1)  # the model may spell the name in another way
        nodes = {nearest.page_content}
        path, verdict = list[Triple](), "continue"
        for done, step in enumerate(steps, 1):
            ways = [triple for triple in triples if triple[0] in nodes or triple[2] in nodes]
            relations = sorted({relation for _, relation, _ in ways})
            listed = "\n".join(f"{number}. {relation}" for number, relation in enumerate(relations, 1))
            reply = choose.invoke({"question": question, "step": step, "relations": listed})
            followed = [way for way in ways if way[1] == chosen(reply, relations)]
            if not followed:
                verdict = "refine, since nothing leads on"
                break
            nodes = {end for way in followed for end in (way[0], way[2])} - nodes  # relations lead both ways
            path += followed
            left = len(steps) - done
            seen = {"path": numbered(path), "nodes": ", ".join(sorted(nodes)), "left": str(left)}
            verdict = judge.invoke({"question": question, **seen}).strip()
            if not verdict.lower().startswith("continue"):
                break
        if path and not verdict.lower().startswith("refine"):
            return answer.invoke({"question": question, "context": numbered(path)}), path
        failed.append(f"- {'; '.join([start, *steps])}. {verdict}")
    return SORRY, []


def chosen(reply: str, offered: list[str]) -> str | None:
    """The relation whose number was chosen; none that is not offered can be."""
    number = re.search(r"\d+", reply)
    return dict(enumerate(offered, 1)).get(int(number[0])) if number else None


def numbered(path: list[Triple]) -> str:
    """The triples one a line, each with its number."""
    return "\n".join(f"[{number}] {' – '.join(triple)}" for number, triple in enumerate(path, 1))


if __name__ == "__main__":
    import indexing

    setup = indexing.start()
    between = "\t" if setup.source.suffix == ".tsv" else ","
    with setup.source.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter=between))
    triples = [(row["subject"], row["relation"], row["object"]) for row in rows]
    answer, path = ask(setup.question, setup.llm, triples, setup.embeddings)
    print(answer, numbered(path), sep="\n\n")
