// A chain of sub-questions.
import { counted, element, fill, fold, recall, resized, shape } from "./parts.js"

function passage(card, link, state) {
  const node = fold(`passage${card.badge ? " cited" : ""}`, "", state.open, `passage ${link} ${card.id}`)
  const head = node.querySelector("summary")
  head.append(element("span", "rank", card.rank), element("span", "title", card.title))
  if (card.badge) head.append(element("span", "badge", card.badge))
  node.append(element("span", "where", card.where), fill(element("p"), card.pieces))
  return node
}

function build(link, state) {
  const node = element("section", `link${link.text ? "" : " waiting"}${link.used ? " used" : ""}`)
  const body = element("div", "body", element("h4", "", link.question))
  if (link.searched) {
    body.append(element("p", "searched", "Searched with: ", element("b", "", link.searched)))
  }
  if (link.given.length) {
    const count = counted(link.given.length, "earlier answer")
    const given = fold("given", `Knew ${count}`, state.open, `given ${link.number}`)
    for (const [question, answer] of link.given) {
      given.append(element("p", "", element("b", "", question), element("br"), answer))
    }
    body.append(given)
  }
  if (link.cards.length) {
    const cards = element("div", "cards")
    cards.append(...link.cards.map((card) => passage(card, link.number, state)))
    body.append(cards)
  }
  body.append(element("div", `answer${link.abstained ? " none" : ""}`, link.text || (link.cards.length ? "Answering…" : "Waiting")))
  if (link.note) body.append(element("p", "note", link.note))
  node.append(element("span", "number", String(link.number)), body)
  return node
}

function buildEnding(data) {
  const node = element("section", "ending")
  node.hidden = !data.ending
  node.append(element("span", "number", "="), element("div", "body", element("h4", "", data.ending), data.answer ? element("div", "answer", data.answer) : null))
  return node
}

// Lines from the answers that the synthesis used, in lanes beside the links.
function lines(root, data) {
  const ending = root.querySelector(".ending")
  root.querySelector("svg")?.remove()
  const used = [...root.querySelectorAll(".link.used")]
  if (!data.answer || !used.length) return
  const top = root.getBoundingClientRect()
  const target = ending.querySelector(".answer").getBoundingClientRect()
  const svg = shape("svg", { "aria-hidden": true, width: top.width, height: top.height })
  used.forEach((link, place) => {
    const from = link.querySelector(".answer").getBoundingClientRect()
    const x = from.right - top.left
    const lane = x + 10 + 7 * (used.length - 1 - place)
    const y1 = (from.top + from.bottom) / 2 - top.top
    const y2 = target.top - top.top + (target.height * (used.length - place)) / (used.length + 1)
    svg.append(
      shape("path", { d: `M${x} ${y1} H${lane - 5} q5 0 5 5 V${y2 - 5} q0 5 -5 5 H${x + 5}` }),
      shape("path", { class: "tip", d: `M${x} ${y2} l7 -4 v8 z` }),
    )
  })
  root.append(svg)
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.parts ??= []
  root.style.setProperty("--colour", data.colour)

  // Only what changed is drawn again: nothing else moves while a run goes on.
  const parts = [...data.links.map((link) => [JSON.stringify(link), () => build(link, state)]),
    [JSON.stringify([data.ending, data.answer]), () => buildEnding(data)]]
  if (parts.length !== state.parts.length) {
    root.replaceChildren(...parts.map(([, make]) => make()))
  } else {
    parts.forEach(([drawn, make], place) => {
      if (drawn !== state.parts[place]) root.children[place].replaceWith(make())
    })
  }
  state.parts = parts.map(([drawn]) => drawn)
  data.links.forEach((link, place) => root.children[place].classList.toggle("knows", link.given.length > 0))
  root.style.setProperty("--lanes", `${data.links.length * 7 + 6}px`)

  const redraw = () => lines(root, data)
  redraw()
  return resized(state, root.querySelectorAll("section"), redraw)
}
