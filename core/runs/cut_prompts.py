"""Prompts of which the server seems to have read a part only."""

from __future__ import annotations

from core.runs.record import Call, Record
from core.wording import counted

LEAST_WORDS = 50
"""Shorter prompts fit any context window."""


def cut_prompts(record: Record) -> str:
    """What a run's server seems not to have read, and what to do, in two sentences; empty: nothing is wrong.

    Some servers silently cut off the beginning of a prompt that is longer than their context window (Ollama does), and
    say so only by the tokens that they counted: no tokenizer makes fewer tokens than there are words between blanks.
    """
    short = [call for call in record.calls if _words(call) > (call.usage.input or _words(call))]
    if not short:
        return ""
    worst = max(short, key=lambda call: _words(call) / (call.usage.input or 1))
    return (
        f"The server seems to have read less than was sent in {counted(len(short), 'call')} of {len(record.calls)}: "
        f"it counted {worst.usage.input:,} tokens for a prompt of {_words(worst):,} words. Its context window may be "
        "too small and cut off the beginning; set a larger one there (Ollama: OLLAMA_CONTEXT_LENGTH), or use fewer "
        "or smaller passages."
    )


def _words(call: Call) -> int:
    """Words of a prompt; 0 where nothing can be said, as of the built-in model, which refuses what is too long."""
    words = sum(len(message.content.split()) for message in call.messages)
    return 0 if call.builtin or words < LEAST_WORDS else words
