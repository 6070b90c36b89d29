# The judge is the model: it puts up to 20 passages in order at once, the last ones first, so that a good one can rise.
import re
from collections.abc import Callable

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.prompts import ChatPromptTemplate
from pydantic import BaseModel

from core.runs.notebook.cells.frame import numbered, shielded


class Order(BaseModel):
    order: list[int]


def by_model(
    llm: BaseChatModel, prompt: ChatPromptTemplate
) -> Callable[[str, list[Document]], list[Document]]:
    asking = prompt | llm.with_structured_output(Order, method="json_schema")

    def cut(document: Document) -> Document:
        words = re.match(r"(?:\s*\S+){0,200}", document.page_content)
        return document.model_copy(update={"page_content": words.group() if words else ""})

    def order(query: str, documents: list[Document]) -> list[Document]:
        documents, end = list(documents), len(documents)
        while end > 1:
            start = max(0, end - 20)
            window = documents[start:end]
            told = {
                "question": shielded(query),
                "passages": numbered([cut(one) for one in window]),
                "n": len(window),
            }
            reply = Order.model_validate(asking.invoke(told))
            best = [number - 1 for number in reply.order if 1 <= number <= len(window)]
            documents[start:end] = [window[place] for place in dict.fromkeys([*best, *range(len(window))])]
            end = end - 10 if start else 0
        return documents

    return order
