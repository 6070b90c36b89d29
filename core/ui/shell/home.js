// See core/ui/playground/page.py. On a page that is open, Streamlit follows neither the link to it nor its logo, and the
// button “Back” of the browser would bring the run back from the session.
const HERE = "[data-testid=stSidebarNavLink][aria-current=page], [data-testid=stSidebarLogo]"

export default function ({ setTriggerValue }) {
  const home = () => setTriggerValue("home", true)
  const click = (event) => {
    if (!event.target.closest?.(HERE) || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    if (innerWidth < 768) document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click()
    home()
  }
  const back = () => new URLSearchParams(location.search).has("run") || home()
  document.addEventListener("click", click, true)
  window.addEventListener("popstate", back)
  return () => {
    document.removeEventListener("click", click, true)
    window.removeEventListener("popstate", back)
  }
}
