"""Questions to a graph by query: a template with its values, or Cypher that a model writes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from core.errors import InputError
from core.knowledge.explorer import Explorer
from core.knowledge.linking import FLOOR, Fit, fits
from core.knowledge.records import QueryResult
from core.knowledge.templates import Template, bind, templates_of
from core.knowledge.triples import entity_id
from core.skills.base import SkillContext
from core.skills.text2cypher import Written, text2cypher
from core.trace.artefacts import CypherAttempt, Table

ROWS = 100
"""Rows that an answer may have."""
SECONDS = 5.0
FEW_SHOTS = 6
_ONE_EDGE = """MATCH (a:Entity)-[r:REL {rel: $rel}]->(b:Entity)
RETURN a.name AS subject ORDER BY size(a.name), subject LIMIT 1"""


class Asker:
    """Asks one graph; holds nothing of a run."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self.templates = templates_of(explorer.graph)

    async def run_template(self, template: Template, given: Mapping[str, Any]) -> tuple[Table, str]:
        """The rows of a template, and a note on how a name was understood.

        Raises:
            InputError: The arguments do not fit, or the query took too long.
            ServiceError, StoreError: The graph server fails.
        """
        values, notes = bind(template, given), []
        for argument in template.arguments:
            if argument.type == "entity":
                said = str(values[argument.name])
                name = self._entity(said, argument.of)
                if name != said:
                    notes.append(f"“{said[:60]}” was read as “{name[:60]}”.")
                values[argument.name] = name if self.explorer.store.native else entity_id(name)
            elif argument.type == "relation":
                values[argument.name] = self._relation(str(values[argument.name]))
        return _filled(await self._query(template.cypher, values)), " ".join(notes)

    async def run_query(self, cypher: str) -> Table:
        """The rows of a query that a model wrote: behind the guard.

        Raises:
            InputError: It is refused, wrong, or too slow.
            ServiceError, StoreError: The graph server fails.
        """
        return await self._query(cypher, {})

    async def fits(self, question: str) -> list[Fit]:
        """The templates that could answer a question, best first; see `core.knowledge.linking`."""
        return await fits(self.explorer, self.templates, question)

    async def by_template(self, question: str) -> Written:
        """The answer of the template that fits best."""
        found = await self.fits(question)
        if not found or found[0].score < FLOOR:
            near = f" The nearest was “{found[0].template.name}” ({found[0].score:.2f})." if found else ""
            return Written((), None, f"No template fits the question.{near}")
        fit = found[0]
        table, note = await self.run_template(fit.template, fit.arguments)
        return Written((CypherAttempt(cypher=fit.template.cypher.strip()),), table, note)

    async def text2cypher(self, context: SkillContext, question: str) -> Written:
        """The answer of a query written for the question, or, with that method, of the best template.

        Raises:
            ModelError: The endpoint fails.
            ServiceError, StoreError: The graph server fails.
        """
        schema, examples = await self._schema(), await self.examples(question)
        return await text2cypher(
            context, question, schema=schema, examples=examples, run=self.run_query, template=self.by_template
        )

    async def examples(self, question: str) -> list[tuple[str, str]]:
        """Questions with queries in this graph's schema, the nearest to a question last: for a model to read."""
        shots: list[tuple[str, str]] = []
        for template in self.templates:
            for example in template.examples:
                same = [fit for fit in await fits(self.explorer, [template], example) if not template.graphs]
                if same:
                    shots.append((example, literal_query(template, same[0].arguments)))
                    break
        if not shots and not self.explorer.store.native:
            shots = await self._edges()
        near = await self.explorer.meanings.nearness(question, [asked for asked, _ in shots])
        best = sorted(zip(near, shots, strict=True), key=lambda pair: pair[0])[-FEW_SHOTS:]
        return [shot for _, shot in best]

    async def _edges(self) -> list[tuple[str, str]]:
        """Examples from a graph of triples that has none: one edge of each of its most frequent relations."""
        shots = []
        for relation in self.explorer.relations[:FEW_SHOTS]:
            table = await self._query(_ONE_EDGE, {"rel": relation})
            if table.rows:
                subject = str(table.rows[0][0])
                cypher = (
                    f"MATCH (e:Entity {{name: {json.dumps(subject, ensure_ascii=False)}}})"
                    f"-[r:REL {{rel: {json.dumps(relation, ensure_ascii=False)}}}]->(o:Entity)\n"
                    "RETURN o.name AS name"
                )
                shots.append((f"{subject}: {relation.replace('_', ' ')}?", cypher))
        return shots

    async def _schema(self) -> str:
        return await asyncio.to_thread(self.explorer.store.schema_text)

    async def _query(self, cypher: str, values: Mapping[str, Any]) -> Table:
        result: QueryResult = await asyncio.to_thread(
            self.explorer.store.query, cypher, ROWS, SECONDS, values
        )
        rows = tuple(tuple(row) for row in result.rows)
        return Table(columns=tuple(result.columns), rows=rows, more=result.truncated)

    def _entity(self, said: str, kind: str) -> str:
        """The name of the entity that is meant: as it was said, or as the graph spells it."""
        found = [m.node for m in self.explorer.mentioned(said) if kind in ("", m.node.kind)]
        names = {node.name for node in found}
        return said if said in names or not found else found[0].name

    def _relation(self, said: str) -> str:
        """The relation as the graph spells it.

        Raises:
            InputError: It has none of that name.
        """
        plain = said.replace(" ", "_").lower()
        for name in self.explorer.relations:
            if name.replace(" ", "_").lower() == plain:
                return name
        shown = ", ".join(self.explorer.relations[:12])
        raise InputError(f"The graph has no relation “{said[:60]}”. It has, for example: {shown}.")


def _filled(table: Table) -> Table:
    """Without the columns that are empty in every row, such as the roles of directors."""
    kept = [place for place in range(len(table.columns)) if any(row[place] is not None for row in table.rows)]
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return table.model_copy(update={"columns": tuple(table.columns[place] for place in kept), "rows": rows})


def literal_query(template: Template, arguments: Mapping[str, Any]) -> str:
    """A template with its values written out: for a model to read, never to be run."""
    text = template.cypher.strip()
    for name, value in bind(template, arguments).items():
        text = text.replace(f"${name}", json.dumps(value, ensure_ascii=False))
    return text
