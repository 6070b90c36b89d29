"""`python -m tests.scripted`: the server on its own."""

from tests.scripted.server import main

main()
