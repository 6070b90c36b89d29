"""The frame of a prompt: what the model is told to do, and the material that it works on, which gives no orders.

Instructions stand in the system message, material in the user message between tags that no text in it can close or
open (Hines et al. 2024, "Defending Against Indirect Prompt Injection Attacks With Spotlighting", arXiv 2403.14720:
delimiting); the rule is said again behind it, since small models obey what they read last.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.corpora.look_alikes import as_latin
from core.trace.artefacts import Answer, Pair, SubAnswer
from core.trace.passages import Passage

_TAG_NAMES = (
    "after answer answers before candidates chunk document documents draft examples failed found general graph "
    "nodes pair passage passages path plan question reasoning relations schema searched sources step "
    "text title triple triples unsupported"
)
TAGS = tuple(_TAG_NAMES.split())
"""Names of the tags that prompts put round their material."""

NOTHING = "(nothing)"
"""What stands between tags that would be empty."""
THE_QUESTION = "(the question itself)"
"""Stands for what was searched with, where that was the question."""
UNSURE = "(suggested, not stated)"
"""What stands before an answer that its sources only suggest."""
PARTIAL = "(incomplete)"
"""What stands before an answer of which its sources hold only a part."""
NOT_FOUND = "(no answer was found)"
"""The answer of a question that has none."""

_TAG = re.compile(rf"[<＜](?=\s*(?:[/／]\s*)?(?:{'|'.join(TAGS)})\b)", re.IGNORECASE)
_TURN = re.compile(
    r"<(?=[|｜])|(?<=[|｜])>"  # <|im_start|>, <｜User｜>, <|channel|>
    r"|<(?=/?(?:s|bos|eos|pad|unk|sop|eop|think|(?:start|end)_of_(?:turn|image)|begin_of_text|end_of_text|endoftext"
    r"|tools?|tool_(?:calls?|responses?|results?|list|declare)|function(?:_calls?|_results?|_response)?)>)"
    r"|<(?=</?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_(?:CALLS|RESULTS|CONTENT)|THINK|ARGS|CALL_ID|gMASK|sMASK"
    r"|BOS|EOS)\])"
)
"""Marks by which the chat templates of many models tell turns and tools apart; some servers take them for such in any
text."""
_OPENS = re.compile(r"[<>＜＞﹤﹥\[［]")
_MARK = re.compile(r"\[(\s*[\d?+][\d\s,–-]*)\]")
"""What would read as a citation, or as the mark of an answer."""


class Framed(str):
    """Text that can stand in a prompt unchanged: all text of others in it is shielded."""

    __slots__ = ()


def shielded(text: object) -> Framed:
    """A text that can neither close nor open a tag of a prompt, nor end its turn."""
    if isinstance(text, Framed):
        return text
    text = str(text)
    if not _OPENS.search(text):
        return Framed(text)
    # A model reads a tag also where it is written with letters that look alike, or with some that cannot be seen.
    plain, places = as_latin(text)
    shown = list(text)
    for pattern in (_TAG, _TURN):
        for match in pattern.finditer(plain):
            shown[places[match.start()]] = "‹"
    return Framed("".join(shown))


def unmarked(text: str) -> str:
    """A text whose own marks, such as “[3]”, cannot be taken for citations of the numbered passages: “(3)”."""
    return _MARK.sub(lambda mark: f"({mark[1].strip()})", text)


def framed_passages(passages: Sequence[Passage], first: int = 1) -> Framed:
    """Passages as a model reads them, each between tags with its number, counted from `first`."""
    return Framed(
        "\n".join(
            f'<passage number="{number}">\n{framed_passage(passage)}\n</passage>'
            for number, passage in enumerate(passages, first)
        )
        or NOTHING
    )


def framed_passage(passage: Passage) -> Framed:
    """A passage as a model reads it: its title on the first line, unless its text begins with it, and its text."""
    return Framed(f"{title_line(passage)}{shielded(unmarked(passage.text))}")


def title_line(passage: Passage) -> Framed:
    """The line with the title of a passage; nothing where its text begins with it."""
    first, _, _ = passage.text.lstrip().partition("\n")
    again = _plain(first) == _plain(passage.title)
    return Framed("" if again else f"{framed_line(unmarked(passage.title))}\n")


def _plain(line: str) -> str:
    """A line without the marks of a heading."""
    return " ".join(line.strip("#*_= \t").casefold().split())


def framed_pairs(pairs: Sequence[Pair]) -> Framed:
    """Questions and answers as a model reads them; `#1` in a later question is the answer of the first."""
    return Framed(
        "\n".join(
            f'<pair number="{number}">\n<question>{framed_line(pair.question)}</question>\n'
            f"<answer>{shielded(pair.answer or NOT_FOUND)}</answer>\n</pair>"
            for number, pair in enumerate(pairs, 1)
        )
        or NOTHING
    )


def standing(answer: Answer | SubAnswer) -> str:
    """The words put before an answer that is only suggested, or incomplete; empty: it is neither."""
    marks = ((UNSURE, answer.suggested), (PARTIAL, answer.incomplete))
    return "".join(f"{words} " for words, holds in marks if holds)


def framed_lines(lines: Sequence[str]) -> Framed:
    """Short texts as a model reads them, each on its own line."""
    return Framed("\n".join(f"- {framed_line(line)}" for line in lines) or NOTHING)


def framed_line(text: str) -> Framed:
    """A short text on one line."""
    return shielded(" ".join(text.split()))
