// Two rankings side by side with a line from each passage to itself. Text reaches the page through textContent
// alone, so nothing in it is ever interpreted.
const SVG = "http://www.w3.org/2000/svg"
const SIGNS = { in: "▲ ", out: "▼ " }

function element(tag, name, text) {
  const node = document.createElement(tag)
  if (name) node.className = name
  if (text !== undefined) node.textContent = text
  return node
}

function build(stand, place, border) {
  const node = element("details", `stand${stand.card.faint ? " faint" : ""} ${stand.change}${place === border ? " border" : ""}`)
  node.dataset.chunk = stand.card.id
  const head = element("summary")
  head.append(element("span", "rank", stand.card.rank), element("span", "title", stand.card.title))
  if (stand.remark) head.append(element("span", "remark", SIGNS[stand.change] + stand.remark))
  const score = element("span", "score", stand.card.score)
  score.title = stand.card.score_help
  head.append(score)
  node.append(head, element("p", "", stand.card.pieces.map((piece) => piece.text).join("")))
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
    const line = document.createElementNS(SVG, "path")
    line.setAttribute("d", `M0 ${a} C${w / 2} ${a} ${w / 2} ${b} ${w} ${b}`)
    const used = (node) => !node.classList.contains("faint")
    line.setAttribute("class", used(from) && used(to) ? "both" : used(from) || used(to) ? "one" : "faint")
    made.push(line)
  }
  svg.replaceChildren(...made)
}

const states = new WeakMap()

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const drawn = JSON.stringify(data)
  if (drawn !== states.get(root)) {
    states.set(root, drawn)
    root.style.setProperty("--colour", data.colour)
    const svg = document.createElementNS(SVG, "svg")
    svg.setAttribute("aria-hidden", "true")
    root.replaceChildren(column("Question alone", data.before, data.left), svg, column("HyDE", data.after, data.right))
  }
  const [left, svg, right] = root.children
  const observer = new ResizeObserver(() => lines(svg, left, right))
  for (const node of [root, left, right]) observer.observe(node)
  lines(svg, left, right)
  return () => observer.disconnect()
}
