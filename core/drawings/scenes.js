// The scenes of a replay as a bar, and what happens in the one that is shown. Keys press the page's own buttons, and the
// page follows what is new.
import { button, changed, element, recall } from "./parts.js"

const HAND_MS = 6000
const SETTLES_MS = 350
const TOP = 76
const FIELDS = "input, textarea, select, canvas, [contenteditable=''], [contenteditable='true']"
const MOVED_BY_ARROWS = "[role='slider'], [role='radiogroup'], [role='listbox'], [role='menu'], [role='tablist'], [role='grid'], [role='combobox']"
const PRESSED_BY_SPACE = "button, a, summary, [role='button'], [role='option'], [role='checkbox'], [role='switch']"
const KEYS = { ArrowLeft: "back", ArrowRight: "next", " ": "play" }
const SCROLLING = new Set(["PageUp", "PageDown", "Home", "End", "ArrowUp", "ArrowDown"])

// What has the focus, also within other drawings.
function focused() {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
  return node
}

function press(event) {
  const name = KEYS[event.key]
  if (!name || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const node = focused()
  const taken = name === "play" ? `${MOVED_BY_ARROWS}, ${PRESSED_BY_SPACE}` : MOVED_BY_ARROWS
  if (node?.closest(`${FIELDS}, ${taken}`) || document.querySelector("[role='dialog']")) return
  event.preventDefault() // the page does not scroll
  if (!event.repeat) document.querySelector(`.st-key-replay-${name} button:not(:disabled)`)?.click()
}

// What is new in a scene: the question at the beginning, the answer at the end, else the open step, or the last card.
function fresh(data) {
  const all = (selector) => [...document.querySelectorAll(selector)]
  if (data.now === 0 || data.now === data.titles.length - 1) return all(".st-key-run")[0]
  return (
    all(".st-key-stage")[0] ??
    all("[class*='st-key-steps-'] details[open]").at(-1) ??
    all("[class*='st-key-card-']").at(-1)
  )
}

function follow(state, data, dock) {
  // Of several runs each has something new elsewhere.
  if (data.said.length > 1 || Date.now() - state.hand < HAND_MS) return
  const main = document.querySelector("[data-testid='stMain']")
  const node = fresh(data)
  if (!main || !node) return
  const box = node.getBoundingClientRect()
  const bottom = dock.getBoundingClientRect().top
  if (box.top >= TOP && box.top + Math.min(box.height, (bottom - TOP) / 2) <= bottom) return
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches
  main.scrollBy({ top: box.top - TOP, behavior: still ? "auto" : "smooth" })
}

function bar(data, choose) {
  const node = element("div", `bar${data.playing ? " playing" : ""}`)
  node.setAttribute("role", "group")
  node.setAttribute("aria-label", "Scenes")
  data.titles.forEach((title, place) => {
    const one = button(place < data.now ? "gone" : place === data.now ? "now" : "", "")
    one.title = `${place + 1}. ${title}`
    one.setAttribute("aria-label", `Scene ${place + 1}: ${title}`)
    if (place === data.now) one.setAttribute("aria-current", "step")
    else one.tabIndex = -1 // the arrow keys lead there
    const line = one.appendChild(element("i"))
    line.append(element("b"))
    one.onclick = () => choose(place)
    node.append(one)
  })
  node.style.setProperty("--seconds", `${data.seconds}s`)
  return node
}

function told(data) {
  const node = element("div", data.said.length > 1 ? "said several" : "said")
  node.setAttribute("role", "status")
  for (const one of data.said) {
    node.append(element("p", "", one.mark ? element("span", "mark", one.mark) : null, element("span", "", one.text)))
  }
  return node
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.hand ??= 0
  state.choose = (place) => setTriggerValue("chosen", place)
  if (changed(state, data)) {
    root.replaceChildren(bar(data, (place) => state.choose(place)), told(data))
    if (state.now !== undefined && state.now !== data.now) {
      clearTimeout(state.timer)
      state.timer = setTimeout(() => follow(state, data, root), SETTLES_MS)
    }
    state.now = data.now
  }
  const moved = (event) => {
    if (!event.key || SCROLLING.has(event.key)) state.hand = Date.now()
  }
  const heard = [["keydown", press], ["keydown", moved], ["wheel", moved], ["touchmove", moved]]
  for (const [name, act] of heard) document.addEventListener(name, act, { passive: act !== press })
  return () => {
    for (const [name, act] of heard) document.removeEventListener(name, act)
  }
}
