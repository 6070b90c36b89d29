// Questions to begin with, as cards: the whole question and what it shows. A click asks it.
import { button, changed, element, recall } from "./parts.js"

function card(one, act) {
  const node = button("card")
  node.dataset.id = one.id
  node.append(element("span", "question", one.question))
  if (one.says) {
    const says = element("span", `says ${one.tone}`, one.sign ? element("b", "", `${one.sign} `) : null)
    says.append(one.says)
    node.append(says)
  }
  node.title = one.kind ? `Asks this question. ${one.kind}` : "Asks this question"
  node.onclick = () => act(one.id)
  return node
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.act = (id) => setTriggerValue("chosen", id)
  if (!changed(state, data)) return
  root.style.setProperty("--mark", data.colour)
  const head = element("div", "head", element("h3", "", data.title), element("span", "about", data.about))
  const cards = element("ul", "cards")
  for (const one of data.starters) {
    cards.append(element("li", "", card(one, (id) => state.act(id))))
  }
  root.replaceChildren(head, cards)
}
