// The ways that a question could take, side by side; the one that it took is filled.
import { changed, element, recall } from "./parts.js"
export { default as css } from "./route.css" with { type: "text" }

function way(data, voted) {
  const node = element("section", data.taken ? "way taken" : "way")
  node.append(element("header", "", element("span", "name", data.name), element("span", "mark", data.taken ? "✓ taken" : "not taken")), element("p", "about", data.about))
  if (data.cost) {
    const cost = element("p", "cost")
    cost.append(element("span", "strategy", data.strategy), element("span", "calls", data.cost))
    node.append(cost)
  }
  if (voted) node.append(votes(data.votes))
  return node
}

function votes(found) {
  if (!found.length) return element("p", "none", "no vote")
  const list = element("ul")
  for (const vote of found) {
    list.append(element("li", "", element("span", "question", vote.question), element("span", "cosine", vote.cosine)))
  }
  return list
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  root.style.setProperty("--colour", data.colour)
  if (!changed(recall(root), data)) return
  const ways = element("div", "ways")
  ways.append(...data.ways.map((one) => way(one, data.voted)))
  root.replaceChildren(...(data.reason ? [element("p", "reason", data.reason)] : []), ways)
}
