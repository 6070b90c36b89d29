"""A session holds only so much of uploaded files in memory.

Fault (Streamlit 1.67): each file has a limit, but not their number. Files are held until their widget forgets them, and
files that no widget asked for until two minutes after the session ends: one browser fills the memory of the server.
Needed as long as tests/unit/ui/test_uploads.py::test_streamlit_itself_holds_any_number passes.
"""

from __future__ import annotations

from starlette.exceptions import HTTPException
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

SESSION_MB = 250
"""What the files of one session may take together: ten of the largest documents."""
_add = MemoryUploadedFileManager.add_file


def bound_uploads() -> None:
    """Bound the files of every session of this process; once is enough, more often does no harm."""
    MemoryUploadedFileManager.add_file = _add_bounded  # type: ignore[method-assign]


def _add_bounded(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
    """In place of Streamlit's own method.

    Raises:
        HTTPException: It would be too much; the browser says beside the file that it was not taken.
    """
    there = list(self.file_storage.get(session_id, {}).values())
    others = sum(len(one.data) for one in there if one.file_id != file.file_id)
    if others + len(file.data) > SESSION_MB * 2**20:
        raise HTTPException(
            413,
            f"This page holds {others / 2**20:.0f} MB of files and takes {SESSION_MB} MB. Remove some first.",
        )
    _add(self, session_id, file)
