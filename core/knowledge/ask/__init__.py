"""Asking a graph by query: templates with their values, and Cypher that a model writes."""
