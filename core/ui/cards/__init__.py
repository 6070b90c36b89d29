"""Cards of artefacts, drawn with Streamlit."""
