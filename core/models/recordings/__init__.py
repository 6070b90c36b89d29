"""Recordings: replies of a chat model that are kept, and played without it.

A recording holds what a run took from outside: the replies of the model, the vectors of the queries and the rankings
that were found with them. It belongs to its owner, lies in the SQL database, and is handed on as one file.
"""
