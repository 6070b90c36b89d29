"""Knowledge graphs: their triples, the store that keeps them, and how they are explored, built and asked."""
