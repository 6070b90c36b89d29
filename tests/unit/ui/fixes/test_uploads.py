"""One session cannot fill the memory with files."""

from __future__ import annotations

import pytest
from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from core.ui.fixes import streamlit_patches

BLOCK = bytes(100 * 2**20)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> MemoryUploadedFileManager:
    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", streamlit_patches._add)
    return MemoryUploadedFileManager("/upload")


def add(files: MemoryUploadedFileManager, session: str, name: str) -> None:
    """The same bytes each time, so that they take no room."""
    files.add_file(session, UploadedFileRec(name, f"{name}.txt", "text/plain", BLOCK))


def test_streamlit_itself_holds_any_number(files: MemoryUploadedFileManager) -> None:
    for number in range(20):
        add(files, "one", str(number))
    assert len(files.file_storage["one"]) == 20


def test_a_session_has_so_much_and_another_one_its_own(files: MemoryUploadedFileManager) -> None:
    streamlit_patches.bound_uploads()
    add(files, "one", "a")
    add(files, "one", "b")
    with pytest.raises(HTTPException, match="holds 200 MB of files and takes 250 MB. Remove some first"):
        add(files, "one", "c")
    add(files, "one", "b")  # the same file again
    add(files, "other", "a")
    files.remove_file("one", "a")
    add(files, "one", "c")
    assert set(files.file_storage["one"]) == {"b", "c"}
