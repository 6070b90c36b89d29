"""Who may change what."""

from __future__ import annotations

import pytest

from core.users import TEACHER, NotAllowed, User
from tests.cases import cases

ME, OTHER = User("a" * 32), User("b" * 32)


@cases(
    ("user", "owner", "may"),
    [
        (ME, ME.owner, True),
        (OTHER, ME.owner, False),
        (ME, "", False),
        (User(), "", False),
        (TEACHER, "", True),
        (TEACHER, ME.owner, True),
        (User(OTHER.owner, teacher=True), ME.owner, True),
    ],
)
def test_what_is_whose(user: User, owner: str, may: bool) -> None:
    assert user.may_change(owner) is may
    if may:
        user.check(owner, "Notes")
    else:
        with pytest.raises(NotAllowed, match="“Notes” is not yours"):
            user.check(owner, "Notes")
