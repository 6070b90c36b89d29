"""Putting sub-answers together by rule: what a question compares or leads through, and what follows from the facts.

No model is asked. English only, since the rules read words; a question that no rule knows is left to other methods.
"""
