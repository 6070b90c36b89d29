"""The script of a notebook: its parts, read off the source; texts as literals, which stay text; the cell that searches;
and where the script goes another way than the run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

from core.models.embeddings import BUILTIN_NAME
from core.retrieval.kinds import BUILTIN, other_kind
from core.retrieval.retriever import depth_of_lists
from core.runs.notebook.materials import Materials
from core.runs.record import Record
from core.skills import SKILLS
from core.skills.base import MODEL, builtin_prompt, prompt_key, turns_of
from core.skills.rerank import RERANK
from core.strategies.base import AnyStrategy
from core.strategies.lessons import lesson
from core.trace.artefacts import EVAL_CUTOFF, Ranking
from core.trace.events import RunStarted

_ROLES = {"system": "system", "user": "human", "assistant": "ai"}
_SLOT = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class Script:
    """A script with a function `ask`, and prompts named as the skills that they stand for."""

    text: str

    @cached_property
    def cell(self) -> str:
        """Its text without what it does when it is started: a notebook has all that at hand."""
        started = [node for node in self._body if isinstance(node, ast.If)]
        return "\n".join(self.text.splitlines()[: started[0].lineno - 1]) if started else self.text

    @cached_property
    def functions(self) -> dict[str, ast.FunctionDef]:
        """Its functions by name."""
        return {node.name: node for node in self._body if isinstance(node, ast.FunctionDef)}

    @cached_property
    def prompts(self) -> dict[str, set[str]]:
        """Name of a prompt -> its slots."""
        by_name: dict[str, set[str]] = {}
        for node in self._body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                texts = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
                slots = {slot for text in texts if isinstance(text, str) for slot in slots_of(text)}
                by_name |= {target.id: slots for target in node.targets if isinstance(target, ast.Name)}
        return by_name

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """All that `ask` takes."""
        return tuple(argument.arg for argument in self._arguments.args)

    @cached_property
    def needs(self) -> dict[str, str]:
        """Argument that `ask` cannot do without -> its type."""
        arguments = self._arguments
        needed = arguments.args[: len(arguments.args) - len(arguments.defaults)]
        return {
            argument.arg: ast.unparse(argument.annotation) if argument.annotation else ""
            for argument in needed
        }

    @cached_property
    def usual(self) -> dict[str, object]:
        """Argument that `ask` can do without -> its default value."""
        arguments = self._arguments
        names = [argument.arg for argument in arguments.args[len(arguments.args) - len(arguments.defaults) :]]
        return {name: ast.literal_eval(value) for name, value in zip(names, arguments.defaults, strict=True)}

    @property
    def gives_evidence(self) -> bool:
        """True if `ask` returns what the answer was given, too."""
        returned = self.functions["ask"].returns
        return returned is not None and ast.unparse(returned).startswith("tuple")

    @property
    def searches_vectors(self) -> bool:
        """True if it searches with vectors of its own, not with words."""
        return self.needs.get("retriever", "").startswith("VectorStore")

    @property
    def picks(self) -> bool:
        """True if it takes `k` new passages of more that the retriever finds."""
        return "k" in self.takes

    @property
    def _arguments(self) -> ast.arguments:
        return self.functions["ask"].args

    @cached_property
    def _body(self) -> list[ast.stmt]:
        return ast.parse(self.text).body


def text_literal(text: str, indent: str = "") -> str:
    """A Python expression for a text, one indented line of source for each of its lines; what cannot be printed is
    escaped."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return repr(text)
    parts = "\n".join(f"{indent}    {line!r}" for line in lines)
    return f"(\n{parts}\n{indent})"


def prompt_literal(skill: str, prompt: str, fixed: Mapping[str, str] | None = None) -> str:
    """A Python expression for a skill's prompt as LangChain's template: its slots are slots, but for those with a
    `fixed` text, all other braces are text, and lines such as `[user]` part it into chat messages."""
    slots = slots_of(builtin_prompt(prompt_key(skill, MODEL)))
    messages = "".join(
        f"    ({_ROLES[turn.role]!r}, {text_literal(template(turn.content, slots), '    ')}),\n"
        for turn in turns_of(prompt)
    )
    values = ", ".join(f"{slot}={value!r}" for slot, value in (fixed or {}).items())
    return f"ChatPromptTemplate.from_messages([\n{messages}])" + (f".partial({values})" if values else "")


def slots_of(prompt: str) -> set[str]:
    """Names of the slots in a prompt."""
    return set(_SLOT.findall(prompt))


