// Pieces that the drawings share. Text reaches the page through textContent alone, so nothing
// in it is ever interpreted.
export const SVG = "http://www.w3.org/2000/svg"

// A node of HTML; `content` is nodes and texts, of which empty ones are left out.
export function element(tag, name, ...content) {
  const node = document.createElement(tag)
  if (name) node.className = name
  node.append(...content.filter((one) => (one ?? "") !== ""))
  return node
}

// A number with its noun: “1 passage”, “2 passages”.
export const counted = (count, name, many = `${name}s`) => `${count} ${count === 1 ? name : many}`

export function shape(tag, attributes = {}) {
  const node = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value))
  return node
}

export const button = (name, ...content) => Object.assign(element("button", name, ...content), { type: "button" })

// The place of a drawing in a tree of its own, so that its style does not reach others.
export function apart({ css }) {
  const place = element("div", "drawing")
  const inside = place.attachShadow({ mode: "open" })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  inside.adoptedStyleSheets = [sheet]
  inside.append(element("div", "root"))
  return place
}

// What a drawing remembers between two redraws: what the reader has opened, and what is on the page.
export const states = new WeakMap()
export function recall(root) {
  if (!states.has(root)) states.set(root, { open: new Set(), drawn: "" })
  return states.get(root)
}

// Whether something else is to be drawn than is on the page; what stays the same is left alone.
export function changed(state, data) {
  const drawn = JSON.stringify(data)
  if (drawn === state.drawn) return false
  state.drawn = drawn
  return true
}

// A drawing that is made anew by `draw(root, data, state)` whenever its data is other than before.
export const drawing = (draw) => ({ data, parentElement }) => {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  if (changed(state, data)) draw(root, data, state)
}

// Calls `act` when one of the nodes has changed its size, until the next call for this drawing. Returns what ends it.
export function resized(state, nodes, act) {
  state.observer?.disconnect()
  state.observer = new ResizeObserver(act)
  for (const node of nodes) state.observer.observe(node)
  return () => state.observer.disconnect()
}

export function toggle(open, key) {
  if (!open.delete(key)) open.add(key)
}

// A click on the head shows or hides the body; it stays so when it is drawn again.
export function opens(head, body, open, key) {
  const dress = () => {
    body.hidden = !open.has(key)
    head.setAttribute("aria-expanded", String(!body.hidden))
  }
  head.onclick = () => {
    toggle(open, key)
    dress()
  }
  dress()
}

// A fold of the page's own kind that stays as the reader left it when it is drawn again.
export function fold(name, title, open, key, ...content) {
  const node = element("details", name, element("summary", "", title), ...content)
  node.open = open.has(key)
  node.ontoggle = () => (node.open ? open.add(key) : open.delete(key))
  return node
}

// A button that shows all of what is cut, and cuts it again: then `node` is of the class `all`. See `measured`.
export function more(node, open, key, cut = node) {
  const made = Object.assign(button("more"), { node, cut })
  const dress = () => {
    node.classList.toggle("all", open.has(key))
    made.textContent = open.has(key) ? "Less" : "More"
    made.setAttribute("aria-expanded", String(open.has(key)))
  }
  made.hidden = true
  made.onclick = () => {
    toggle(open, key)
    dress()
  }
  dress()
  return made
}

// Once all of it has its place: only where something is cut there is more to be shown.
export function measured(root) {
  for (const one of root.querySelectorAll("button.more")) {
    one.hidden = !one.node.classList.contains("all") && one.cut.scrollHeight <= one.cut.clientHeight + 4
  }
}

// The text of a passage with what is marked in it.
export function fill(node, pieces) {
  for (const piece of pieces) {
    const quiet = [piece.around ? "around" : "", piece.match ? "match" : ""].filter(Boolean).join(" ")
    const plain = quiet ? element("span", quiet, piece.text) : piece.text
    node.append(piece.marked ? element("mark", "", piece.text) : plain)
  }
  return node
}

// A passage's text of which some is left out while its card is folded, see `core.cards.passages.Piece`.
export function foldable(node, pieces) {
  for (const piece of pieces) {
    if (piece.instead) node.append(element("span", "instead", piece.instead))
    fill(piece.early ? node.appendChild(element("span", "early")) : node, [piece])
  }
  return node
}

// Where a passage is from and its whole text.
export function words(card) {
  return element("div", "words", element("span", "where", card.where), fill(element("p"), card.pieces))
}

// The evidence that a run missed, and where it was lost, see `core.cards.outcome.Missed`.
export function lost(pieces) {
  const node = element("div", "lost")
  for (const { fate, card } of pieces) node.append(element("p", "title", `☆ ${card.title}`), element("p", "fate", fate), words(card))
  return node
}

// The verdict of a grade, told by sign and word as well as by colour.
export function verdict(grade) {
  const sign = grade.half ? "◐" : grade.passes ? "✓" : "✗"
  return element("span", `chip ${grade.passes ? "passes" : "fails"}`, `${sign} ${grade.verdict}`)
}

// A part that is too long to be seen whole ends with a whole line; the rest of it is scrolled to.
export function wholeLines(parts) {
  for (const part of parts) {
    part.style.maxHeight = ""
    if (part.scrollHeight <= part.clientHeight + 2) continue
    const { top, bottom } = part.getBoundingClientRect()
    const range = document.createRange()
    range.selectNodeContents(part)
    const ends = [...range.getClientRects()].map((line) => line.bottom).filter((end) => end <= bottom)
    if (ends.length) part.style.maxHeight = `${Math.max(...ends) - top}px`
  }
}

// Lengths in rem follow `--rem` instead of the page; conditions, which know no properties, stay as they are.
const REM = /(?<![\d.])(-?(?:\d+(?:\.\d*)?|\.\d+))rem\b/g
export const scaled = (css) => css.replace(/^(?!@).*$/gm, (line) => line.replace(REM, "calc($1 * var(--rem, 1rem))"))

// Makes a drawing for a projector as high as the window lets it, so that its buttons are in sight wherever it stands.
export function fit(root) {
  const top = Math.max(0, root.getBoundingClientRect().top)
  root.style.setProperty("--height", `${Math.max(420, window.innerHeight - top - 20)}px`)
}

// Gives a place with what is `scaled` the largest type, in pixels, in which all of it is in sight.
export function fitType(place, largest, smallest) {
  const fits = (size) => {
    place.style.setProperty("--rem", `${size}px`)
    return place.scrollHeight <= place.clientHeight
  }
  let size = largest
  while (!fits(size) && size > smallest) size -= 1
}
