"""A run as one JSON object: the contract of `ask --json` and `runs show --json`."""

from __future__ import annotations

from typing import Any

from core.runs.record import Record
from core.runs.run_notes import cut_off, methods_used, replaced_sentence


def summary(record: Record) -> dict[str, Any]:
    """The question, findings, answer and cost of a run, in JSON types."""
    started, answer, totals = record.started, record.answer, record.totals
    if started is None:
        raise ValueError("a run begins with run_started")
    return {
        "run": started.run,
        "parent": started.parent,
        "strategy": started.strategy,
        "params": started.params,
        "question": started.question,
        "corpus": started.corpus,
        "retriever": started.retriever,
        "dense_share": started.dense_share,
        "where": list(started.where),
        "graph": started.graph,
        "answer": answer.text if answer else record.draft,
        # The answer itself, and whether it is in doubt; null: there is no answer yet.
        **{key: getattr(answer, key, None) for key in ("short", "suggested", "incomplete", "abstained")},
        "outcome": record.state,
        "error": record.error or None,
        "notes": list(filter(None, [cut_off(record), replaced_sentence(record)])),
        "next": list(record.next),
        "citations": [citation.model_dump() for citation in answer.citations] if answer else [],
        "context": [
            {
                "rank": item.rank,
                **{key: getattr(item.passage, key) for key in ("chunk", "document", "title", "text")},
                "score": item.score,
                "given": item.given,
            }
            for item in (record.context.passages if record.context else ())
        ],
        "artefacts": [
            {
                "kind": artefact.kind,
                "step": step.id,
                "node": step.node,
                **artefact.model_dump(exclude={"kind"}),
            }
            for step, artefact in record.artefacts
        ],
        "methods": started.methods | {key: ", ".join(used) for key, used in methods_used(record).items()},
        "adapter": started.adapter,
        "recording": _recording(record),
        "calls": totals.calls,
        "replaced": totals.replaced,
        "rounds": totals.rounds,
        "tokens": {"input": totals.tokens_in, "output": totals.tokens_out, "known": totals.tokens_known},
        "seconds": round(totals.seconds, 3),
    }


def _recording(record: Record) -> dict[str, Any] | None:
    """The recording that was played, or in which replies were kept, and how many; None: neither."""
    names_played = [call.recorded for call in record.calls if call.recorded]
    names_kept = [call.kept for call in record.calls if call.kept]
    name = record.recording or next(iter((*names_played, *names_kept)), "")
    if not name:
        return None
    return {"name": name, "played": len(names_played), "kept": len(names_kept), "missing": record.missing}
