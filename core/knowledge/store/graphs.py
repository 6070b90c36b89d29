"""The graphs as one process works with them: what there is, opening, making and deleting."""

from __future__ import annotations

from functools import cached_property

from core.knowledge.store.aliases import Aliases
from core.knowledge.store.build_ledger import Ledger
from core.knowledge.store.graph_catalogue import Graph, GraphCatalogue
from core.knowledge.store.graph_server import GraphServer
from core.knowledge.store.graph_store import GraphStore
from core.services.supervisor import Supervisor
from core.settings import Settings


class Graphs:
    """Catalogue and store together. Calls block; from a coroutine, use a thread.

    Every method raises `ServiceError` or `StoreError` when the graph server or the catalogue cannot be used.
    """

    def __init__(self, settings: Settings, supervisor: Supervisor) -> None:
        self._settings = settings
        self.server = GraphServer(settings, supervisor)

    @cached_property
    def catalogue(self) -> GraphCatalogue:
        """The list of all graphs; asking it starts no graph server."""
        return GraphCatalogue(self._settings.database)

    @cached_property
    def ledger(self) -> Ledger:
        """The chunks that were extracted into each graph, and the process that changes it."""
        return Ledger(self._settings.database)

    @cached_property
    def aliases(self) -> Aliases:
        """The entities of each graph that were merged."""
        return Aliases(self._settings.database)

    def open(self, name: str) -> GraphStore:
        """Return the graph of that name; a server is reached with its first call only.

        Raises:
            UnknownGraph: There is none.
        """
        return self.store(self.catalogue.graph(name))

    def store(self, graph: Graph) -> GraphStore:
        """Return the store of a graph in the catalogue."""
        return GraphStore(self.server, graph.database, graph.native)

    def create(
        self, name: str, origin: str, corpus: str = "", native: bool = False, owner: str = ""
    ) -> Graph:
        """Return a new, empty graph, not ready yet.

        Raises:
            InputError: The name is taken or unfit, or the server holds one graph only and has one.
        """
        graph = self.catalogue.create(name, origin, corpus, native, owner)
        try:
            return self.begin(graph)
        except BaseException:
            self.catalogue.forget(graph.id)
            raise

    def begin(self, graph: Graph) -> Graph:
        """Make a graph ready to be written, and note that it is not whole meanwhile.

        One whose making was cut short gets its database now.
        """
        self.catalogue.begin(graph.id)
        if not graph.ready and graph.database:
            database = self.server.make(graph.database)
            if database != graph.database:
                self.catalogue.change(graph.id, database=database)
        graph = self.catalogue.graph(graph.name)
        if not graph.native:
            self.store(graph).prepare()
        return graph

    def finish(self, graph: Graph, ready: bool = True) -> Graph:
        """Note the size of a graph, and whether it is ready."""
        statistics = self.store(graph).statistics(limit=1)
        self.catalogue.finish(graph.id, statistics.nodes, statistics.edges, ready)
        return self.catalogue.graph(graph.name)

    def delete(self, name: str) -> None:
        """Delete a graph with all that is in it.

        Raises:
            UnknownGraph: There is none of that name.
        """
        graph = self.catalogue.graph(name)
        self.server.drop(graph.database)  # first: a database that nobody knows of would stay for ever
        self.catalogue.forget(graph.id)

    def close(self) -> None:
        """Close all connections."""
        self.server.close()
        for opened in ("catalogue", "ledger", "aliases"):
            if opened in self.__dict__:
                getattr(self, opened).close()
