"""The store of evaluations in the SQL database, and its tables: each pair once it is done, and the writer of each
evaluation."""

from __future__ import annotations

import builtins
import secrets
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import (
    JSON,
    ColumnElement,
    Exists,
    ForeignKey,
    String,
    Text,
    case,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from core.database import alone, value_of
from core.errors import InputError, StoreError
from core.evaluation.dataset_lines import LabelledQuestion
from core.evaluation.plan import Evaluation, Outcomes, Pair, Result, Spec, State
from core.owned import LeaseColumns, LeasedRows, OwnedRow, OwnedRows, newest_first, shown_to


class Base(DeclarativeBase):
    """Holds the metadata of the tables."""


class EvaluationRow(OwnedRow, Base):
    """One evaluation: a data set's questions through several settings."""

    __tablename__ = "evaluations"

    fingerprint: Mapped[str] = mapped_column(String(32), index=True)
    """Hash of everything that the results depend on."""
    spec: Mapped[dict[str, Any]] = mapped_column(JSON)
    """See `core.evaluation.plan.Spec`."""
    questions: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    """Questions with answers and gold documents, so that results can be read when the data set is gone."""
    finished: Mapped[bool] = mapped_column(default=False)
    """True once every pair was tried."""
    writer: Mapped[str] = mapped_column(String(64), default="")
    """The writer that works on it; empty: none."""
    writer_until: Mapped[float] = mapped_column(default=0.0)
    """Seconds since the epoch at which the writer's hold ends unless it is renewed."""


class PairRow(Base):
    """One question through one setting, done or failed."""

    __tablename__ = "evaluation_pairs"

    evaluation: Mapped[str] = mapped_column(
        ForeignKey("evaluations.id", ondelete="CASCADE"), primary_key=True
    )
    setting: Mapped[int] = mapped_column(primary_key=True)
    """Position of the setting in the spec, from 0."""
    question: Mapped[str] = mapped_column(Text, primary_key=True)
    """Id of the question in the data set."""
    error: Mapped[str] = mapped_column(Text, default="")
    """Reason of the failure; empty: the pair is done."""
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON, default=None)
    """See `core.evaluation.plan.Result`."""


