"""Reading uploaded files: one loader per format, those of other packages too, one check in front of all loaders.

The browser's limits on type and size can be bypassed, so they are enforced in this app again. No loader opens a path
or fetches anything: it sees a name to show and bytes, and raises `DocumentError` where the file is of another format,
damaged, too large or locked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import PurePath
from types import FunctionType

from core.corpora.documents import Document
from core.corpora.loaders.decoding import load_text
from core.corpora.loaders.ebook import load_epub
from core.corpora.loaders.feed import load_xml
from core.corpora.loaders.mail import load_eml
from core.corpora.loaders.markdown import load_markdown
from core.corpora.loaders.opendocument import load_odt
from core.corpora.loaders.pdf import load_pdf
from core.corpora.loaders.slides import load_pptx
from core.corpora.loaders.spreadsheet import load_table, load_xlsx
from core.corpora.loaders.structured import load_json, load_jsonl, load_notebook
from core.corpora.loaders.web import load_html
from core.corpora.loaders.word import load_docx
from core.errors import DocumentError
from core.plugins import load as load_plugins

Loader = Callable[[str, bytes], list[Document]]


def _refuse_inner_archive(name: str, data: bytes) -> list[Document]:
    """Refuse an archive in an archive: only these get here, since others are unpacked where files are gathered."""
    raise DocumentError(
        f"“{name}” is an archive within an archive, which is not unpacked. Unpack it and add its files."
    )


LOADERS: dict[str, Loader] = {
    ".pdf": load_pdf,
    ".docx": load_docx,
    ".pptx": load_pptx,
    ".xlsx": load_xlsx,
    ".odt": load_odt,
    ".epub": load_epub,
    ".html": load_html,
    ".htm": load_html,
    ".md": load_markdown,
    ".markdown": load_markdown,
    ".txt": load_text,
    ".csv": load_table,
    ".tsv": load_table,
    ".json": load_json,
    ".jsonl": load_jsonl,
    ".ipynb": load_notebook,
    ".eml": load_eml,
    ".xml": load_xml,
    ".rss": load_xml,
    ".zip": _refuse_inner_archive,
}
"""File extension -> loader of this app."""


@cache
def plugins() -> Mapping[str, Loader]:
    """Return the loaders of other packages by file extension, as `.tex`: functions in the group
    `rag_loupe.loaders`, each under its extension."""
    return load_plugins("rag_loupe.loaders", FunctionType, LOADERS)


def extensions() -> list[str]:
    """Return the extensions of all files that can be read."""
    return [*LOADERS, *plugins()]


_SIGNATURES = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "a ZIP archive or an Office document",
    b"\xd0\xcf\x11\xe0": "an old or encrypted Office document",
    b"\x89PNG": "an image",
    b"GIF8": "an image",
    b"\xff\xd8\xff": "an image",
    b"\x1f\x8b": "a compressed archive",
    b"7z\xbc\xaf": "a compressed archive",
    b"Rar!": "a compressed archive",
    b"\x7fELF": "a program",
    b"MZ\x90": "a program",
    b"SQLite format 3": "a database",
}
_ZIP = b"PK\x03\x04"
_OWN_SIGNATURE = {".pdf": b"%PDF-"} | dict.fromkeys(
    (".docx", ".pptx", ".xlsx", ".odt", ".epub", ".zip"), _ZIP
)
_SAVE_AS = {
    **dict.fromkeys((".doc", ".dot", ".rtf", ".wpd", ".pages", ".docm"), "Save it as .docx or .odt"),
    **dict.fromkeys((".xls", ".xlsb", ".ods", ".numbers", ".xlsm"), "Save it as .xlsx or .csv"),
    **dict.fromkeys((".ppt", ".pps", ".odp", ".key", ".pptm"), "Save it as .pptx or .pdf"),
    **dict.fromkeys((".msg", ".pst", ".mbox"), "Save each message as .eml or .txt"),
    **dict.fromkeys((".mobi", ".azw", ".azw3", ".djvu", ".ps"), "Convert it to .epub or .pdf"),
    **dict.fromkeys(
        (".tar", ".gz", ".tgz", ".7z", ".rar", ".bz2", ".xz"), "Unpack it, or pack its files as .zip"
    ),
}
"""Known extensions that cannot be read -> advice."""


def load(name: str, data: bytes, max_mb: int) -> list[Document]:
    """Read a file into its documents: a single one, except for `corpus.jsonl` with one document per line.

    The ending of its name says how it is read; it may have `max_mb` megabytes (2**20 bytes).

    Raises:
        DocumentError: The file cannot be used; the message names it and says why.
    """
    extension = PurePath(name).suffix.lower()
    check_size(name, len(data), max_mb)
    loader = LOADERS.get(extension) or plugins().get(extension)
    if loader is None:
        kinds = ", ".join(extensions())
        if advice := _SAVE_AS.get(extension):
            raise DocumentError(f"“{name}”: {extension} files cannot be read. {advice} and try again.")
        raise DocumentError(f"“{name}” is of an unknown kind. Supported are {kinds}.")
    if not data.strip():
        raise DocumentError(f"“{name}” is empty.")
    _check_content(name, extension, data)
    try:
        documents = loader(name, data)
    except (DocumentError, MemoryError):
        raise
    except RecursionError as error:
        raise DocumentError(f"“{name}” is nested too deeply to be read; it may be damaged.") from error
    except Exception as error:  # damaged files make libraries raise anything; `parsing` logs it
        raise DocumentError(f"“{name}” cannot be read; it is damaged or not what its name says.") from error
    if not any(document.text.strip() for document in documents):
        raise DocumentError(f"“{name}” holds no text.")
    return documents


def check_size(name: str, size: int, max_mb: int) -> None:
    """Refuse a file of more than `max_mb` megabytes, before it is read where possible.

    Raises:
        DocumentError: It is too large.
    """
    if size > max_mb * 2**20:
        raise DocumentError(f"“{name}” has {size / 2**20:.1f} MB; at most {max_mb} MB are accepted.")


def _check_content(name: str, extension: str, data: bytes) -> None:
    own = _OWN_SIGNATURE.get(extension)
    # Some producers put a few bytes in front of a PDF's header; readers accept it within the first kilobyte.
    if own and (data.startswith(own) or (extension == ".pdf" and own in data[:1024])):
        return
    actual = next((kind for mark, kind in _SIGNATURES.items() if data.startswith(mark)), None)
    if actual:
        raise DocumentError(f"“{name}” is {actual}, not a {extension} file. Save it as one and try again.")
    if own:
        raise DocumentError(f"“{name}” is not a {extension} file, or it is damaged.")
