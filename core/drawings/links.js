// Sub-questions as links of a chain that fills, and what it ends in.
import { button, counted, element, fold, shape, words } from "./parts.js"
import { STAR, arrows, framed, picture, reads, says, selects, tell } from "./picture.js"
export { default as css } from "./links.css" with { type: "text" }

const stars = (cards) => cards.filter((card) => card.starred).length

function build(link, state) {
  const node = button(`link${link.text ? "" : " waiting"}${link.abstained ? " none" : ""}`)
  node.dataset.number = link.number
  const head = element("span", "head", element("span", "number", String(link.number)), element("span", "question", link.question))
  if (link.remark) head.append(element("span", "remark", link.remark)) // where a lesson changes the chain
  const facts = element("span", "facts")
  if (link.searched) {
    facts.append(element("span", "searched", element("span", "label", "Searched: "), link.searched))
  }
  if (link.cards.length) {
    const found = stars(link.cards)
    facts.append(element("span", "found", `${counted(link.cards.length, "passage")}${found ? ` ${STAR.repeat(Math.min(found, 5))}` : ""}`))
  }
  node.append(head, facts, element("span", link.short ? "answer short" : "answer", link.short || link.text || link.state))
  node.setAttribute("aria-label", [`${link.number}: ${link.question}`, link.remark, link.text || link.state, link.told].filter(Boolean).join(". "))
  selects(node, state, link.number, 0, dress)
  return node
}

function ending(data) {
  const node = element("div", `ending${data.answer ? "" : " waiting"}${data.abstained ? " none" : ""}`)
  const words = element("div", "answer", element("b", "", data.ending || (data.waits ? "Waiting" : data.running ? "The answer follows" : "There is no answer")))
  if (data.answer) words.append(element("p", "", data.answer))
  node.append(element("span", "number", "="), words)
  return node
}

// Straight down where the two stand in one column, else around between the rows.
export function arrow(from, to, zero, narrow) {
  const [left, top] = [zero.left, zero.top]
  if (narrow) {
    const x = from.left - left + 22
    return `M ${x} ${from.bottom - top} V ${to.top - top - 3}`
  }
  const [x, y] = [from.right - left, from.bottom - top - 34]
  const [u, v] = [to.left - left - 3, to.top - top + 26]
  if (to.left > from.left) return `M ${x} ${y} C ${(x + u) / 2} ${y}, ${(x + u) / 2} ${v}, ${u} ${v}`
  const middle = (from.bottom + to.top) / 2 - top
  return `M ${x} ${y} h 6 q 8 0 8 8 V ${middle - 8} q 0 8 -8 8 H ${u - 2} q -8 0 -8 8 V ${v - 8} q 0 8 8 8 H ${u}`
}

function lines(state) {
  const { data } = state
  const zero = state.svg.getBoundingClientRect()
  if (!zero.width) return
  const narrow = state.root.classList.contains("narrow")
  state.map.classList.toggle("wraps", !narrow && data.in_turn && state.nodes.some((node) => node.offsetTop > state.nodes[0].offsetTop))
  const boxes = state.nodes.map((node) => node.getBoundingClientRect())
  const end = state.end.getBoundingClientRect()
  const paths = []
  const add = (d, name, marks = {}) => {
    const path = shape("path", { d, class: name, "marker-end": "url(#tip)" })
    Object.assign(path.dataset, marks)
    paths.push(path)
  }
  data.links.forEach((link, at) => {
    // From the last answer that it knew; what was answered and knew none waited for nothing.
    const knew = data.links.findLastIndex((one) => link.given.some(([question]) => question === one.question))
    if (data.in_turn && at && !(link.text && knew < 0)) add(arrow(boxes[knew < 0 ? at - 1 : knew], boxes[at], zero, narrow), knew < 0 ? "" : "on", { to: link.number })
  })
  const last = data.in_turn ? data.links.length - 1 : -1
  data.links.forEach((link, at) => {
    if (!(link.used || !data.in_turn || at === last) || narrow) return
    const x = boxes[at].left + boxes[at].width / 2 - zero.left
    const from = boxes[at].bottom - zero.top
    const to = end.top - zero.top - 3
    const below = boxes.some((box) => box.top > boxes[at].bottom && box.left < boxes[at].right && box.right > boxes[at].left)
    if (!below) add(`M ${x} ${from} V ${to}`, link.used ? "on" : "", { end: link.number })
  })
  if (narrow) add(arrow(boxes.at(-1) ?? end, end, zero, true), data.answer ? "on" : "")
  state.svg.replaceChildren(state.tips, ...paths)
}

