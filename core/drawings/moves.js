// Two rankings side by side with a line from each passage to itself.

const SIGNS = { in: "▲ ", out: "▼ " }

function build(stand, place, border) {
  const node = element("details", `stand${stand.card.faint ? " faint" : ""} ${stand.change}${place === border ? " border" : ""}`)
  node.dataset.chunk = stand.card.id
  const head = element("summary")
  head.append(element("span", "rank", stand.card.rank), element("span", "title", stand.card.title))
  if (stand.remark) head.append(element("span", "remark", SIGNS[stand.change] + stand.remark))
  const score = element("span", "score", stand.card.score)
  score.title = stand.card.score_help
  head.append(score)
  node.append(head, fill(element("p"), stand.card.pieces))
  return node
}

function column(title, query, stands) {
  const node = element("section")
  const head = element("header")
  head.append(element("b", "", title), element("span", "", query))
  head.title = query
  const border = stands.findIndex((stand) => stand.card.faint)
  node.append(head, ...stands.map((stand, place) => build(stand, place, border)))
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
    if (!to) continue
    const [a, b, w] = [middle(from), middle(to), box.width]
    const used = [from, to].filter((node) => !node.classList.contains("faint")).length
    const d = `M0 ${a} C${w / 2} ${a} ${w / 2} ${b} ${w} ${b}`
    made.push(shape("path", { d, class: ["faint", "one", "both"][used] }))
  }
  svg.replaceChildren(...made)
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  if (changed(state, data)) {
    root.style.setProperty("--colour", data.colour)
    const svg = shape("svg", { "aria-hidden": true })
    const pair = element("div", "pair")
    pair.append(column("Question alone", data.before, data.left), svg, column("HyDE", data.after, data.right))
    root.replaceChildren(pair)
  }
  const [left, svg, right] = root.firstElementChild.children
  lines(svg, left, right)
  return resized(state, [root, left, right], () => lines(svg, left, right))
}