def template(prompt: str, slots: set[str]) -> str:
    """A prompt with doubled braces, but for those of its slots."""
    doubled = prompt.replace("{", "{{").replace("}", "}}")
    return re.sub(
        r"\{\{([a-z_]+)\}\}", lambda slot: f"{{{slot[1]}}}" if slot[1] in slots else slot[0], doubled
    )


def search_cell(script: Script, started: RunStarted, params: dict[str, Any], materials: Materials) -> str:
    """The passages and the retriever over them, or the triples and the embeddings that find a name among them."""
    if "graph" in script.needs:
        return "\n\n\n".join(["GRAPH = " + listed(map(repr, materials.triples)), *_embeddings(started)])
    if not script.needs.keys() & {"retriever", "tools"}:
        return ""
    passages = listed(
        repr(
            {
                "chunk": source.passage.chunk,
                "title": source.passage.title,
                "indexed_title": source.title,
                "text": source.passage.text,
            }
            | ({"context": context.text} if (context := source.passage.indexed_with) else {})
        )
        for source in materials.sources
    )
    parts = [f"PASSAGES = {passages}"]
    kind, away = (nearest(search) for search in searches(script, started, params))
    kinds = {kind, away or kind}
    if kinds != {"keyword"} or "embeddings" in script.needs:
        parts += [*_embeddings(started), *([cell("dense")] if kinds != {"keyword"} else [])]
    if kinds != {"dense"}:
        parts.append(cell("keyword"))
    if "hybrid" in kinds:
        parts.append(cell("hybrid" if started.dense_share is None else "weighed"))
    k, share = hits(script, params), started.dense_share
    # A script that walks on by itself begins with what is as deep as runs search.
    retrievers = {
        "retriever": _retriever_code(kind, max(k, EVAL_CUTOFF) if "passages" in script.needs else k, share)
    }
    if "elsewhere" in script.takes:  # as many as it takes besides those that it has
        retrievers["elsewhere"] = _retriever_code(away, 2 * k, share) if away else "None"
    noted = not script.searches_vectors  # else what was written is compared
    parts += [cell("noting")] if noted else []
    parts += [
        f"{name} = Noted(inner={code})" if noted and code != "None" else f"{name} = {code}"
        for name, code in retrievers.items()
    ]
    return "\n\n\n".join(parts)


def searches(script: Script, started: RunStarted, params: dict[str, Any]) -> tuple[str, str]:
    """The retrievers of a run in whose place a script searches: the first, and the one that looks elsewhere; empty:
    none."""
    if not script.needs.keys() & {"retriever", "tools"}:
        return "", ""
    kind = started.retriever if started.retriever in BUILTIN else "dense"
    away = ""
    if "elsewhere" in script.takes and params.get("elsewhere") != "memory":
        away = kind if params.get("elsewhere") == "corpus" else other_kind(kind)
    if script.searches_vectors:
        return "dense", away
    return nearest(kind) if "passages" in script.needs else kind, away  # such a script walks by itself


def nearest(kind: str) -> str:
    """The retriever of a notebook that is nearest to one of a run: a walk along mentions begins with hybrid search."""
    return "hybrid" if kind == "linked" else kind


def _retriever_code(kind: str, k: int, dense_share: float | None) -> str:
    """A retriever over the passages that gives `k` of them, as an expression."""
    width = max(k, EVAL_CUTOFF)
    depth = depth_of_lists(width, width, dense_share) if kind == "hybrid" else k
    dense = f"dense(PASSAGES, embeddings, k={depth})"
    keyword = f"Keyword(passages=PASSAGES, k={depth})"
    if kind != "hybrid":
        return dense if kind == "dense" else keyword
    if dense_share is None:
        return f"Hybrid(retrievers=[{dense}, {keyword}], k={k})"
    weights = f"[{dense_share}, {round(1 - dense_share, 4)}]"
    return f"Weighed(retrievers=[{dense}, {keyword}], weights={weights}, k={k})"


def hits(script: Script, params: dict[str, Any]) -> int:
    """How many passages a search of the script brings in."""
    k = int(params.get("k", 4))
    if not script.picks:
        return k
    values: dict[str, Any] = {**script.usual, **params}
    # New passages stand behind those that it has.
    return k + int(values.get("paragraphs", 0)) + k * int(values.get("max_rewrites", 0))


def listed(items: Iterable[str]) -> str:
    """A list of expressions, one a line."""
    return "[\n" + "".join(f"    {item},\n" for item in items) + "]"


@cache
def cell(name: str) -> str:
    """Code that comes with the app for notebooks."""
    return (resources.files("core.runs.notebook.cells") / f"{name}.py").read_text(encoding="utf-8").strip()


