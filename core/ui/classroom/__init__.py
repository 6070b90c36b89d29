"""The page Class, and the ways to it from other pages."""
