"""What is shown of each kind of artefact and of a run: pure functions, no Streamlit, no HTML."""
