"""Teaching the built-in model the tasks inside retrieval-augmented generation; never needed by the app."""
