"""The tools of Agentic RAG, as LangChain tools with typed arguments.

The one that searches documents has arguments made from the fields of these documents, so that a model writes the filter
of its own query: LangChain's self-query, LlamaIndex's auto-retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
    create_model,
)

from core.corpora.documents import DATE, FOLDER, iso_date
from core.corpora.filtering import Condition, FieldValues, Where, where_lines, where_text
from core.errors import InputError
from core.knowledge.ask.asking import Asker
from core.knowledge.ask.query_templates import Argument, Template
from core.knowledge.ask.template_matching import FLOOR
from core.skills.answer_sub import answer_sub
from core.skills.base import MODEL
from core.skills.choose_tool import Choice, ToolRequest
from core.skills.text2cypher import TEXT2CYPHER
from core.strategies.agentic_state import (
    Params,
    Result,
    argument_values,
    from_documents,
    in_short,
    main_values,
)
from core.strategies.base import AnyStrategy, RunContext
from core.trace.artefacts import Pair
from core.trace.events import ArtefactMade, BaseEvent, Token, Tracer

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import StructuredTool


DATE_FROM, DATE_TO = "date_from", "date_to"
MOST_FIELDS = 6
LONGEST_VALUE = 60
"""Characters of a value that a model is offered."""
SHOWN_VALUES = 8
"""Values of a field that are named in the line on the documents."""
_ARGUMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_TAKEN = {"question", DATE_FROM, DATE_TO}
LEFT_OUT = "Leave a filter out unless the question itself says so: a wrong one hides the answer."
"""The words of a tool with such arguments on all of them."""


def _as_text(value: Any) -> Any:
    """Models fill what they need not with null, and name several values in a list."""
    if isinstance(value, list):
        return "|".join(map(str, value))
    return "" if value is None else str(value)


FilterText = Annotated[str, BeforeValidator(_as_text)]


def offered_fields(fields: Sequence[FieldValues]) -> tuple[FieldValues, ...]:
    """The fields that make an argument: dates, folders, and those with a few short values."""
    fit = (
        field
        for field in fields
        if field.name in (DATE, FOLDER)
        or (field.few and _ARGUMENT.fullmatch(field.name) and field.name not in _TAKEN)
    )
    return tuple(field for field in fit if field.name == DATE or _short(field))[:MOST_FIELDS]


def filter_arguments(fields: Sequence[FieldValues]) -> dict[str, Any]:
    """The arguments, as fields of a pydantic model; all may be left out."""
    arguments: dict[str, Any] = {}
    for field in offered_fields(fields):
        if field.name == DATE:
            for name, side in ((DATE_FROM, "later"), (DATE_TO, "earlier")):
                days = f"ISO, as exact as known; they have {_range(field)}."
                about = f"Only documents of this date or {side}: {days}"
                arguments[name] = (FilterText, Field(default="", description=about))
            continue
        about = f"Only documents whose {field.name.replace('_', ' ')} is this."
        arguments[field.name] = (
            _choice(field) if field.few else FilterText,
            Field(default="", description=about),
        )
    return arguments


def _choice(field: FieldValues) -> Any:
    # Told, but not enforced: with a value that no document has, one searches without the filter. Not said by the field,
    # since LangChain keeps no more of that than its description.
    return Annotated[FilterText, WithJsonSchema({"type": "string", "enum": _short(field)})]


def written_filter(arguments: Mapping[str, str]) -> Where:
    """The filter that arguments of a call say; a date that is none says nothing."""
    conditions: list[Condition] = []
    for name, text in arguments.items():
        values = tuple(part.strip() for part in text.split("|") if part.strip())
        if name in (DATE_FROM, DATE_TO):
            dates = tuple(filter(None, map(iso_date, values)))
            conditions += [Condition(DATE, ">=" if name == DATE_FROM else "<=", dates[:1])] if dates else []
        elif values:
            conditions.append(Condition(name, "=", values))
    return tuple(conditions)


def fields_line(fields: Sequence[FieldValues]) -> str:
    """The fields with some of their values, in a line."""
    parts = []
    for field in offered_fields(fields):
        values = _short(field)
        more = ", …" if len(values) > SHOWN_VALUES else ""
        values_line = _range(field) if field.name == DATE else ", ".join(values[:SHOWN_VALUES]) + more
        parts.append(f"{field.name} ({values_line})")
    return "; ".join(parts)


def _short(field: FieldValues) -> list[str]:
    return [value for value in field.values if len(value) <= LONGEST_VALUE]


def _range(field: FieldValues) -> str:
    dates = list(field.values)
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"


DOCUMENTS, CYPHER, INNER_STRATEGY, ANSWER_GIVEN = (
    "search_documents",
    "text2cypher",
    "run_strategy",
    "answer_given",
)
Run = Callable[..., Awaitable[tuple[str, Result]]]
_QUESTION: dict[str, Any] = {
    "question": (str, Field(description="One question, complete in itself.", min_length=1))
}
_INNER_STEPS = 200
"""Supersteps after which a strategy within a tool is given up: none comes near."""


class Toolbox:
    """The tools of one step of a run."""

    def __init__(
        self, context: RunContext[Params], pairs: Sequence[Pair], fields: Sequence[FieldValues] = ()
    ) -> None:
        """
        Args:
            context: Of the run; which tools there are depends on its parameters, its graph and its corpus.
            pairs: Earlier questions, answered or not; the tools know those that are.
        """
        self._fields = fields
        pairs = [pair for pair in pairs if pair.answer]
        self._context, self._pairs, self._params = context, pairs, context.params
        self._asker = Asker(context.graph) if context.graph is not None else None
        self.tools: dict[str, StructuredTool] = {tool.name: tool for tool in self._all_tools()}

    def described(self) -> list[dict[str, Any]]:
        """The tools as the OpenAI API describes functions."""
        from langchain_core.utils.function_calling import convert_to_openai_tool

        return [convert_to_openai_tool(tool) for tool in self.tools.values()]

    def about(self, tool: str) -> str:
        """A tool's description; empty: there is no such tool."""
        return self.tools[tool].description if tool in self.tools else ""

    async def call(self, request: ToolRequest) -> Result:
        """Run a tool.

        Raises:
            InputError: There is no such tool, or the arguments do not fit it.
            LoupeError: Model, graph server or Chroma fails.
        """
        tool = self.tools.get(request.tool)
        if tool is None:
            raise InputError(
                f"There is no tool “{request.tool[:60]}”. There are: {', '.join(self.tools) or 'none'}."
            )
        call = {"type": "tool_call", "id": "1", "name": request.tool, "args": request.arguments}
        try:
            message = await tool.ainvoke(call)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(map(str, first["loc"]))[:60]
            raise InputError(f"The arguments do not fit “{request.tool}”: {name}: {first['msg']}.") from None
        result: Result = message.artifact
        return result

    async def nearest(self, question: str, tried: frozenset[str]) -> Choice:
        """The tool whose example is nearest, of those that were not tried with this question."""
        near = ""
        if self._asker is not None and self._params.templates:
            matches = await self._asker.fits(question)
            if matches:
                best = matches[0]
                near = f"The nearest example of a template is “{best.example}” (score {best.score:.2f}"
                if best.score >= FLOOR and best.template.name not in tried:
                    request = ToolRequest(tool=best.template.name, arguments=best.arguments)
                    return Choice((request,), f"{near}).")
                near += f"; taken from {FLOOR:.2f} on)."
        return self.fallback(question, tried, near or "No template can be filled from the question.")

    def only(self, question: str, tried: frozenset[str]) -> Choice | None:
        """The choice where nothing can be chosen: the one tool takes nothing but the question, and was not tried with
        it; or there is no tool at all."""
        if not self.tools:
            return Choice((), "There is no tool.", method="")
        name, *others = self.tools
        if others or name in tried or set(self.tools[name].args) != set(_QUESTION):
            return None
        request = ToolRequest(tool=name, arguments={"question": question})
        return Choice((request,), "There is no other tool.", method="")

    def fallback(self, question: str, tried: frozenset[str], why: str) -> Choice:
        """The choice for a question that no other tool was found for: the documents, else a query written for it."""
        writes = self._context.skills.method(TEXT2CYPHER) == MODEL
        for name in (DOCUMENTS, CYPHER if writes else ""):
            if name in self.tools and name not in tried:
                what = "the documents are searched" if name == DOCUMENTS else "a query is written"
                request = ToolRequest(tool=name, arguments={"question": question})
                return Choice((request,), f"{why} So {what}.".strip())
        return Choice((), why)

    def _all_tools(self) -> list[StructuredTool]:
        params, graph, corpus = self._params, self._asker, self._context.corpus
        tools: list[StructuredTool] = []
        if graph is not None and params.templates:
            tools += [
                _tool(t.name, t.description, _schema(t), self._template(graph, t)) for t in graph.templates
            ]
        if graph is not None and params.text2cypher:
            about = "Writes a query for the graph database; for questions that no other tool on the graph is made for."
            tools.append(_tool(CYPHER, about, _model("Question", _QUESTION), self._cypher(graph)))
        if corpus is not None and params.documents:
            about = f"Searches the documents “{corpus.corpus.name}” for passages that answer one question in words."
            filters = filter_arguments(self._fields)
            about += f" {LEFT_OUT}" if filters else ""
            schema = _model("Search", _QUESTION | filters)
            tools.append(_tool(DOCUMENTS, about, schema, self._search))
        if corpus is not None and params.strategies:
            about = "Has another strategy of retrieval answer one question from the documents; slow."
            tools.append(_tool(INNER_STRATEGY, about, _strategy_schema(), self._strategy))
        if self._pairs and params.answer_given:
            about = (
                "Gives the answer where the earlier answers hold it already. Only from them, not from memory."
            )
            answer = Field(description="The answer, from the earlier answers.")
            tools.append(
                _tool(ANSWER_GIVEN, about, _model("Given", {"answer": (str, answer)}), self._answer_given)
            )
        return tools

    def _template(self, asker: Asker, template: Template) -> Run:
        async def run(**arguments: Any) -> tuple[str, Result]:
            values = {name: value for name, value in arguments.items() if value is not None}
            table, note = await asker.run_template(template, values)
            text = in_short(table, argument_values(values))
            short = main_values(table, argument_values(values))
            return text, Result(
                text=text, short=short, table=table, cypher=template.cypher.strip(), note=note
            )

        return run

    def _cypher(self, asker: Asker) -> Run:
        async def run(question: str) -> tuple[str, Result]:
            outcome = await asker.text2cypher(self._context.skills, question)
            table = outcome.table
            result = Result(
                text=in_short(table) if table else "",
                short=main_values(table) if table else "",
                table=table,
                cypher=outcome.attempts[-1].cypher if table else "",
                attempts=outcome.attempts,
                note=outcome.note,
                failed="" if table else outcome.attempts[-1].error if outcome.attempts else outcome.note,
            )
            return result.text, result

        return run

    async def _search(self, question: str, **filters: str) -> tuple[str, Result]:
        where, note = await self._filter(filters)
        retriever = self._context.retriever.within(where)
        ranking = await retriever.search(question, self._params.k)
        passages = tuple(hit.passage for hit in ranking.used)
        answer = await answer_sub(self._context.skills, question, passages)
        result = from_documents(answer, passages)
        return answer.text, replace(result, note=" ".join(filter(None, (note, result.note))))

    async def _filter(self, arguments: Mapping[str, str]) -> tuple[Where, str]:
        """The filter that the model wrote, if it leaves a document, and what became of it in a sentence."""
        where, corpus = written_filter(arguments), self._context.corpus
        if not where or corpus is None:
            return (), ""
        words = where_text(where_lines(where))
        matching, every = await corpus.within(where).documents(), await corpus.documents()
        if not matching:
            return (), f"No document matches the filter ({words}), so it was left out."
        return where, f"{matching:,} of {every:,} documents were searched: {words}."

    async def _strategy(self, strategy: str, question: str) -> tuple[str, Result]:
        from core.strategies import get_strategy

        inner: AnyStrategy = get_strategy(strategy)
        inside = _Inside(self._context.tracer)
        context = RunContext(
            params=inner.params(),
            skills=self._context.skills.traced(inside),
            tracer=inside,
            corpus=self._context.corpus,
        )
        # Its steps are no steps of this run, so they leave no checkpoints.
        graph = inner.build(context.params).compile(checkpointer=False)
        limit: RunnableConfig = {"recursion_limit": _INNER_STEPS}
        state = await graph.ainvoke({"question": question}, limit, context=context)
        passages = tuple(state["context"].given_passages)
        return state["answer"].text, from_documents(state["answer"], passages)

    async def _answer_given(self, answer: str) -> tuple[str, Result]:
        return answer, Result(text=answer, note="Taken from earlier answers; nothing was looked up.")


