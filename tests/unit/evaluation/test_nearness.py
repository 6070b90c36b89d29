"""What a reader should look at: answers that may be right by their words, and only these."""

from __future__ import annotations

from core.evaluation.answers import Verdict, verdict
from core.trace.artefacts import Answer
from tests.cases import cases


@cases(
    ("short", "gold", "question", "found"),
    [
        ("Halloran", "Ines Halloran", "Who designed it?", "unclear"),
        ("Ines Halloran", "Dr. Ines Halloran", "Who designed it?", "right"),
        ("Tomas Reed", "Ines Halloran", "Who designed it?", "wrong"),
        ("It was Tomas Halloran", "Ines Halloran", "Who designed it?", "wrong"),
        ("Ines Reed", "Ines Halloran", "Who designed it?", "wrong"),
        ("Dr I. Halloran", "Ines Halloran", "Who designed it?", "unclear"),
        ("Not Ines Halloran", "Ines Halloran", "Who designed it?", "unclear"),
        ("Corso, Aren and Bell", "Aren, Bell and Corso", "Which towns voted?", "right"),
        ("Corso, Aren and Bell", "Aren, Bell and Corso", "In which order did the towns vote?", "unclear"),
        ("Aren", "Aren, Bell and Corso", "Which towns voted?", "unclear"),
        ("Harbourmaster", "the harbour master", "Who keeps it?", "right"),
        ("the harbor master", "harbour master", "Who keeps it?", "unclear"),
        ("a seal", "seals", "What was hunted?", "right"),
        ("1931", "14 March 1931", "When did it sink?", "unclear"),
        ("3/4/1874", "4 March 1874", "When was it granted?", "unclear"),
        ("4 April 1874", "4 March 1874", "When was it granted?", "wrong"),
        ("from 1931 until he died in 1954", "1931 to 1954", "When was he mayor?", "unclear"),
        ("641", "642 metres", "How high is it?", "wrong"),
        ("642 feet", "642 metres", "How high is it?", "wrong"),
        ("both from Aren", "yes", "Are both from Aren?", "unclear"),
        ("no", "yes", "Are both from Aren?", "wrong"),
        (
            "the town of Bell",
            "the town of Aren",
            "Which town is it?",
            "wrong",
        ),  # shares words of the question only
        ("배의 선장", "선장", "누구입니까?", "right"),
        ("항해사", "선장", "누구입니까?", "wrong"),
    ],
)
def test_who_decides(short: str, gold: str, question: str, found: Verdict) -> None:
    assert verdict(Answer(text=short, short=short), [gold], question) == found
