// Two questions and what each found. Text reaches the page through textContent alone, so nothing in it is ever
// interpreted.
const SVG = "http://www.w3.org/2000/svg"

function element(tag, name, text) {
  const node = document.createElement(tag)
  if (name) node.className = name
  if (text !== undefined) node.textContent = text
  return node
}

function passage(card, both, place, state) {
  const node = element("li", both ? "passage both" : "passage")
  node.dataset.chunk = card.id
  const key = `${place} ${card.id}`
  const head = element("button", "head")
  head.type = "button"
  const score = element("span", "score", card.score)
  score.title = `${card.score_name}. ${card.score_help}`
  head.append(element("span", "rank", card.rank), element("span", "name", card.title))
  if (both) head.append(element("span", "mark", "in both"))
  head.append(score)
  const text = element("div", "words")
  text.append(element("span", "where", card.where), element("p", "", card.pieces.map((p) => p.text).join("")))
  const dress = () => {
    text.hidden = !state.open.has(key)
    head.setAttribute("aria-expanded", String(!text.hidden))
  }
  head.onclick = () => {
    if (!state.open.delete(key)) state.open.add(key)
    dress()
  }
  dress()
  node.append(head, text)
  return node
}

function side(data, place, shared, state) {
  const node = element("section", place ? "side general" : "side")
  const top = element("header")
  top.append(element("span", "label", data.label), element("p", "question", data.question))
  node.append(top)
  if (data.empty) node.append(element("p", "empty", data.empty))
  const list = element("ul")
  list.append(...data.cards.map((card) => passage(card, shared.has(card.id), place, state)))
  node.append(list)
  return node
}

// A line for each passage that stands on both sides, from card to card.
function join(root) {
  const lines = root.querySelector("svg")
  const [left, right] = root.querySelectorAll(".side ul")
  if (!lines || !right) return
  const box = lines.getBoundingClientRect()
  lines.setAttribute("viewBox", `0 0 ${box.width || 1} ${box.height || 1}`)
  lines.replaceChildren()
  for (const from of left.querySelectorAll(".both")) {
    const to = [...right.children].find((node) => node.dataset.chunk === from.dataset.chunk)
    if (!to) continue
    const middle = (node) => {
      const head = node.firstElementChild.getBoundingClientRect()
      return head.top + head.height / 2 - box.top
    }
    const [y, z, half] = [middle(from), middle(to), box.width / 2]
    const path = document.createElementNS(SVG, "path")
    path.setAttribute("d", `M0 ${y} C${half} ${y} ${half} ${z} ${box.width} ${z}`)
    lines.append(path)
  }
}

const states = new WeakMap()

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = states.get(root) ?? { open: new Set(), drawn: "" }
  states.set(root, state)
  root.style.setProperty("--colour", data.colour)
  const drawn = JSON.stringify(data)
  if (drawn !== state.drawn) {
    state.drawn = drawn
    const shared = new Set(data.shared)
    const pair = element("div", "pair")
    const between = element("div", "between")
    between.setAttribute("aria-hidden", "true")
    between.append(element("span", "arrow", data.same ? "=" : "→"), document.createElementNS(SVG, "svg"))
    pair.append(side(data.sides[0], 0, shared, state), between, side(data.sides[1], 1, shared, state))
    root.replaceChildren(pair)
  }
  join(root)
  const observer = new ResizeObserver(() => join(root))
  for (const list of root.querySelectorAll(".side ul")) observer.observe(list)
  observer.observe(root)
  return () => observer.disconnect()
}
