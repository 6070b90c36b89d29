"""What runs draw on, as one process works with it: corpora and graphs, and the jobs that fill them."""
