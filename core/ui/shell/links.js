// See `core.ui.run.citations.follow_links`: a link in a text of the run opens something on this page, which the server draws.
const OPENS = "#open-"

export default function ({ parentElement, setTriggerValue }) {
  const run = (parentElement.host ?? parentElement).closest(".st-key-run")
  const follow = (event) => {
    const target = event.target.closest?.("a")?.getAttribute("href") ?? ""
    if (!target.startsWith(OPENS)) return
    event.preventDefault()
    event.stopPropagation()
    setTriggerValue("link", target.slice(OPENS.length))
  }
  run?.addEventListener("click", follow, true)
  return () => run?.removeEventListener("click", follow, true)
}
