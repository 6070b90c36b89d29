// Draws what a component was called with last. While the script of a component is still loading, Streamlit may hold
// several calls of one place, and browsers let them go on in any order: what is older could be drawn over what is newer.
// A call that another has taken the place of is taken back as soon as it returns, so each waits for that.
export default function (call) {
  let end
  const timer = setTimeout(() => {
    end = draw(call)
  })
  return () => {
    clearTimeout(timer)
    end?.()
  }
}