class EvaluationStore(OwnedRows, LeasedRows):
    """Evaluations in one database; the runs of a deleted evaluation stay. Calls block for a moment."""

    tables = Base.metadata
    row = EvaluationRow
    parts = (PairRow.evaluation,)
    lease = LeaseColumns(EvaluationRow.id, EvaluationRow.writer, EvaluationRow.writer_until)

    def begin(self, spec: Spec, questions: Sequence[LabelledQuestion], owner: str) -> str:
        """Id of the owner's newest unfinished evaluation of exactly this work, or of a new one. Two requests for the
        same work at the same moment get the same evaluation."""
        fingerprint = spec.fingerprint(questions)
        query = (
            select(EvaluationRow.id)
            .where(EvaluationRow.fingerprint == fingerprint, EvaluationRow.owner == owner)
            .where(~EvaluationRow.finished | _has_pairs(PairRow.error != ""))
            .order_by(EvaluationRow.created.desc())
        )
        with self.session() as session:
            alone(session)
            if evaluation := session.scalars(query).first():
                return evaluation
            ids = {question.id for question in questions}
            earlier = self._looks(session, spec.dataset_key, ids, owner, fingerprint)
            row = EvaluationRow(
                id=secrets.token_hex(8),
                owner=owner,
                fingerprint=fingerprint,
                spec=spec.model_copy(update={"looks": earlier + 1}).model_dump(mode="json"),
                questions=[asdict(question) | {"gold": dict(question.gold)} for question in questions],
            )
            session.add(row)
            session.flush()
            return row.id

    def looks(self, dataset: str, questions: Collection[str], owner: str) -> int:
        """The number of evaluations of this owner that have judged some of these questions (their ids) of the data set
        with this key."""
        with self.session() as session:
            return self._looks(session, dataset, questions, owner)

    def last_judged(self, dataset: str, owner: str) -> str | None:
        """Id of this owner's newest evaluation of the data set with this key that has judged anything; None: there is
        none."""
        query = (
            select(EvaluationRow.id)
            .where(EvaluationRow.owner == owner, _has_pairs(PairRow.error == ""))
            .where(EvaluationRow.spec["dataset_key"].as_string() == dataset)
            .order_by(EvaluationRow.created.desc())
        )
        with self.session() as session:
            return session.scalars(query).first()

    @staticmethod
    def _looks(session: Session, dataset: str, questions: Collection[str], owner: str, same: str = "") -> int:
        """The number of looks, see `looks`; the very same work, which has the fingerprint `same`, is no other look."""
        query = (
            select(EvaluationRow.fingerprint, EvaluationRow.questions)
            .where(EvaluationRow.owner == owner, EvaluationRow.fingerprint != same)
            .where(EvaluationRow.spec["dataset_key"].as_string() == dataset, _has_pairs(PairRow.error == ""))
        )
        ids = set(questions)
        rows = session.execute(query).all()
        return len({print_ for print_, own in rows if any(question["id"] in ids for question in own)})

    def get(self, evaluation: str) -> Evaluation:
        """The evaluation with this id; raises `InputError` if there is none."""
        with self.session() as session:
            row = session.get(EvaluationRow, evaluation)
            if row is None:
                raise InputError(f"There is no evaluation '{evaluation[:40]}'.")
            return _evaluation(row)

    def list(self, owners: Collection[str], limit: int = 50) -> builtins.list[Evaluation]:
        """Evaluations of these owners and pinned evaluations: the pinned ones first, then the newest."""
        query = newest_first(EvaluationRow).where(shown_to(EvaluationRow, owners)).limit(limit)
        with self.session() as session:
            return [_evaluation(row) for row in session.scalars(query)]

    def counts(self, evaluations: Collection[str]) -> Mapping[str, tuple[int, int]]:
        """Id of an evaluation -> number of pairs done, and number of pairs failed."""
        failed = func.sum(case((PairRow.error != "", 1), else_=0))
        query = select(PairRow.evaluation, func.count(), failed).group_by(PairRow.evaluation)
        with self.session() as session:
            rows = session.execute(query.where(PairRow.evaluation.in_(evaluations))).all()
        by_id = {key: (int(total) - int(failures), int(failures)) for key, total, failures in rows}
        return {key: by_id.get(key, (0, 0)) for key in evaluations}

    def outcomes(self, evaluation: str) -> Outcomes:
        """The outcomes of the pairs of the evaluation with this id so far."""
        query = select(PairRow).where(PairRow.evaluation == evaluation)
        done: dict[Pair, Result] = {}
        failed: dict[Pair, str] = {}
        with self.session() as session:
            for row in session.scalars(query):
                if row.error:
                    failed[row.setting, row.question] = row.error
                else:
                    done[row.setting, row.question] = Result.model_validate(row.result)
        return Outcomes(done, failed)

    def note(self, evaluation: str, writer: str, outcomes: Mapping[Pair, Result | str]) -> None:
        """Store the outcomes of pairs, a failure as its sentence, in one transaction; raises `StoreError` if another
        process has taken over the evaluation meanwhile."""
        mine = update(EvaluationRow).where(self.holds(evaluation, writer))
        with self.session() as session:
            rows = session.execute(mine.values(writer=writer).returning(EvaluationRow.id))
            if rows.first() is None:
                raise StoreError("Another process goes on with this evaluation. What was done is kept.")
            questions = {question for _, question in outcomes}
            failed = (PairRow.evaluation == evaluation) & (PairRow.error != "")
            for setting in {setting for setting, _ in outcomes}:
                tried = failed & (PairRow.setting == setting) & PairRow.question.in_(questions)
                session.execute(delete(PairRow).where(tried))
            session.execute(
                insert(PairRow),
                [
                    {
                        "evaluation": evaluation,
                        "setting": setting,
                        "question": question,
                        "error": "" if isinstance(outcome, Result) else outcome,
                        "result": outcome.model_dump(mode="json") if isinstance(outcome, Result) else None,
                    }
                    for (setting, question), outcome in outcomes.items()
                ],
            )

    def corpora(self) -> set[str]:
        """Ids of the corpora that evaluations search."""
        with self.session() as session:
            specs = map(Spec.model_validate, session.scalars(select(EvaluationRow.spec)))
            return {spec.corpus_of(setting).id for spec in specs for setting in spec.settings}

    def finish(self, evaluation: str, finished: bool) -> None:
        """Note whether every pair of the evaluation with this id was tried."""
        self._change(evaluation, finished=finished)

    def version(self, evaluation: str) -> int:
        """Always 0; raises `InputError` if the evaluation has been deleted."""
        self.get(evaluation)
        return 0


def _has_pairs(condition: ColumnElement[bool]) -> Exists:
    """Condition that an evaluation has such pairs."""
    return select(PairRow.evaluation).where(PairRow.evaluation == EvaluationRow.id, condition).exists()


def _evaluation(row: EvaluationRow) -> Evaluation:
    state: State = "finished" if row.finished else "paused"
    if row.writer:
        state = "running" if row.writer_until >= time.time() else "interrupted"
    return value_of(
        Evaluation,
        row,
        spec=Spec.model_validate(row.spec),
        questions=tuple(
            LabelledQuestion(**{**stored, "answers": tuple(stored["answers"])}) for stored in row.questions
        ),
        state=state,
    )
