// Two questions and what each found.
import { button, changed, element, opens, recall, resized, shape, words } from "./parts.js"

function passage(card, both, place, state) {
  const node = element("li", both ? "passage both" : "passage")
  node.dataset.chunk = card.id
  const key = `${place} ${card.id}`
  const head = button("head")
  const score = element("span", "score", card.score)
  score.title = `${card.score_name}. ${card.score_help}`
  head.append(element("span", "rank", card.rank), element("span", "name", card.title))
  if (both) head.append(element("span", "mark", "in both"))
  head.append(score)
  const text = words(card)
  opens(head, text, state.open, key)
  node.append(head, text)
  return node
}

function side(data, place, shared, state) {
  const node = element("section", place ? "side general" : "side", element("header", "", element("span", "label", data.label), element("p", "question", data.question)))
  if (data.empty) node.append(element("p", "empty", data.empty))
  node.append(element("ul", "", ...data.cards.map((card) => passage(card, shared.has(card.id), place, state))))
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
    lines.append(shape("path", { d: `M0 ${y} C${half} ${y} ${half} ${z} ${box.width} ${z}` }))
  }
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  root.style.setProperty("--colour", data.colour)
  if (changed(state, data)) {
    const shared = new Set(data.shared)
    const pair = element("div", "pair")
    const between = element("div", "between")
    between.setAttribute("aria-hidden", "true")
    between.append(element("span", "arrow", data.same ? "=" : "→"), shape("svg"))
    pair.append(side(data.sides[0], 0, shared, state), between, side(data.sides[1], 1, shared, state))
    root.replaceChildren(pair)
  }
  join(root)
  return resized(state, [root, ...root.querySelectorAll(".side ul")], () => join(root))
}
