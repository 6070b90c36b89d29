"""The home folder and its databases are for their user alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import text

from core.database import open_engine
from core.runs.checkpoints.opening import open_checkpoints
from core.services.service import ServiceFiles
from core.settings import DATABASE, Settings


def rights(path: Path) -> str:
    return f"{path.stat().st_mode & 0o777:o}"


async def test_what_is_new_is_for_its_user_alone(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, rag_loupe_home=tmp_path / "some" / "home")
    home = settings.rag_loupe_home
    engine = open_engine(settings.database)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE x (y)"))
        assert {rights(file) for file in home.iterdir()} == {"600"}  # with what SQLite puts beside it
    engine.dispose()
    async with open_checkpoints(home, settings.database):
        assert {rights(file) for file in home.glob("checkpoints*")} == {"600"}
    assert rights(home) == "700"
    assert rights(home.parent) == "755"


def test_a_service_may_be_the_first_in_a_home(tmp_path: Path) -> None:
    ServiceFiles(tmp_path / "home", "chroma").make_folders()
    assert rights(tmp_path / "home") == "700"


@pytest.mark.parametrize(("there", "after"), [(DATABASE, "700"), ("", "700"), ("other.txt", "755")])
def test_a_home_that_is_open_is_closed_and_no_other_folder(tmp_path: Path, there: str, after: str) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    if there:
        (folder / there).touch()
    open_engine(f"sqlite:///{folder / 'any.sqlite'}").dispose()
    assert rights(folder) == after
