"""Short answers by rule: what a question asks for, the spans of a sentence that could be it, and how likely each is."""
