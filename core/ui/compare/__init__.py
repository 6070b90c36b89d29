"""The page Compare: one question, several strategies side by side."""
