"""How an evaluation was measured: everything that is needed to do it again."""

from __future__ import annotations

import streamlit as st

from core.charts.evaluation_measured import facts, settings_rows
from core.ui.evaluate.found import Found
from core.ui.shell.safe import code, literal


def draw_measured(found: Found) -> None:
    """Seeds, settings, models and versions, folded."""
    with st.expander("How this was measured", icon=":material/science:", key="evaluation-measured"):
        st.markdown(
            "  \n".join(f"**{literal(name)}:** {literal(value)}" for name, value in facts(found.evaluation))
        )
        # Cells of a data frame are drawn as text, so nothing needs escaping here.
        st.dataframe(
            settings_rows(found.evaluation),
            hide_index=True,
            key=f"settings-{found.evaluation.id}",
            alt="Settings",
        )
        st.markdown(
            f"Go on with it, or see it again: {code(f'python -m core evaluate --continue {found.evaluation.id}')}"
        )
