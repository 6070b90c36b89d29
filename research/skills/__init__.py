"""Is each skill's built-in method any good? Methods scored on labelled data; see README.md here."""
