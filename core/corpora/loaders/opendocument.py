"""ODT: paragraphs, headings and tables in reading order."""

from __future__ import annotations

import re

from lxml import etree

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.package import local_name, member_of, named, open_package, optional_part, parse_xml
from core.corpora.loaders.properties import properties
from core.errors import DocumentError

_CONTENT = "content.xml"
_LEFT_OUT = {
    "annotation",
    "tracked-changes",
    "sequence-decls",
    "scripts",
    "automatic-styles",
    "font-face-decls",
}
_MAX_SPACES = 100
_END = object()


def load_odt(name: str, data: bytes) -> list[Document]:
    """The text of an OpenDocument text. A table's rows become lines with ` | ` between the cells.

    Raises:
        DocumentError: It is damaged, another format, or protected by a password.
    """
    with open_package(name, data, _CONTENT, "an OpenDocument text (.odt)") as archive:
        members = set(archive.namelist())
        if b"text" not in (member_of(name, archive, "mimetype") if "mimetype" in members else b"text"):
            raise DocumentError(f"“{name}” is another OpenDocument format, not a text (.odt).")
        manifest = "META-INF/manifest.xml"
        if manifest in members and b"encryption-data" in member_of(name, archive, manifest):
            raise DocumentError(f"“{name}” is protected by a password. Save it without one and try again.")
        root = parse_xml(name, member_of(name, archive, _CONTENT))
        meta = optional_part(name, archive, "meta.xml")
    title = next((node.text or "" for node in named(meta, "title")), "")
    builder = TextBuilder()
    _add(builder, root)
    return [builder.build(name, data, title, properties(meta))]


def _add(builder: TextBuilder, root: etree._Element) -> None:
    line: list[str] = []
    tables = 0
    # A stack of our own instead of recursion: documents may be nested deeper than Python's limit.
    stack: list[object] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            line.append(node)
        elif isinstance(node, tuple):
            kind = node[1]
            tables -= kind == "table"
            if tables:
                line.append({"p": " ", "h": " ", "table-cell": " | ", "table-row": "\n"}.get(kind, ""))
            elif kind in {"p", "h", "table"}:
                text = "\n".join(re.sub(" {2,}", " ", row).strip(" |") for row in "".join(line).split("\n"))
                line.clear()
                (builder.heading if kind == "h" else builder.block)(text)
        elif isinstance(node, etree._Element):
            kind = local_name(node)
            if kind in _LEFT_OUT or not kind:
                continue
            tables += kind == "table"
            if kind == "s":
                count = next((value for key, value in node.attrib.items() if str(key).endswith("}c")), "1")
                line.append(" " * min(int(count), _MAX_SPACES))
            elif kind in {"tab", "line-break"}:
                line.append("\t" if kind == "tab" else " " if tables else "\n")
            stack.append((_END, kind))
            for child in reversed(node):
                if child.tail:
                    stack.append(_flat(child.tail))
                stack.append(child)
            if node.text:
                stack.append(_flat(node.text))


def _flat(text: str) -> str:
    """White space in the XML is one blank; the format has elements for any other."""
    words = " ".join(text.split())
    return (" " if text[0].isspace() else "") + words + (" " if words and text[-1].isspace() else "")
