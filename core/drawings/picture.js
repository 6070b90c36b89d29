// What the pictures of strategies share.
import { changed, element, recall, resized, shape } from "./parts.js"

const GLIDE = { duration: 200, easing: "ease-in-out" }
export const STAR = "★"

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches
// A name in two parts: the end, from its year or its place in the document on, is never cut off.
export function parted(name) {
  const at = name.search(/(?<=\s)\d{4}\b(?= ·|$)| · /)
  return at > 0 ? [name.slice(0, at).trimEnd(), name.slice(at).replace(/^ · /, "· ")] : [name, ""]
}

export const called = (one) => (one.card.starred ? `${STAR} ${one.name}` : one.name)

// Changes what is on the page by `act`: items that stand elsewhere afterwards glide there, new ones appear; `follow` is
// called for every frame of it. `all` gives the items, before and after.
export function glide(all, act, follow) {
  const height = (item) => item.getBoundingClientRect().top - item.parentElement.getBoundingClientRect().top
  const before = new Map([...all()].filter((item) => item.isConnected && !item.hidden).map((item) => [item, height(item)]))
  for (const item of before.keys()) for (const animation of item.getAnimations()) animation.cancel()
  act()
  if (still() || !before.size) return
  const moving = []
  for (const item of all()) {
    if (item.hidden || !item.isConnected) continue
    const moved = before.has(item) ? before.get(item) - height(item) : 0
    if (moved) moving.push(item.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], GLIDE))
    else if (!before.has(item)) moving.push(item.animate([{ opacity: 0 }, { opacity: 1 }], GLIDE))
  }
  const on = () => {
    follow()
    if (moving.some((animation) => animation.playState === "running")) requestAnimationFrame(on)
  }
  if (moving.length) on()
}

// A curve from the right side of one box to the left side of another.
export function curve(from, to, zero) {
  const [x, y] = [from.right - zero.left, from.top + from.height / 2 - zero.top]
  const [u, v] = [to.left - zero.left, to.top + to.height / 2 - zero.top]
  return `M ${x} ${y} C ${(x + u) / 2} ${y}, ${(x + u) / 2} ${v}, ${u} ${v}`
}

// Arrow keys lead up and down a column of nodes, and to what stands nearest in the one beside, unless `line` knows better.
export function arrows(event, columns, at, line = () => undefined) {
  const place = columns.findIndex((nodes) => nodes.includes(at))
  const own = columns[place] ?? []
  const row = own.indexOf(at)
  const middle = (node) => node.getBoundingClientRect().top + node.offsetHeight / 2
  const beside = (way) => {
    const next = columns[place + way] ?? []
    return line(place, way) ?? [...next].sort((one, other) => Math.abs(middle(one) - middle(at)) - Math.abs(middle(other) - middle(at)))[0]
  }
  const found = {
    ArrowUp: () => own[row - 1],
    ArrowDown: () => own[row + 1],
    ArrowLeft: () => beside(-1),
    ArrowRight: () => beside(1),
    Home: () => own[0],
    End: () => own.at(-1),
  }[event.key]
  if (!found) return
  event.preventDefault()
  found()?.focus()
}

// Calls `act` when a node is under the pointer or in focus, and when it no longer is.
export function points(node, act) {
  node.onpointerenter = node.onfocus = () => act(true)
  node.onpointerleave = node.onblur = () => act(false)
}

// What is under the pointer or in focus is lit, and a click chooses it; a second click lets it go. `none` is the key of nothing.
export function selects(node, state, key, none, dress) {
  points(node, (on) => {
    state.lit = on ? key : none
    if (node.matches(":focus")) state.at = key
    dress(state)
  })
  node.onclick = () => {
    state.chosen = state.chosen === key ? none : key
    dress(state)
  }
}

// The facts of a picture as text, for who cannot see it.
function aloud(lead, lines) {
  return element("div", "aloud", element("p", "", lead), element("ol", "", ...lines.map((line) => element("li", "", line))))
}

// The tip of an arrow, for `marker-end: url(#tip)`.
export function tip() {
  const node = shape("defs")
  const marker = shape("marker", { id: "tip", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" })
  marker.append(shape("path", { d: "M 0 0 L 8 4 L 0 8 z", class: "tip" }))
  node.append(marker)
  return node
}

// The frame of a picture: what is pointed at in words, the map with the lines behind it, what was chosen, and the facts as
// text. `label` says what is on the map and how keys lead through it.
export function framed(root, state, label, ...content) {
  state.root = root
  state.says = element("div", "says")
  state.svg = shape("svg", { "aria-hidden": true })
  state.tips = tip()
  state.map = element("div", "map")
  state.map.setAttribute("role", "group")
  state.map.setAttribute("aria-label", label)
  state.map.append(state.svg, ...content)
  state.text = element("div", "text")
  state.read = null
  state.aloud = element("div")
  root.replaceChildren(state.says, state.map, state.text, state.aloud)
}

// Says what is pointed at, or what the whole comes to.
export function says(state, lead, text) {
  state.says.replaceChildren(element("b", "", lead), element("span", "", text))
}

export function tell(state, lead, lines) {
  const told = aloud(lead, lines)
  state.aloud.replaceWith(told)
  state.aloud = told
}

// Shows what was chosen, anew only where it is something else: what the reader has opened there stays.
export function reads(state, chosen, nodes) {
  const drawn = JSON.stringify(chosen ?? "")
  if (state.read !== drawn) state.text.replaceChildren(...(chosen ? nodes(chosen) : []))
  state.read = drawn
}

// A picture: `put(root, data, state)` puts other data on the page, `dress` and `lines` follow whenever its size changes.
export const picture = (put, dress, lines, wide) => ({ data, parentElement }) => {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  root.style.setProperty("--colour", data.colour ?? "")
  if (changed(state, data)) put(root, data, state)
  return settled(state, wide(data), () => {
    dress(state)
    lines(state)
  })
}

// Dresses and draws lines, now and whenever the picture has another size; `wide` is the least width that is not narrow.
export function settled(state, wide, act) {
  const settle = () => {
    state.root.classList.toggle("narrow", state.root.clientWidth < wide)
    act()
  }
  settle()
  return resized(state, [state.map], settle)
}
