"""README is short and true; what it and the other pages lead to is there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from core.cli.main import parse
from core.strategies import strategies

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
MOST_LINES, MOST_WORDS = 130, 1000


def written() -> Iterator[Path]:
    """Pages that people read in a browser of code."""
    yield README
    for folder in ("docs", "core", "research", "tests", "tools"):
        yield from (page for page in (ROOT / folder).rglob("*.md") if "data" not in page.parts)


def anchors(page: Path) -> set[str]:
    """Addresses of the headings of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_front_door_is_short() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert len(text.split()) <= MOST_WORDS


def test_every_link_within_the_project_leads_somewhere() -> None:
    lost = []
    for page in written():
        for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            if "://" in link or link.startswith("mailto:"):
                continue
            file, _, anchor = link.partition("#")
            there = (page.parent / file).resolve() if file else page
            if not there.exists() or (anchor and anchor not in anchors(there)):
                lost.append(f"{page.relative_to(ROOT)}: {link}")
    assert not lost


def test_every_command_that_is_shown_parses() -> None:
    shown = [
        line.partition("  #")[0]
        for page in (README, ROOT / "docs" / "command-line.md")
        for line in re.findall(r"^python -m core (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert len(shown) > 20
    for line in shown:
        assert parse(shlex.split(line)).command, line


def test_the_table_of_strategies_has_all_of_them_with_their_calls() -> None:
    rows = re.findall(
        r"^\| ([^|]+) \| [^|]+ \| (?:about )?(\d+) \|", README.read_text(encoding="utf-8"), re.MULTILINE
    )
    calls = {known.title: known.forecast(known.params()).calls_expected for known in strategies().values()}
    assert {title: int(number) for title, number in rows} == calls
