"""Judging strategies by labelled questions: data sets, runs, metrics, statistics."""
