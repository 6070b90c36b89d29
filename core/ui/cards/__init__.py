"""Cards of artefacts, drawn with Streamlit. A `key` is unique on the page and stable between redraws."""
