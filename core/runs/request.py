"""A question and how it is to be answered, as the page and the command line ask it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.corpora.demo import DEMO_CORPORA
from core.corpora.filtering import parse_where, where_lines
from core.errors import InputError
from core.models.chat_models import CONFIGURED, ChatModel
from core.settings import Settings
from core.skills import SKILLS, check_prompt, is_known, methods_in_force
from core.skills.base import kind_of
from core.strategies import get_strategy
from core.strategies.base import AnyStrategy
from core.trace.events import EACH_STEP, RunStarted, now

if TYPE_CHECKING:
    from core.corpora.catalogue import Catalogue
    from core.knowledge.store.graph_catalogue import GraphCatalogue

_UNFIT = frozenset(chr(code) for code in range(32) if chr(code) not in "\t\n\r") | {"\x7f"}


COMMAND_LINE = "command line"
"""Owner of the runs that are asked there."""
EVALUATION = "evaluation"
"""Owner of the runs of evaluations: hundreds, which are listed only where they are asked for."""


@dataclass(frozen=True)
class RunRequest:
    """One question and how it is to be answered."""

    question: str
    strategy: str
    params: Mapping[str, Any] = field(default_factory=dict)
    corpus: str | None = None
    retriever: str = "dense"
    where: tuple[str, ...] = ()
    """A filter of the documents, see `core.corpora.filtering`; a further corpus of the strategy is searched whole."""
    graph: str | None = None
    """Name of a knowledge graph; one that comes with the app is imported when it is first asked."""
    methods: Mapping[str, str] = field(default_factory=dict)
    """Skill key -> method picked by the user."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompt key -> text edited by the user."""
    chat: ChatModel = CONFIGURED
    """Which chat model answers, for this run only; never stored."""
    owner: str = ""
    """Browser that may stop and continue the run."""
    account: str = ""
    """Owner of whom the server's endpoint is told, where that is not the run's; empty: it is."""
    teacher: bool = False
    """True if the teacher asks: then no daily budget limits the calls."""
    retrieval_only: bool = False
    """Whether to end before the step that answers."""
    stop_before: str = ""
    """Where to stop until it is resumed; as of `RunStarted`."""

    @classmethod
    def of(
        cls, started: RunStarted, *, owner: str, chat: ChatModel, account: str = "", teacher: bool = False
    ) -> RunRequest:
        """The same question in the same way, but for the model, and for skills and methods that are gone."""
        return cls(
            question=started.question,
            strategy=started.strategy,
            params=started.params,
            corpus=started.corpus,
            retriever=started.retriever or "dense",
            where=started.where,
            graph=started.graph,
            methods={skill: method for skill, method in started.methods.items() if is_known(skill, method)},
            prompts={
                key: text for key, text in started.prompts.items() if is_known(*key.partition(".")[::2])
            },
            chat=chat,
            owner=owner,
            account=account,
            teacher=teacher,
            retrieval_only=started.retrieval_only,
            stop_before=started.stop_before,
        )

    def first_event(self, strategy: AnyStrategy, params: Any, run: str) -> RunStarted:
        """The first event of a run of this request, before a model is reached; see `check`."""
        return RunStarted(
            run=run,
            created=now(),
            question=self.question,
            strategy=strategy.key,
            params=params.model_dump(),
            corpus=self.corpus if strategy.retrieves else None,
            retriever=self.retriever if strategy.retrieves and self.corpus else None,
            where=where_lines(parse_where(self.where)) if strategy.retrieves and self.corpus else (),
            graph=self.graph.strip() if strategy.explores and self.graph else None,
            chat_model="",
            builtin=False,
            retrieval_only=self.retrieval_only,
            stop_before=self.stop_before,
        )


