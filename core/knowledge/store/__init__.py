"""Graphs on the graph server: what there is, writing and reading, the guard before queries, files in and out."""