class _Inside:
    """Reports the model calls of a strategy that runs within a step as calls of that step; what it makes on its way
    stays inside."""

    def __init__(self, outer: Tracer) -> None:
        self._outer, self._step = outer, copy_context()

    def emit(self, event: BaseEvent) -> None:
        if not isinstance(event, ArtefactMade | Token):
            self._step.run(self._outer.emit, event)


def _tool(name: str, description: str, schema: type[BaseModel], run: Run) -> StructuredTool:
    from langchain_core.tools import StructuredTool

    return StructuredTool(
        name=name,
        description=description,
        args_schema=schema,
        coroutine=run,
        response_format="content_and_artifact",
    )


def _schema(template: Template) -> type[BaseModel]:
    return _model(template.name, {argument.name: _field(argument) for argument in template.arguments})


def _field(argument: Argument) -> tuple[Any, Any]:
    kind: Any = int if argument.type == "integer" else str
    if argument.type == "choice":
        kind = Literal[tuple(argument.values)]
    if argument.default is None:
        return kind, Field(description=argument.description)
    return kind, Field(default=argument.default, description=argument.description)


def _strategy_schema() -> type[BaseModel]:
    from core.strategies import strategies

    # One level deep: no tool is a strategy that has tools.
    inner = tuple(
        key for key, strategy in strategies().items() if strategy.retrieves and not strategy.explores
    )
    return _model("Inner", {"strategy": (Literal[inner], Field(description="Which one."))} | _QUESTION)


def _model(name: str, fields: dict[str, Any]) -> type[BaseModel]:
    schema: type[BaseModel] = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    return schema
