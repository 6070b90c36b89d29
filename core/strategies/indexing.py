"""Indexing: no strategy, but what all of them search was made by it; here is what its lesson's exercise asks for."""

from __future__ import annotations

from core.strategies.exercises import Options, Outcome


def exercise(_: Options) -> Outcome:
    """Seventy sentences of ten tokens each, cut by the code that cuts documents."""
    from core.corpora.documents import Document
    from core.corpora.splitting import Splitter
    from core.models.builtin_embeddings import builtin_tokenizer
    from core.models.embeddings import BUILTIN_MAX_TOKENS

    tokenizer, most = builtin_tokenizer(), BUILTIN_MAX_TOKENS
    sentence, length = "The sky is blue and so is the sea. ", 10
    document = Document(id="document", name="document", title="", text=sentence * 70)

    def cut(size: int) -> list[tuple[int, int]]:
        """The first and the last token of each chunk."""
        chunks = Splitter(tokenizer, 2 * size, size, 50).split(document)
        ends = ((chunk.start // len(sentence), -(-chunk.end // len(sentence))) for chunk in chunks)
        return [(start * length + 1, end * length) for start, end in ends]

    working = [f"Chunk {number}: tokens {start} to {end}" for number, (start, end) in enumerate(cut(300), 1)]
    other = f"With {most} tokens, the most with the built-in embeddings, there are {len(cut(most))}"
    return Outcome(str(len(working)), (*working, other))
