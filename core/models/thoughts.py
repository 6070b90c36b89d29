"""Takes the answer out of a reply's text: without the thought in front of it, and the text behind the end of the turn.

The right place for a reasoning model's thought is a field of its own, and most servers put it there. Others leave it in
front of the answer, marked as the model was taught to mark it; some also lose the mark with which it begins. And some
leave the mark with which a model ends its turn, and what it goes on to write behind it.
"""

from __future__ import annotations

import re
from functools import cache

_OPENS = re.compile(r"<(think|thinking|thought|reasoning|seed:think)>|\[(THINK)\]|◁(think)▷", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")
_CHANNEL = "<|channel|>"
"""Begins each message of gpt-oss: a thought has the channel `analysis`, the answer `final`."""
_FINAL = f"{_CHANNEL}final"
_CALLS_TOOL = re.compile(r"(?:commentary|assistant) to=functions\.")
"""Begins its message to a tool."""
_PLAIN_CHANNELS = ("analysis", "assistantfinal")
"""The same, where a server leaves out the marks and keeps the names between them."""
_BEGINNINGS = (
    "<think>", "<thinking>", "<thought>", "<reasoning>", "<seed:think>", "[think]", "◁think▷",
    "<|start|>assistant", _CHANNEL,
)  # fmt: skip
_CLOSES = r"(?:</(?:think|thinking|thought|reasoning|seed:think)>|\[/THINK\]|◁/think▷)"
_CLOSES_AT_AN_EDGE = re.compile(
    rf"^{_CLOSES}(?![^\S\n])|(?<=[^\s`'\"“‘]){_CLOSES}[^\S\n]*$", re.IGNORECASE | re.MULTILINE
)
"""The end of a thought, at the beginning or the end of a line; within a line, the text speaks of the mark."""
_FENCE = "```"
_TURN_ENDS = re.compile(
    r"(?<![ \t`'\"“‘])"
    r"(?:<[|｜](?![^<>|｜]{0,30}tool)[^<>|｜\s]{0,30}(?:end|eo[tms]|return)[^<>|｜\s]{0,30}[|｜]>|</s>|<eos>|<end_of_turn>)"
    r"\s*+(?=$|[<\[])"
)
"""The mark with which a model's turn ends, if nothing comes behind it, or another mark: then it writes the next turn as
well. Behind a blank or a quotation mark, the text speaks of the mark."""
LONGEST_MARK = 32


def without_thought(text: str) -> str:
    """A reply, or the part of it that has arrived, without the thought in front of it.

    What stands elsewhere belongs to the answer: it may speak of such marks. A thought that does not end is all there
    is.
    """
    shown = text.lstrip("\ufeff \t\r\n")
    if not shown or any(mark.startswith(shown.casefold()) for mark in _BEGINNINGS):
        return "" if shown else text
    if shown.startswith((_CHANNEL, "<|start|>")) or f"<|start|>assistant{_FINAL}" in shown:
        return _final(shown)
    opens, closes = _PLAIN_CHANNELS
    if shown.startswith(opens) and closes in shown:
        return shown.partition(closes)[2].lstrip()
    after = 0
    while opening := _OPENS.match(shown, after):
        after = _after_blanks(shown, _end_of(shown, opening))
    shown = shown[after:]
    if end := _end_of_the_rest(shown):
        return shown[end:].lstrip()
    return shown if after else text


def turn(text: str) -> str:
    """A reply up to the mark that ends the model's turn, which a server should take away."""
    end = _TURN_ENDS.search(text)
    if end is None or text.count(_FENCE, 0, end.start()) % 2 or "<s>" in text[: end.start()]:
        return text
    return text[: end.start()].rstrip()


def certain(text: str) -> str:
    """The beginning of a reply that is under way, without an end that may become a mark with the next piece."""
    text = text.rstrip()
    start = text.rfind("<", max(0, len(text) - LONGEST_MARK))
    return text if start < 0 or " " in text[start:] else text[:start].rstrip()


def _end_of_the_rest(text: str) -> int:
    """The end of a thought whose beginning was lost, or which names the mark of its end before that; 0: nowhere."""
    closing = _CLOSES_AT_AN_EDGE.search(text)
    if not closing or not text[closing.end() :].strip():
        return 0
    spoken_of = _OPENS.search(text, 0, closing.start()) or text.count(_FENCE, 0, closing.start()) % 2
    return 0 if spoken_of else closing.end()


def _end_of(text: str, opening: re.Match[str]) -> int:
    """The end of a thought; thoughts may lie within it."""
    mark = opening.group().casefold()
    depth, last = 0, len(text)
    for match in _pair(mark, next(filter(None, opening.groups())).casefold()).finditer(text, opening.start()):
        if match.group().casefold() == mark:
            depth += 1
            continue
        depth, last = depth - 1, match.end()
        if depth == 0:
            break
    return last  # a thought that names its own mark opens more than it closes


def _after_blanks(text: str, place: int) -> int:
    blanks = _BLANKS.match(text, place)
    return blanks.end() if blanks else place


@cache
def _pair(mark: str, name: str) -> re.Pattern[str]:
    return re.compile(f"{re.escape(mark)}|{re.escape(mark.replace(name, f'/{name}'))}", re.IGNORECASE)


def _final(text: str) -> str:
    """The answer among the messages of gpt-oss, else those to tools; empty as long as there is neither."""
    if _FINAL in text:
        return text[text.rfind(_FINAL) :].partition("<|message|>")[2]
    call = _CALLS_TOOL.search(text)
    return text[call.start() :] if call else ""
