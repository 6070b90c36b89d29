// Draws what a component was called with last.
// Fault (Streamlit 1.67): while the script of a component is still loading, several calls of one place are held, and
// browsers let them go on in any order: what is older could be drawn over what is newer. A call that another has taken
// the place of is taken back as soon as it returns, so each waits for that.
// Needed as long as tests/browser/test_drawing_calls.py::test_what_came_last_is_drawn_though_the_script_loads_late passes.
export default (draw) => (call) => {
  let end
  const timer = setTimeout(() => {
    end = draw(call)
  })
  return () => {
    clearTimeout(timer)
    end?.()
  }
}
