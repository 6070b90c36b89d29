"""Exploring a graph: its names as vectors, chains of relations, and what is around a node."""
