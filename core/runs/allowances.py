"""The limits of one visitor on a server that others share: the server's key, room on its disk, and work at once.

Where no teacher's password is set everybody is the teacher, and a teacher has no limits.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from core.errors import InputError
from core.models.chat_models import ChatModel
from core.settings import Settings
from core.users import NotAllowed, User
from core.wording import counted

ONLY_THE_TEACHER_SPENDS = (
    "On this server, only the teacher has the server's chat model write contexts and build graphs, which takes a call "
    "for every few chunks. Set a chat endpoint of your own in the sidebar, or ask the teacher."
)


class Exhausted(InputError):
    """A visitor has reached a limit."""


class Allowances:
    """The limits of the visitors of one process; thread-safe."""

    def __init__(self, settings: Settings, rooms: Sequence[Callable[[str], int]]) -> None:
        """Take the limits, and for each store what says how many bytes an owner has there."""
        self._settings, self._rooms = settings, rooms
        self._under_way: Counter[str] = Counter()
        self._lock = threading.Lock()

    def may_spend(self, by: User, chat: ChatModel) -> bool:
        """True if a user may have this model write contexts and build graphs: the server's own may be the teacher's
        alone."""
        who = self._settings.contexts_and_graphs or ("teacher" if self._settings.has_teacher else "all")
        return by.teacher or who == "all" or not chat.spends(self._settings)

    def check_spending(self, by: User, chat: ChatModel) -> None:
        """Refuse work that spends the server's key; see `may_spend`.

        Raises:
            NotAllowed: They may not.
        """
        if not self.may_spend(by, chat):
            raise NotAllowed(ONLY_THE_TEACHER_SPENDS)

    def check_room(self, by: User, more: int = 0) -> None:
        """Refuse to store more than a visitor may; `more`: the bytes that they are about to store, as far as that is
        known. Blocks for a moment.

        Raises:
            Exhausted: It would be too much.
            StoreError: The database cannot be read.
        """
        if self._unlimited(by):
            return
        limit = self._settings.max_mb_per_visitor * 2**20
        stored = sum(room(by.owner) for room in self._rooms)
        if stored + more > limit or stored >= limit:
            raise Exhausted(
                f"Your documents, runs and recordings take {stored / 2**20:,.0f} MB of the "
                f"{self._settings.max_mb_per_visitor:,} MB that each visitor has on this server. "
                "Delete some of them, or ask the teacher."
            )

    def check_runs(self, by: User, running: int, more: int = 1) -> None:
        """Refuse more runs at once than a visitor may have, and any run while they have no room for it.

        Args:
            running: Runs of theirs that are under way in this process.
            more: Runs that they are about to begin.

        Raises:
            Exhausted: It would be too many.
            StoreError: The database cannot be read.
        """
        most = self._settings.max_runs_per_visitor
        if not self._unlimited(by) and running + more > most:
            raise Exhausted(
                f"{counted(running, 'run')} of yours {'is' if running == 1 else 'are'} under way, and each visitor "
                f"has {most:,} at once on this server. Wait for one to end, or stop one."
            )
        self.check_room(by)

    @contextmanager
    def under_way(self, by: User) -> Iterator[None]:
        """While an import runs or a graph is built, which a visitor may have a few of at once.

        Raises:
            Exhausted: They have as many already.
        """
        most = self._settings.max_jobs_per_visitor
        with self._lock:
            mine = self._under_way[by.owner]
            if mine >= most and not self._unlimited(by):
                raise Exhausted(
                    f"{counted(mine, 'import or graph', 'imports and graphs')} of yours "
                    f"{'is' if mine == 1 else 'are'} under way, and each visitor has {most:,} at once on this server. "
                    "Wait for one to end, or stop one."
                )
            self._under_way[by.owner] += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way[by.owner] -= 1
                self._under_way += Counter()  # forgets who has none any more

    def _unlimited(self, by: User) -> bool:
        return by.teacher or not self._settings.has_teacher
