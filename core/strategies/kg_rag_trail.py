"""What the exploration of one plan has found: everything that was followed, also where it does not go on."""

from __future__ import annotations

from collections.abc import Sequence

from core.knowledge.explore.chains import TRIPLES, Chain, shared
from core.knowledge.explore.chains import triples as triples_of
from core.knowledge.explore.explorer import Explorer
from core.knowledge.explore.path_evidence import once
from core.skills.graph_wording import readable_name
from core.skills.select import candidate_text
from core.trace.artefacts import Candidates, PathTriple
from core.trace.passages import Frozen

KEPT = 500
"""Triples that are remembered."""
ENDS = 300
"""Nodes whose names are remembered."""
JUDGED = TRIPLES
"""Triples that a verdict is made from."""
ANSWERED = 2 * TRIPLES
"""Triples that an answer is written from."""


class Trail(Frozen):
    """The path so far, from which verdict and answer are made."""

    starts: tuple[str, ...] = ()
    """Names of the nodes that were chosen to start from."""
    offered: int = 0
    """Candidates of the last step."""
    chose: tuple[str, ...] = ()
    """The candidates that were chosen, in words."""
    triples: tuple[PathTriple, ...] = ()
    """All that were followed, each once; those of the last step, and what led to them, first."""
    dropped: int = 0
    """Further ones that are not remembered."""
    ends: tuple[str, ...] = ()
    """Names of the nodes that the last step led to."""
    more: int = 0
    """Further ones that are not remembered."""

    def shown(self, limit: int = JUDGED) -> tuple[PathTriple, ...]:
        """Triples hop by hop, every hop with its share."""
        hops: dict[int, list[PathTriple]] = {}
        for triple in self.triples:
            hops.setdefault(triple.hop, []).append(triple)
        return tuple(triple for hop in shared([hops[key] for key in sorted(hops)], limit) for triple in hop)

    def hidden(self, limit: int = JUDGED) -> int:
        """How many triples `shown` leaves out."""
        return self.dropped + len(self.triples) - len(self.shown(limit))


def after_step(trail: Trail, step: Candidates, chains: Sequence[Chain], explorer: Explorer) -> Trail:
    """The trail after one more step, from which these chains go on; where none does, it keeps what it has. Blocks.

    Raises:
        ServiceError, StoreError: The graph server fails.
    """
    chose = tuple(candidate_text(one) for one in step.candidates if one.chosen)
    made = trail.model_copy(update={"offered": len(step.candidates), "chose": chose})
    if not chains:
        return made
    nodes = {node.id: node.name for chain in chains for node in chain.nodes}
    names = list(dict.fromkeys(readable_name(nodes[ident]) for ident in sorted(nodes)))
    update: dict[str, object] = {"ends": tuple(names[:ENDS]), "more": max(0, len(names) - ENDS)}
    if step.explore == "nodes":
        update["starts"] = tuple(dict.fromkeys((*trail.starts, *made.chose)))
    else:
        new = (triple for chain in chains for triple in triples_of(explorer.store, chain, limit=None))
        every = once((*new, *trail.triples))
        update["triples"] = every[:KEPT]
        update["dropped"] = trail.dropped + max(0, len(every) - KEPT)
    return made.model_copy(update=update)
