"""Knowledge graphs: triples and hypernodes, the store over Bolt, the guard in front of it."""
