"""Questions that measure the lessons, written without sight of them. Read `questions.py` first."""