function passage(card, link, state) {
  const node = fold("passage", "", state.open, `${link} ${card.id}`)
  const head = node.querySelector("summary")
  head.append(element("b", "", card.rank), ` ${card.title}`)
  if (card.badge) head.append(element("span", "badge", card.badge))
  node.append(words(card))
  return node
}

function read(link, state) {
  const nodes = [element("b", "", `${link.number}. ${link.question}`)]
  if (link.text) nodes.push(element("p", "whole", link.text))
  if (link.note) nodes.push(element("p", "note", link.note))
  if (link.given.length) {
    const known = element("div", "known", element("span", "label", "It knew"))
    for (const [question, answer] of link.given) {
      known.append(element("p", "", `${question} `, element("b", "", answer)))
    }
    nodes.push(known)
  }
  nodes.push(...link.cards.map((card) => passage(card, link.number, state)))
  return nodes
}

function dress(state) {
  const { data } = state
  const number = state.lit || state.chosen
  const lit = data.links.find((link) => link.number === number)
  if (lit) says(state, `${lit.number}. ${lit.question}`, lit.told)
  else says(state, data.summary, data.in_turn ? "In turn: an arrow leads from the last answer that a question knew." : "Side by side: all of them go into the answer.")
  for (const node of state.nodes) {
    const own = Number(node.dataset.number)
    node.classList.toggle("lit", own === number)
    node.setAttribute("aria-pressed", String(own === state.chosen))
    node.tabIndex = own === state.at ? 0 : -1
  }
  for (const path of state.svg.querySelectorAll("path")) path.classList.toggle("lit", Boolean(number) && [path.dataset.to, path.dataset.end].includes(String(number)))
  const chosen = data.links.find((link) => link.number === state.chosen)
  reads(state, chosen, (link) => read(link, state))
}

function put(root, data, state) {
  if (!state.map) {
    Object.assign(state, { nodes: [], parts: [], lit: 0, chosen: 0, at: 1 })
    state.chain = element("div", "chain")
    state.end = element("div")
    framed(root, state, "Sub-questions; arrow keys lead from one to the next", state.chain, state.end)
    state.map.onkeydown = (event) => arrows(event, state.nodes.map((node) => [node]), state.nodes[state.at - 1])
  }
  state.data = data
  // Only what changed is drawn again: what the reader points at stays.
  data.links.forEach((link, at) => {
    const drawn = JSON.stringify(link)
    if (state.parts[at] === drawn) return
    state.parts[at] = drawn
    const node = build(link, state)
    const focused = state.nodes[at]?.matches(":focus")
    if (state.nodes[at]) state.nodes[at].replaceWith(node)
    else state.chain.append(node)
    state.nodes[at] = node
    if (focused) node.focus({ preventScroll: true })
  })
  for (const node of state.nodes.splice(data.links.length)) node.remove()
  state.parts.length = data.links.length
  state.at = Math.max(1, Math.min(state.at, data.links.length))
  const end = ending(data)
  state.end.replaceWith(end)
  state.end = end
  tell(state, `${data.summary}. ${data.ending} ${data.answer}`, data.links.map((link) => `${link.question} ${link.text || link.state} ${link.told}`))
  root.classList.toggle("many", data.links.length > 4)
}

export default picture(put, dress, lines, () => 560)
