"""Reading aids: one sentence or two that tell how to read a drawing, the same on the page and in a report."""

from __future__ import annotations

AIDS = {
    "union": "Numbers are ranks: 1 is the best hit of that query, an empty cell means not found. "
    "Choose a row to read its passage.",
    "fusion": "A cell holds the rank in one list and, below it, what that adds: 1 / (k + rank). The largest sum comes "
    "first. First row: {example}. Choose a row to read its passage.",
    "bump": "Follow a line from left to right: its height is the rank in each list, its end the fused rank. "
    "The first {first} are in colour.",
    "chain": "From top to bottom. A line on the left joins sub-questions that knew the answers before them; one on "
    "the right starts at each sub-answer whose passages the answer cites. Choose a passage to read it.",
    "references": "#1 stands for the answer to the first question, #2 for the second.",
    "step_back": "Best passage first on each side. A line joins a passage that both questions found.",
    "support": "● much like a retrieved sentence, ◐ somewhat, ○ like none. Marked words are names and numbers that no "
    "retrieved passage holds. Choose a sentence to see the nearest one.",
    "moves": "Left what the question alone finds, right what HyDE finds; a line leads from a passage to itself. "
    "Choose one to read it.",
    "thought": "Each sentence is the next search. A square is a paragraph: filled where the sentence brought it in, "
    "pale where it was there before.",
    "laps": "A row per search, and one more each time an answer is written again. ✓ and ✗ are verdicts; the last line "
    "of a row says what they led to. A draft opens on a click.",
    "candidates": "Best first, by {score}. A tick is what the step goes on with; the rest is grey. "
    "An arrow to the left is a relation that is followed backwards.",
    "decisions": "Read it from the top: each question goes to a tool with these arguments, and this came back. "
    "A filled mark says that the final answer cites it; rows, queries and passages are one click away.",
    "timeline": "Bars above one another ran at the same time; a bar that begins where another ends waited for it.",
}
