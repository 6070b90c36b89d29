// Two rankings side by side with a line from each passage to itself; what neither of them uses is shown on demand.
import { button, changed, element, fill, recall, resized, shape } from "./parts.js"
export { default as css } from "./moves.css" with { type: "text" }

const SIGNS = { in: "▲ ", out: "▼ " }

function build(stand) {
  const node = element("details", `stand${stand.card.faint ? " faint" : ""}${stand.aside ? " aside" : ""} ${stand.change}`)
  node.dataset.chunk = stand.card.id
  const head = element("summary", "", element("span", "rank", stand.card.rank), element("span", "title", stand.card.title))
  if (stand.remark) head.append(element("span", "remark", (SIGNS[stand.change] ?? "") + stand.remark))
  if (stand.card.score) {
    const score = element("span", "score", stand.card.score)
    score.title = stand.card.score_help
    head.append(score)
  }
  node.append(head, fill(element("p"), stand.card.pieces))
  return node
}

function column(title, query, stands) {
  const node = element("section")
  const head = element("header", "", element("b", "", title), element("span", "", query))
  head.title = query
  node.append(head, ...stands.map(build))
  return node
}

function lines(svg, left, right) {
  const box = svg.getBoundingClientRect()
  const middle = (node) => {
    const head = node.querySelector("summary").getBoundingClientRect()
    return head.top + head.height / 2 - box.top
  }
  const ends = new Map([...right.querySelectorAll(".stand")].map((node) => [node.dataset.chunk, node]))
  const made = []
  for (const from of left.querySelectorAll(".stand")) {
    const to = ends.get(from.dataset.chunk)
    if (!to || from.hidden || to.hidden) continue
    const [a, b, w] = [middle(from), middle(to), box.width]
    const used = [from, to].filter((node) => !node.classList.contains("faint")).length
    const d = `M0 ${a} C${w / 2} ${a} ${w / 2} ${b} ${w} ${b}`
    made.push(shape("path", { d, class: ["faint", "one", "both"][used] }))
  }
  svg.replaceChildren(...made)
}

function dress(state, left, right) {
  for (const section of [left, right]) {
    const stands = [...section.querySelectorAll(".stand")]
    for (const node of stands) node.hidden = node.classList.contains("aside") && !state.all
    const border = stands.find((node) => node.classList.contains("faint") && !node.hidden)
    for (const node of stands) node.classList.toggle("border", node === border)
  }
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  if (changed(state, data)) {
    root.style.setProperty("--colour", data.colour)
    const svg = shape("svg", { "aria-hidden": true })
    root.replaceChildren(element("div", "pair", column(data.titles[0], data.before, data.left), svg, column(data.titles[1], data.after, data.right)))
    const aside = new Set([...data.left, ...data.right].filter((stand) => stand.aside).map((stand) => stand.card.id)).size
    if (aside) {
      const more = button("more")
      const name = () => {
        more.textContent = state.all ? "Show only what one of them uses" : `Show ${aside} more that neither uses`
        more.setAttribute("aria-expanded", String(Boolean(state.all)))
      }
      more.onclick = () => {
        state.all = !state.all
        name()
        const [left, , right] = root.firstElementChild.children
        dress(state, left, right)
      }
      name()
      root.append(more)
    }
  }
  const [left, svg, right] = root.firstElementChild.children
  dress(state, left, right)
  lines(svg, left, right)
  return resized(state, [root, left, right], () => lines(svg, left, right))
}
