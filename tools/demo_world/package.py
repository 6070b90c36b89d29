"""Office files are ZIP archives, which note when each part was packed."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The first date that a ZIP archive can have."""


def undated(data: bytes) -> bytes:
    """The same archive with one date for all its parts."""
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        for name, content in parts(data).items():
            part = ZipInfo(name, _EARLIEST)
            part.compress_type, part.create_system = ZIP_DEFLATED, 0
            archive.writestr(part, content)
    return out.getvalue()


def parts(data: bytes) -> dict[str, bytes]:
    """What an archive holds: equal where two differ by how they were packed only."""
    with ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
