"""A loader for reStructuredText: a line above a ruler is a heading, all else is kept as it is written."""

from core.corpora.documents import Document, TextBuilder
from core.corpora.loaders.decoding import decode

RULERS = frozenset("=-~^")


def load_rst(name: str, data: bytes) -> list[Document]:
    """The text of a file; its title is its first heading."""
    builder, title = TextBuilder(), ""
    for block in decode(name, data).split("\n\n"):
        line, _, ruler = block.strip().partition("\n")
        if len(ruler) >= len(line) > 0 and len(set(ruler)) == 1 and RULERS.issuperset(ruler):
            builder.heading(line)
            title = title or line
        else:
            builder.block(block)
    return [builder.build(name, data, title)]
