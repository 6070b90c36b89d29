# What the model writes is noted, to be compared with the run at the end.
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.outputs import LLMResult

written: list[str] = []


class Writing(BaseCallbackHandler):
    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        written.append(response.generations[0][0].text.strip())
