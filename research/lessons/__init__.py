"""What lessons teach: questions that measure it, which were written without the lessons. Read `questions.py` first."""
