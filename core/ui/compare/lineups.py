"""Comparisons worth seeing, ready to be filled in."""

from __future__ import annotations

from core.strategies.lineups import COMPARED, EVALUATED, lineups
from core.ui.forms.setting import choices

_FOUND = lineups()
_OTHERS = [name for name in _FOUND if name not in COMPARED and name not in EVALUATED.values()]
LINEUPS = {name: choices(_FOUND[name]) for name in (*COMPARED, *_OTHERS) if name in _FOUND}
"""Name -> columns."""
FIRST = next(iter(LINEUPS))
