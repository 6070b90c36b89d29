"""The sources of runs in one process: corpora and graphs, and the jobs that fill them."""
