"""Views of artefacts and runs, as plain data: pure functions, no Streamlit, no HTML."""
