"""One test for a whole table of cases: pytest takes longer to begin and end a test than most of them take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from reprlib import Repr
from typing import Any

import pytest

SHORT = Repr()
"""Writes what is said of a case that fails."""
SHORT.maxstring = SHORT.maxother = 300
SHORT.maxtuple = SHORT.maxlist = SHORT.maxdict = 20


def cases(
    names: str | Sequence[str], values: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Try a table of cases in one test; each case that fails is shown with its error.

    For tests whose cases leave nothing behind.

    Args:
        names: Name of the argument, or names of several, as for `pytest.mark.parametrize`.
        values: The value of the argument, or a tuple of values, case by case.
    """
    table = list(values)
    assert table, "Without a case nothing is tested."
    assert not any(isinstance(case, type(pytest.param())) for case in table), (
        "Marks and names of cases are pytest's."
    )
    single = isinstance(names, str)
    ours = [names] if isinstance(names, str) else list(names)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def every_case(**fixtures: Any) -> None:
            errors: list[BaseException] = []
            for case in table:
                arguments = dict(zip(ours, (case,) if single else case, strict=True))
                try:
                    test(**arguments, **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"The case: {SHORT.repr(arguments)}")
                    errors.append(error)
            if errors:
                raise BaseExceptionGroup(f"{len(errors)} of {len(table)} cases", errors)

        fixtures_only = [
            parameter
            for parameter in inspect.signature(test).parameters.values()
            if parameter.name not in ours
        ]
        vars(every_case)["__signature__"] = inspect.Signature(fixtures_only)
        return every_case

    return decorate
