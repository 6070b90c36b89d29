"""Building a graph from a corpus, and making one entity of several names."""
