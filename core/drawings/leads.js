// Draws nothing: tells the server of a click on a link in a text of the run that it stands in, see `core.ui.run.citations`.
import { recall } from "./parts.js"

const OPENS = "#open-"

export default function ({ parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.tell = setTriggerValue // that of the part of the page that drew it last
  if (!state.listener) {
    state.listener = new AbortController()
    const follow = (event) => {
      const link = event.target.closest?.(`a[href^="${OPENS}"]`)
      if (!link || !parentElement.host?.closest(".st-key-run")?.contains(link)) return
      event.preventDefault()
      event.stopPropagation()
      state.tell("link", link.getAttribute("href").slice(OPENS.length))
    }
    document.addEventListener("click", follow, { capture: true, signal: state.listener.signal })
  }
  return () => {
    state.listener.abort()
    state.listener = null
  }
}
