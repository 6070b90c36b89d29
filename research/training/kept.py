"""Which questions and records the built-in model is never trained on."""

from __future__ import annotations

import hashlib

EVERY_RECORD = 10
"""Of the hand-written records, one of so many is kept out."""
EVERY_QUESTION = 5
"""Of the questions and claims of public sets, one of so many."""


def kept_out(data: str, id: str) -> bool:
    """Whether a question or record of a data set is kept out of training, so that it may be scored.

    What a model was trained on says nothing about what it has learnt. The split follows from the id alone: training and
    scoring agree on it without a list that could go out of date, and records that are added later move no other.

    Args:
        data: Name of the data set; one that is used in several ways may have the way after a colon, as in
            `ragtasks:claims`. Those that nothing is trained on are kept out as a whole.
        id: Of the question or record.
    """
    name = data.partition(":")[0]
    if name == "ragtasks":  # numbered within each domain, so every domain is kept out in the same share
        return int(id.rpartition("-")[2]) % EVERY_RECORD == 0
    if name == "scifact" or name.startswith("2wiki"):  # in no order that could be counted on: by chance
        digest = hashlib.sha1(id.encode(), usedforsecurity=False).hexdigest()
        return int(digest, 16) % EVERY_QUESTION == 0
    return True
