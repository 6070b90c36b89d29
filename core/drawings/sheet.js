// The sheet of a drawing for a projector: head, body and foot, as high as the window, with keys that turn its pages.
import { button, element, fit } from "./parts.js"

export const NEXT = { " ": 1, ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }

// A button of the sheet. After a click of the mouse Space turns the page; it does not press the same button again.
export function control({ root }, name, title, act, text = "") {
  const node = button(name, text)
  node.title = title
  node.onclick = (event) => {
    act()
    if (event.detail) root.focus({ preventScroll: true })
  }
  return node
}

// Lays the sheet out, with tools in its head and more in its foot; `turn` goes on by a number of pages.
export function frame(state, turn, [back, next], tools, ...more) {
  const { root } = state
  state.place = element("span", "place")
  state.bar = element("div", "bar")
  state.bar.setAttribute("aria-hidden", "true")
  state.body = element("div", "body")
  state.body.setAttribute("aria-live", "polite")
  state.hint = element("span", "hint")
  state.back = control(state, "back", back, () => turn(state, -1), "◀ Back")
  state.next = control(state, "next", next, () => turn(state, 1))
  state.full = control(state, "full", "The whole screen; Escape leaves it", () =>
    root.matches(":fullscreen") ? document.exitFullscreen() : root.requestFullscreen(),
  )
  state.full.hidden = !document.fullscreenEnabled
  const head = element("div", "head", state.place, state.bar, ...tools, state.full)
  root.replaceChildren(element("div", "sheet", head, state.body, element("div", "foot", state.back, state.hint, ...more, state.next)))
  root.tabIndex = -1
}

// The share of pages that are done, and what the button for the whole screen does now.
export function dressed({ bar, full, root }, done) {
  bar.style.setProperty("--done", done)
  full.textContent = root.matches(":fullscreen") ? "Leave full screen" : "Full screen"
}

// A key counts where nothing else waits for it: in the drawing, or on the page around.
function counts({ root }, event) {
  const [target] = event.composedPath()
  const waits = ["A", "BUTTON", "SUMMARY"].includes(target.tagName) && [" ", "Enter"].includes(event.key)
  if (event.ctrlKey || event.metaKey || event.altKey || waits) return false
  return event.composedPath().includes(root) || Boolean(target.contains?.(root.getRootNode().host))
}

// Follows keys and the window until `state.keys` is aborted; `pressed` returns true for a key that meant something.
export function follow(state, pressed, settle) {
  const { root } = state
  state.keys = new AbortController()
  const { signal } = state.keys
  const heard = (event) => {
    if (!counts(state, event) || !pressed(state, event)) return
    event.preventDefault()
    event.stopPropagation()
  }
  // On the way down, before the page's own shortcuts.
  window.addEventListener("keydown", heard, { capture: true, signal })
  const again = () => {
    fit(root)
    settle(state)
  }
  window.addEventListener("resize", again, { signal })
  document.addEventListener("fullscreenchange", again, { signal })
  fit(root)
  requestAnimationFrame(() => fit(root))
  root.focus({ preventScroll: true })
}
