"""Two people who have one of everything, and all that is stored of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import MetaData, create_engine, inspect, make_url, select

from core.classroom.handing_in import hand_ins
from core.classroom.plans import Plan, plan_store
from core.classroom.questions import Option, Question
from core.classroom.store import class_store
from core.corpora.chunk_store import open_vectors
from core.evaluation.dataset_catalogue import data_sets_of
from core.evaluation.datasets import DataSet, data_set
from core.evaluation.plan import Setting
from core.evaluation.runner import New, evaluations_of
from core.evaluation.set_store import MadeQuestion, Mark
from core.jobs import run_blocking
from core.knowledge.records import NodeRecord
from core.knowledge.store.build_ledger import ChunkNote
from core.knowledge.store.importing import import_file
from core.runs.request import RunRequest
from core.runs.store import RunFilter
from core.runs.workbench import Workbench
from core.users import User
from tests.unit.models.recordings.samples import everything, head

ME, OTHER = "a" * 32, "b" * 32
NOBODYS = {
    "gallery": "the pieces of the gallery that a database was given",
    "call_times": "tokens and seconds of calls to models of this machine, without text or owner",
    "spending": "calls and tokens of today, by a hash; else whoever deletes would have a new budget",
}
"""Table -> reason why nothing in it is deleted with an owner."""
MY_RUN = "5" * 16
QUESTION = Question(
    text="Which?", options=(Option(key="A", text="this", right=True), Option(key="B", text="that"))
)
CLOSED = Setting(label="closed-book", strategy="closed-book")
PLAIN = Setting(label="plain", strategy="plain")


def furnish(bench: Workbench, owner: str, dataset: DataSet, folder: Path, run: str = "") -> None:
    """Make one of everything for somebody, and something of theirs with what others have."""
    name = owner[:4]
    by = User(owner)
    text = f"# Ships\n\nThe {name} left the harbour at dawn."
    bench.corpora.index([(f"{name}.md", text.encode())], name, by=by).result()
    corpus = bench.corpora.catalogue.corpus(name)
    bench.corpora.context_ledger.note(f"key-{name}", "model", {1: f"About {name}."}, 1, 3, 0.5, owner)
    file = folder / f"{name}.tsv"
    file.write_text(f"{name}\tsings in\twinter\t{name} sings.\tc1\n", encoding="utf-8")
    graphs = bench.graphs.graphs
    import_file(graphs, file, f"Graph {name}", by=by)
    run_blocking(bench.graphs.prepare(f"Graph {name}").ended())
    graph = graphs.catalogue.graph(f"Graph {name}")
    graphs.catalogue.keep_quoted(graph, {"x": {"c1": "X"}})
    graphs.ledger.note(graph.id, ChunkNote("c1", "Ships"))
    graphs.ledger.hold(graph.id, "nobody", 0.0)
    graphs.aliases.add(graph.id, NodeRecord(id="x", name="X"), NodeRecord(id="y", name="Y"), "")
    request = RunRequest(f"Why {name}?", "closed-book", owner=owner)
    runs = [bench.launcher.start(request, run), bench.launcher.start(request)]
    for job in runs:
        assert job.result()[-1].type == "run_finished"
    bench.comparisons.add("Why?", [job.run for job in runs], owner)
    sets = data_sets_of(bench).store
    parts = {ME: dataset.documents[1:], OTHER: dataset.documents[:-1]}
    for one in (dataset, data_set(name, parts[owner], dataset.questions)):
        key = sets.add(one, owner)
        for settings, only in (((CLOSED,), False), ((PLAIN,), True)):
            new = New(data_sets_of(bench).open(key), settings, retrieval_only=only)
            assert evaluations_of(bench).start(new, User(owner, teacher=True)).result().state == "finished"
    made = sets.make(f"Made {name}", corpus, owner)
    document = bench.corpora.catalogue.documents(corpus.id)[0]
    mark = Mark(document.id, 2, document.name, "Ships")
    data_sets_of(bench).questions.add(made, [MadeQuestion("", "When?", marks=(mark,))])
    new = New(data_sets_of(bench).open(made), (PLAIN,), retrieval_only=True)
    evaluations_of(bench).start(new, User(owner, teacher=True)).result()
    recording = bench.recordings.store.begin(head(), owner, items=everything())
    bench.recordings.store.pin(recording.id, True)
    bench.store.pin(runs[0].run, True)
    plan_store(bench.settings.database).save(owner, Plan(name=f"Plan {name}", questions=(QUESTION,)))
    classes = class_store(bench.settings.database)
    own = classes.open(owner, f"Class {name}", [QUESTION])
    classes.join(own.id, "c" * 32, "Cleo")
    classes.show(own.id, 0, "open")
    assert classes.vote({(own.id, 0, "c" * 32): "A"})


def join_all(bench: Workbench, member: str) -> None:
    """Have somebody join every class, vote, and hand in a run."""
    classes = class_store(bench.settings.database)
    for one in classes.list([ME, OTHER]):
        classes.join(one.id, member, f"{member[:4]}\u00e9")
        assert classes.vote({(one.id, 0, member): "B"})
        for run in runs_by(bench, member)[:1]:
            hand_ins(bench.settings.database).hand_in(one.id, member, "run", run, "Mine")


def runs_by(bench: Workbench, owner: str) -> list[str]:
    """Ids of the runs of an owner."""
    return [run.id for run in bench.store.list(RunFilter(owners=(owner,)), 1000) if run.owner == owner]


def stored(bench: Workbench) -> dict[str, list[str]]:
    """Table -> its rows as texts, of all tables from which something is deleted, those of checkpoints included."""
    rows: dict[str, list[str]] = {}
    database = make_url(bench.settings.database)
    urls = [bench.store.engine]
    checkpoints = bench.settings.rag_loupe_home / "checkpoints.sqlite"
    if database.get_backend_name() == "sqlite":
        urls.append(create_engine(f"sqlite:///{checkpoints}"))
    for engine in urls:
        with engine.connect() as connection:
            for name in set(inspect(engine).get_table_names()) - set(NOBODYS):
                table = MetaData()
                table.reflect(engine, only=[name])
                found = connection.execute(select(table.tables[name]))
                rows[name] = sorted(repr([_plain(value) for value in row]) for row in found)
    return rows


def _plain(value: Any) -> Any:
    return bytes(value) if isinstance(value, memoryview) else value


def outside(bench: Workbench) -> dict[str, Any]:
    """Everything of corpora and graphs that lies outside SQL."""
    client = open_vectors(run_blocking(bench.backends.vectors_url()))
    ids = [one.id for one in bench.corpora.catalogue.corpora()]
    ids += [one.id for one in bench.graphs.graphs.catalogue.graphs()]
    found: dict[str, Any] = {}
    for collection in client.list_collections():
        if collection.name.startswith(tuple(ids)):
            content: Any = collection.get(include=["documents", "metadatas", "embeddings"])
            facts = (sorted(one.items()) for one in content["metadatas"])
            vectors = (list(map(float, vector)) for vector in content["embeddings"])
            found[collection.name] = sorted(
                zip(content["ids"], content["documents"], facts, vectors, strict=True)
            )
    for graph in bench.graphs.graphs.catalogue.graphs():
        found[graph.database] = repr(bench.graphs.graphs.store(graph).statistics())
    return found


def left_of(bench: Workbench, ids: set[str]) -> list[str]:
    """Names of collections and graphs with these ids in Chroma and the graph server."""
    client = open_vectors(run_blocking(bench.backends.vectors_url()))
    names = [collection.name for collection in client.list_collections()]
    folders = [
        folder.name for folder in (bench.settings.rag_loupe_home / "arcadedb").rglob("*") if folder.is_dir()
    ]
    return [name for name in (*names, *folders) if name.startswith(tuple(ids))]


def things(bench: Workbench) -> set[str]:
    """Ids of all corpora and graphs."""
    corpora = {one.id for one in bench.corpora.catalogue.corpora()}
    return corpora | {one.id for one in bench.graphs.graphs.catalogue.graphs()}


def both(
    bench: Workbench, dataset: DataSet, folder: Path
) -> tuple[dict[str, list[str]], dict[str, Any], set[str]]:
    """Furnish the other one, look, and furnish me; what was to be seen of the other, and ids of what I added."""
    furnish(bench, OTHER, dataset, folder)
    bench.comparisons.add("Over both", [MY_RUN, MY_RUN], OTHER)
    join_all(bench, OTHER)
    before, others = (stored(bench), outside(bench)), things(bench)
    furnish(bench, ME, dataset, folder, MY_RUN)
    join_all(bench, ME)
    return *before, things(bench) - others
