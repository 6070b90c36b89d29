// A chain of thoughts.

// One square per paragraph: pale for those that were there, filled for the new ones.
import { button, counted, element, fold, opens, recall, words } from "./parts.js"

function squares(thought) {
  const node = element("div", "pool")
  const added = thought.cards.length
  node.setAttribute("role", "img")
  node.setAttribute("aria-label", `${thought.pool} paragraphs, ${added} of them new`)
  for (let place = 0; place < thought.pool; place++) {
    node.append(element("i", place >= thought.pool - added ? "new" : ""))
  }
  node.append(element("span", "count", added ? `+${added} → ${thought.pool}` : String(thought.pool)))
  return node
}

function passage(card, state) {
  const node = element("li", "passage")
  const head = button("head", element("span", "rank", card.rank), element("span", "name", card.title))
  const text = words(card)
  opens(head, text, state.open, card.id)
  node.append(head, text)
  return node
}

// A search of a reasoning: what was looked for, what was read of it, and, folded, where that stands.
function search(one, state, key) {
  const node = element("div", "search")
  const query = element("p", "query")
  query.append(element("span", "label", "Searches: "), one.query)
  node.append(query)
  if (one.why_not) node.append(element("p", "note", one.why_not))
  if (one.digest) {
    node.append(element("p", one.nothing ? "digest nothing" : "digest", element("span", "label", one.nothing ? "Nothing that helps: " : "Reads: "), one.digest))
  }
  if (one.cards.length) {
    const count = counted(one.cards.length, "passage")
    const list = element("ul", "passages", ...one.cards.map((card) => passage(card, state)))
    node.append(fold("found", one.new ? `${count}, ${one.new} new` : `${count}, none new`, state.open, key, list))
  }
  if (one.note) node.append(element("p", "note", one.note))
  return node
}

function build(thought, state) {
  const node = element("li", thought.ends ? "thought last" : "thought")
  if (!thought.text) node.classList.add("empty")
  const mark = element("span", "number", thought.text ? thought.number : "■")
  mark.setAttribute("aria-hidden", "true")
  const body = element("div", "body", thought.text ? element("p", "sentence", thought.text) : null)
  if (thought.rest) {
    const rest = element("p", "rest")
    rest.title = thought.rest
    rest.append(element("span", "label", "Written too, not used: "), thought.rest)
    body.append(rest)
  }
  if (!thought.ends && thought.searched) {
    const found = element("div", "found")
    found.append(element("span", "label", thought.cards.length ? "Brought in" : "Nothing new was found"), squares(thought))
    body.append(found)
  }
  if (thought.cards.length) {
    body.append(element("ul", "passages", ...thought.cards.map((card) => passage(card, state))))
  }
  thought.searches?.forEach((one, place) => body.append(search(one, state, `${thought.number}-${place}`)))
  if (thought.note) body.append(element("p", "note", thought.note))
  if (thought.answer) body.append(element("p", "answer", thought.answer))
  if (thought.ends) body.append(element("p", "ends", thought.ends))
  node.append(mark, body)
  return node
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.parts ??= []
  root.style.setProperty("--colour", data.colour)
  let list = root.querySelector("ol")
  if (!list) {
    list = element("ol", "chain")
    root.append(list)
  }
  // Only what is new or has changed is put on the page: a growing chain does not flicker.
  data.thoughts.forEach((thought, place) => {
    const drawn = JSON.stringify(thought)
    if (state.parts[place] === drawn) return
    state.parts[place] = drawn
    const node = build(thought, state)
    if (list.children[place]) list.children[place].replaceWith(node)
    else list.append(node)
  })
  while (list.children.length > data.thoughts.length) list.lastElementChild.remove()
  state.parts.length = data.thoughts.length
}
