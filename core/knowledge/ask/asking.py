"""Questions to a graph by query: a template with its values, or Cypher that a model writes."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from core.errors import InputError
from core.knowledge.ask.query_templates import Template, bind, templates_of
from core.knowledge.ask.template_matching import FLOOR, TemplateMatch, fits
from core.knowledge.explore.explorer import Explorer
from core.knowledge.records import NodeRecord, QueryResult
from core.knowledge.triples import STATEMENT, entity_id
from core.skills.base import SkillContext
from core.skills.text2cypher import Written, text2cypher
from core.trace.artefacts import CypherAttempt, Table

ROWS = 100
"""Rows that an answer may have."""
SECONDS = 5.0
FEW_SHOTS = 6
KINDS, RELATIONS, NAMES = 8, 15, 8
"""Kinds of nodes, relations and names that a graph is described with."""
_ONE_EDGE = """MATCH (a:Entity)-[r:REL {rel: $rel}]->(b:Entity)
RETURN a.name AS subject ORDER BY size(a.name), subject LIMIT 1"""


class Asker:
    """Asks one graph; holds nothing of a run."""

    def __init__(self, explorer: Explorer) -> None:
        self.explorer = explorer
        self.templates = templates_of(explorer.graph)

    async def run_template(self, template: Template, arguments: Mapping[str, Any]) -> tuple[Table, str]:
        """Return the rows of a template, and a note on how a name was understood.

        Raises:
            InputError: The arguments do not fit, or the query took too long.
            ServiceError, StoreError: The graph server fails.
        """
        values, notes, missing = bind(template, arguments), [], []
        for argument in template.arguments:
            if argument.type == "entity":
                written = str(values[argument.name])
                name, known = self._entity(written, argument.of)
                if name != written:
                    notes.append(f"“{written[:60]}” was read as “{name[:60]}”.")
                elif not known:
                    missing.append(f"The graph has no {argument.of or 'node'} of the name “{written[:60]}”.")
                values[argument.name] = name if self.explorer.store.native else entity_id(name)
            elif argument.type == "relation":
                values[argument.name] = self._relation(str(values[argument.name]))
        table = _without_empty_columns(await self.run_query(template.cypher, values))
        return table, " ".join([*notes, *([] if table.rows else missing)])

    async def run_query(self, cypher: str, values: Mapping[str, Any] | None = None) -> Table:
        """Return the rows of a query, such as one that a model wrote, with its parameters' values: behind the guard.

        Raises:
            InputError: It is refused, wrong, or too slow.
            ServiceError, StoreError: The graph server fails.
        """
        result: QueryResult = await asyncio.to_thread(
            self.explorer.store.query, cypher, ROWS, SECONDS, values
        )
        rows = tuple(tuple(row) for row in result.rows)
        return Table(columns=tuple(result.columns), rows=rows, more=result.truncated)

    async def fits(self, question: str) -> list[TemplateMatch]:
        """Return the templates that could answer a question, best first; see `core.knowledge.ask.template_matching`."""
        return await fits(self.explorer, self.templates, question)

    async def by_template(self, question: str) -> Written:
        """Return the answer of the template that fits best."""
        fit = next(iter(await self.fits(question)), None)
        if fit is None or fit.score < FLOOR:
            near = f" The nearest was “{fit.template.name}” ({fit.score:.2f})." if fit else ""
            return Written((), None, f"No template fits the question.{near}")
        table, note = await self.run_template(fit.template, fit.arguments)
        return Written((CypherAttempt(cypher=fit.template.cypher.strip()),), table, note)

    async def text2cypher(self, context: SkillContext, question: str) -> Written:
        """Return the answer of a query written for the question, or, with that method, of the best template.

        Raises:
            ModelError: The endpoint fails.
            ServiceError, StoreError: The graph server fails.
        """
        schema = await asyncio.to_thread(self.explorer.store.schema_text)
        examples = await self.examples(question)
        return await text2cypher(
            context, question, schema=schema, examples=examples, run=self.run_query, template=self.by_template
        )

    async def examples(self, question: str) -> list[tuple[str, str]]:
        """Return questions with queries in this graph's schema, the nearest to a question last: for a model to read."""
        written = [template.shot for template in self.templates if template.shot is not None]
        nested = self.explorer.statements
        shots = [(shot.question, shot.cypher.strip()) for shot in written if nested or not shot.hypernodes]
        if not self.explorer.store.native:
            shots += await self._edges()
        near = await self.explorer.meanings.nearness(question, [text for text, _ in shots])
        best = sorted(zip(near, shots, strict=True), key=lambda pair: pair[0])[-FEW_SHOTS:]
        return [shot for _, shot in best]

    async def holds(self) -> str:
        """Return the contents of the graph in a line: kinds of nodes with their properties, relations, some names."""
        nodes = [node for node in self.explorer.nodes if node.kind != STATEMENT]
        kinds = Counter(node.kind for node in nodes)
        store = self.explorer.store
        properties = await asyncio.to_thread(store.properties) if store.native else {}
        parts = []
        for kind, count in kinds.most_common(KINDS):
            named = f": {', '.join(properties[kind])}" if kind in properties else ""
            parts.append(f"{kind or 'entities'} ({count}{named})")
        relations = ", ".join(name.replace("_", " ") for name in self.explorer.relations[:RELATIONS])
        each = max(1, NAMES // max(1, len(parts)))
        names = [node.name for kind, _ in kinds.most_common(KINDS) for node in _sample(nodes, kind, each)]
        left = len(kinds) - len(parts)
        more = f" and {left} more kinds" if left > 0 else ""
        return f"{', '.join(parts)}{more}; relations: {relations}; e.g. {' · '.join(names[:NAMES])}"

    async def _edges(self) -> list[tuple[str, str]]:
        """Return examples from a graph of triples that has none: one edge of each of its most frequent relations."""
        shots = []
        for relation in self.explorer.relations[:FEW_SHOTS]:
            table = await self.run_query(_ONE_EDGE, {"rel": relation})
            if table.rows:
                subject = str(table.rows[0][0])
                cypher = (
                    f"MATCH (e:Entity)-[:REL {{rel: {json.dumps(relation, ensure_ascii=False)}}}]->(o:Entity)\n"
                    f"WHERE toLower(e.name) = toLower({json.dumps(subject, ensure_ascii=False)})\n"
                    "RETURN DISTINCT o.name AS name"
                )
                shots.append((f"{subject}: {relation.replace('_', ' ')}?", cypher))
        return shots

    def _entity(self, written: str, kind: str) -> tuple[str, bool]:
        """Return the name of the entity that is meant, as the graph spells it where it can tell; True: there is one."""
        nodes = [m.node for m in self.explorer.mentioned(written) if kind in ("", m.node.kind)]
        names = {node.name for node in nodes}
        return (written if written in names or not nodes else nodes[0].name), bool(nodes)

    def _relation(self, written: str) -> str:
        """Return the relation as the graph spells it.

        Raises:
            InputError: It has none of that name.
        """
        plain = written.replace(" ", "_").lower()
        for name in self.explorer.relations:
            if name.replace(" ", "_").lower() == plain:
                return name
        shown = ", ".join(self.explorer.relations[:12])
        raise InputError(f"The graph has no relation “{written[:60]}”. It has, for example: {shown}.")


def _without_empty_columns(table: Table) -> Table:
    """Return the table without columns that are empty in every row, such as the roles of directors."""
    places = [i for i in range(len(table.columns)) if any(row[i] is not None for row in table.rows)]
    rows = tuple(tuple(row[place] for place in places) for row in table.rows)
    return table.model_copy(update={"columns": tuple(table.columns[place] for place in places), "rows": rows})


def _sample(nodes: list[NodeRecord], kind: str, count: int) -> list[NodeRecord]:
    """Return some nodes of a kind, from all over their list."""
    of_kind = [node for node in nodes if node.kind == kind]
    return of_kind[:: max(1, len(of_kind) // count)][:count]
