// A chain of sub-questions. Text reaches the page through textContent alone, so nothing in it is ever interpreted.
function element(tag, name, text) {
  const node = document.createElement(tag)
  if (name) node.className = name
  if (text !== undefined) node.textContent = text
  return node
}

// A fold that stays as the reader left it when its link is drawn again.
function fold(name, title, key, state) {
  const node = element("details", name)
  node.open = state.open.has(key)
  node.append(element("summary", "", title))
  node.ontoggle = () => (node.open ? state.open.add(key) : state.open.delete(key))
  return node
}

function passage(card, link, state) {
  const node = fold(`passage${card.badge ? " cited" : ""}`, "", `passage ${link} ${card.id}`, state)
  const head = node.querySelector("summary")
  head.append(element("span", "rank", card.rank), element("span", "title", card.title))
  if (card.badge) head.append(element("span", "badge", card.badge))
  const text = element("p")
  for (const piece of card.pieces) {
    text.append(piece.marked ? element("mark", "", piece.text) : document.createTextNode(piece.text))
  }
  node.append(element("span", "where", card.where), text)
  return node
}

function build(link, state) {
  const node = element("section", `link${link.text ? "" : " waiting"}${link.used ? " used" : ""}`)
  const body = element("div", "body")
  body.append(element("h4", "", link.question))
  if (link.searched) {
    const line = element("p", "searched", "Searched with: ")
    line.append(element("b", "", link.searched))
    body.append(line)
  }
  if (link.given.length) {
    const count = link.given.length === 1 ? "1 earlier answer" : `${link.given.length} earlier answers`
    const given = fold("given", `Knew ${count}`, `given ${link.number}`, state)
    for (const [question, answer] of link.given) {
      const pair = element("p")
      pair.append(element("b", "", question), element("br"), answer)
      given.append(pair)
    }
    body.append(given)
  }
  if (link.cards.length) {
    const cards = element("div", "cards")
    cards.append(...link.cards.map((card) => passage(card, link.number, state)))
    body.append(cards)
  }
  const answer = element("div", `answer${link.abstained ? " none" : ""}`, link.text || (link.cards.length ? "Answering…" : "Waiting"))
  body.append(answer)
  if (link.note) body.append(element("p", "note", link.note))
  node.append(element("span", "number", String(link.number)), body)
  return node
}

function buildEnding(data) {
  const node = element("section", "ending")
  node.hidden = !data.ending
  const body = element("div", "body")
  body.append(element("h4", "", data.ending))
  if (data.answer) body.append(element("div", "answer", data.answer))
  node.append(element("span", "number", "="), body)
  return node
}

// Lines from the answers that the synthesis used, in lanes beside the links.
const SVG = "http://www.w3.org/2000/svg"
function lines(root, data) {
  const ending = root.querySelector(".ending")
  root.querySelector("svg")?.remove()
  const used = [...root.querySelectorAll(".link.used")]
  if (!data.answer || !used.length) return
  const top = root.getBoundingClientRect()
  const target = ending.querySelector(".answer").getBoundingClientRect()
  const svg = document.createElementNS(SVG, "svg")
  svg.setAttribute("aria-hidden", "true")
  svg.setAttribute("width", String(top.width))
  svg.setAttribute("height", String(top.height))
  used.forEach((link, place) => {
    const from = link.querySelector(".answer").getBoundingClientRect()
    const x = from.right - top.left
    const lane = x + 10 + 7 * (used.length - 1 - place)
    const y1 = (from.top + from.bottom) / 2 - top.top
    const y2 = target.top - top.top + (target.height * (used.length - place)) / (used.length + 1)
    const path = document.createElementNS(SVG, "path")
    path.setAttribute("d", `M${x} ${y1} H${lane - 5} q5 0 5 5 V${y2 - 5} q0 5 -5 5 H${x + 5}`)
    const tip = document.createElementNS(SVG, "path")
    tip.setAttribute("class", "tip")
    tip.setAttribute("d", `M${x} ${y2} l7 -4 v8 z`)
    svg.append(path, tip)
  })
  root.append(svg)
}

const states = new WeakMap()

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = states.get(root) ?? { open: new Set(), drawn: [] }
  states.set(root, state)
  root.style.setProperty("--colour", data.colour)

  // Only what changed is drawn again: nothing else moves while a run goes on.
  const parts = [...data.links.map((link) => [JSON.stringify(link), () => build(link, state)]),
    [JSON.stringify([data.ending, data.answer]), () => buildEnding(data)]]
  if (parts.length !== state.drawn.length) {
    root.replaceChildren(...parts.map(([, make]) => make()))
  } else {
    parts.forEach(([drawn, make], place) => {
      if (drawn !== state.drawn[place]) root.children[place].replaceWith(make())
    })
  }
  state.drawn = parts.map(([drawn]) => drawn)
  data.links.forEach((link, place) => root.children[place].classList.toggle("knows", link.given.length > 0))
  root.style.setProperty("--lanes", `${data.links.length * 7 + 6}px`)

  const redraw = () => lines(root, data)
  redraw()
  const observer = new ResizeObserver(redraw)
  for (const child of root.children) if (child.tagName === "SECTION") observer.observe(child)
  return () => observer.disconnect()
}