def _embeddings(started: RunStarted) -> list[str]:
    if started.embedding_model in ("", BUILTIN_NAME):
        return [cell("builtin_embeddings"), "embeddings = BuiltinEmbeddings()"]
    return [
        "import os\n\n"
        "from langchain_openai import OpenAIEmbeddings\n\n"
        "embeddings = OpenAIEmbeddings(\n"
        f"    model={started.embedding_model!r},\n"
        '    base_url=os.environ.get("EMBEDDING_BASE_URL"),\n'
        '    api_key=os.environ.get("EMBEDDING_API_KEY") or "none",\n'
        "    check_embedding_ctx_length=False,\n"
        ")"
    ]


_NOT_SEARCHED_SO = {"rerank", "give", "neighbours", "most_tokens"}
"""Parameters of a search that a notebook does not do, each with a sentence of its own."""


def deviations(
    strategy: AnyStrategy, run: Record, materials: Materials, params: dict[str, Any], script: Script
) -> list[str]:
    """How the script differs from the run, in sentences; written by us, with nothing of the run's text."""
    started = run.started
    if started is None:
        return []
    notes: list[str] = []
    by_others = [
        key for key in strategy.skills if key != RERANK.key and started.methods.get(key, MODEL) != MODEL
    ]
    if by_others:
        titles = ", ".join(f"“{SKILLS[key].title}”" for key in by_others)
        notes.append(f"The run left these to other methods: {titles}. The script asks the model for them.")
    defaults = strategy.params().model_dump()
    unknown = set(params) - {*script.takes, "k", *_NOT_SEARCHED_SO}
    if changed := [name for name in params if name in unknown and params[name] != defaults[name]]:
        notes.append(
            f"The script is shorter than the strategy and leaves out these settings: {', '.join(changed)}."
        )
    notes += _plainer(run, started, params, script)
    notes += _fewer_passages(started, materials, searched=strategy.retrieves)
    if any(source.passage.indexed_with for source in materials.sources):
        notes.append(
            "Passages are searched with the contexts that a model wrote for the index. Where one is too long for the "
            "embedding model beside its text, the app cuts the context; the script loses the end of the text."
        )
    if params.get("resolve_references"):
        notes.append("A simpler rule than the run's finds the sub-questions that refer to an earlier answer.")
    if "graph" in script.needs:
        whole = "All triples of the graph" if materials.whole_graph else "The triples on the run's walk"
        notes.append(f"{whole} are in this notebook, to be walked in memory.")
    notes += [
        remark.says
        for remark in lesson(strategy.key).remarks
        if not remark.retrievers or (started.retriever in remark.retrievers and started.dense_share is None)
    ]
    if run.fork is not None:
        notes.append("This run was edited on its way; the script runs without the edit.")
    if run.totals.played:
        notes.append(
            "The run played replies from a recording; the script asks the model at your endpoint, which may "
            "reply differently."
        )
    if started.builtin:
        notes.append(
            "The tiny built-in model answered in the run; it cannot follow the prompts of the script."
        )
    return notes


def _fewer_passages(started: RunStarted, materials: Materials, *, searched: bool) -> list[str]:
    """Where the notebook has only a part of the corpus, and so weighs words in another way."""
    weighs = ["Keyword search weighs words by the whole corpus, so the order in this notebook may differ."]
    if searched and not materials.whole_corpus:
        return [
            "The corpus is large, or has changed: this notebook holds only the passages that the run found. A "
            "search with other words may find less than it would in the whole corpus.",
            *(weighs if started.retriever not in (None, "dense") else ()),
        ]
    if started.where and materials.whole_corpus:
        return [
            "The run searched only the documents that its filter leaves: this notebook holds their passages alone.",
            *(weighs if started.retriever != "dense" else ()),
        ]
    return []


def _plainer(run: Record, started: RunStarted, params: dict[str, Any], script: Script) -> list[str]:
    """Where the script searches more plainly than the run."""
    notes: list[str] = []
    kinds = [kind for kind in searches(script, started, params) if kind]
    if "linked" in kinds:
        notes.append(
            "Where the run searched along mentions of titles, the script merges dense and keyword search, with which "
            "such a walk begins."
        )
    if any(hit.before for ranking in run.find(Ranking) for hit in ranking.hits):
        notes.append("A second judge reordered what the run found; the script does not do that.")
    if params.get("give") == "everything":
        notes.append(
            "The run gave all documents to the answer without a search; the script gives what it finds."
        )
    elif params.get("give", "passages") != "passages":
        notes.append(
            "The run gave its hits with their surroundings, or whole documents; the script gives the hits alone."
        )
    if any(nearest(kind) != "dense" for kind in kinds):
        notes.append(
            "Keyword search cuts text into words by simpler rules than the app, so its order may differ here."
        )
    return notes
