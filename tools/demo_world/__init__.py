"""Makes what the demo world ships besides its texts: documents, their parsed form, vectors, a data set for Evaluate.

    python -m tools.demo_world

Everything follows from the files in `data/demo_world` alone; nothing depends on the clock, so that making it twice
gives the same bytes.
"""
