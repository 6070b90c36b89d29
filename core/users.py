"""Users, and the changes that they may make."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import InputError

OWNER_COOKIE = "rag_loupe_owner"
"""Cookie that holds the random id of a browser, 32 hexadecimal digits."""


class NotAllowed(InputError):
    """It belongs to somebody else."""


@dataclass(frozen=True)
class User:
    """Somebody at a browser, or at the command line of the server."""

    owner: str = ""
    """Id of the browser, under which it owns what it makes; empty: what it makes is the teacher's."""
    teacher: bool = False
    """Whether everything is theirs; without a teacher's password, everybody's is."""

    def may_change(self, owner: str) -> bool:
        """True if they may change what belongs to this owner; empty: to nobody, and so to the teacher."""
        return self.teacher or (owner != "" and owner == self.owner)

    def check(self, owner: str, name: str) -> None:
        """Refuse a change of what is not theirs: what has this name, and this owner (empty: the teacher).

        Raises:
            NotAllowed: They may not change it.
        """
        if not self.may_change(owner):
            raise NotAllowed(
                f"“{name}” is not yours: only its owner and the teacher can change it. "
                "Choose another name for what you add."
            )


TEACHER = User(teacher=True)
"""The user who may change everything: the command line, and the app itself."""
APP = User("app", teacher=True)
"""The app where it makes what comes with it, which is told from what somebody made by its owner."""