def check(
    request: RunRequest,
    settings: Settings,
    catalogue: Callable[[], Catalogue],
    graphs: Callable[[], GraphCatalogue],
) -> tuple[AnyStrategy, Any]:
    """The strategy and its parameters, if the request can be run.

    Args:
        catalogue: Opens the catalogue of the corpora; called only where a corpus is searched.
        graphs: Opens the catalogue of the graphs; called only where a graph is explored.

    Raises:
        InputError: It cannot; one sentence says why.
    """
    _check_question(request.question.strip(), settings.max_question_chars)
    strategy = get_strategy(request.strategy)
    params = strategy.parse(request.params)
    _check_stop(request.stop_before, strategy, params)
    _check_skills(request, settings, strategy)
    if strategy.either and not request.corpus and not (request.graph or "").strip():
        raise InputError(f"{strategy.title} needs documents or a knowledge graph: choose one of them first.")
    if strategy.retrieves and (request.corpus or not strategy.either):
        _check_documents(request, strategy, strategy.also_searches(params), catalogue)
    if strategy.explores and (request.graph or not strategy.either):
        _check_graph((request.graph or "").strip(), strategy, graphs)
    return strategy, params


def _check_question(question: str, limit: int) -> None:
    if not question.isprintable() and any(char in question for char in _UNFIT):
        raise InputError("The question holds characters that are no text. Type or paste it again.")
    try:
        question.encode()
    except UnicodeEncodeError:
        raise InputError("The question is not valid Unicode text. Type or paste it again.") from None
    if not question:
        raise InputError("The question is empty. Write one, or choose an example.")
    if len(question) > limit:
        raise InputError(
            f"The question has {len(question):,} characters; at most {limit:,} are possible. "
            "Shorten it, or upload the long text as a document and ask about it."
        )


def _check_stop(stop_before: str, strategy: AnyStrategy, params: Any) -> None:
    if stop_before not in ("", EACH_STEP):
        steps = strategy.diagram(params.model_dump()).steps
        if stop_before not in steps:
            raise InputError(
                f"{strategy.title} has no step '{stop_before[:40]}' to stop before. "
                f"Choose one of: {', '.join((EACH_STEP, *steps))}."
            )


def _check_skills(request: RunRequest, settings: Settings, strategy: AnyStrategy) -> None:
    """Check that the model can run the strategy with these methods and prompts."""
    kind = kind_of(request.chat, settings)
    if lacking := strategy.lacking(kind.builtin):
        raise InputError(lacking)
    methods_in_force(strategy.skills, kind, request.methods)
    for key, text in request.prompts.items():
        check_prompt(key, text)
    if unknown := {key for key in request.methods if key not in SKILLS}:
        raise InputError(f"There is no skill '{min(unknown)}'. Skills: {', '.join(SKILLS)}.")


def _check_documents(
    request: RunRequest, strategy: AnyStrategy, further: str, catalogue: Callable[[], Catalogue]
) -> None:
    """Check that there is a corpus, and a further one where the strategy searches it, and a way to search them."""
    from core.retrieval.kinds import RETRIEVERS

    if request.retriever not in RETRIEVERS:
        raise InputError(
            f"There is no retriever '{request.retriever}'. Choose one of: {', '.join(RETRIEVERS)}."
        )
    if not request.corpus:
        raise InputError(f"{strategy.title} searches documents: choose a corpus first.")
    parse_where(request.where)
    for name in filter(None, (request.corpus, further)):
        if name not in DEMO_CORPORA:
            catalogue().corpus(name)


def _check_graph(name: str, strategy: AnyStrategy, graphs: Callable[[], GraphCatalogue]) -> None:
    """Check that there is a graph, ready to be explored."""
    from core.knowledge.store.demo_graphs import demo_names

    if not name:
        raise InputError(f"{strategy.title} explores a knowledge graph: choose one first.")
    if name not in demo_names():
        entry = graphs().graph(name, demo_names())
        if not entry.ready:
            raise InputError(
                f"The graph “{entry.name}” is not ready: it is being made, or that was interrupted. "
                "Wait, or import or build it again."
            )
