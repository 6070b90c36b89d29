// A grid of passages by ranked lists.
import { button, drawing, element, toggle, words } from "./parts.js"

function heading(column, name) {
  const node = element("th", name, column.name)
  node.scope = "col"
  node.title = column.meaning
  return node
}

function filled(cell, name) {
  const node = element("td", name, cell.text ? element("span", "text", cell.text) : null, cell.small ? element("span", "small", cell.small) : null)
  if (cell.colour) node.style.setProperty("--colour", cell.colour)
  if (cell.strength) node.style.setProperty("--strength", `${100 * cell.strength}%`)
  return node
}

function bar(parts) {
  const node = element("div", "bar")
  node.setAttribute("aria-hidden", "true")
  for (const part of parts) {
    if (!part) continue
    const piece = element("i")
    piece.style.width = `${100 * part}%`
    node.append(piece)
  }
  return node
}

function build(row, data, state) {
  const line = element("tr", "row")
  line.dataset.chunk = row.card.id
  const name = element("th", "title")
  name.scope = "row"
  const head = button("toggle")
  head.title = row.card.title
  head.append(element("span", "rank", row.card.rank), element("span", "name", row.card.title))
  if (row.card.badge) head.append(element("span", "same", row.card.badge))
  line.classList.toggle("faint", row.card.faint)
  name.append(head)
  line.append(name)
  row.leads.forEach((cell, place) => {
    const node = filled(cell, "lead")
    if (place === 0 && row.parts.length) node.append(bar(row.parts))
    line.append(node)
  })
  for (const cell of row.cells) line.append(filled(cell, cell.text ? "cell held" : "cell"))

  const more = element("tr", "more")
  const text = element("td")
  text.colSpan = 1 + data.leads.length + data.lists.length
  text.append(words(row.card))
  more.append(text)

  const dress = () => {
    const open = state.open.has(row.card.id)
    more.hidden = !open
    line.classList.toggle("open", open)
    head.setAttribute("aria-expanded", String(open))
  }
  line.onclick = () => {
    toggle(state.open, row.card.id)
    dress()
  }
  dress()
  return [line, more]
}

// Rows that stand elsewhere than before slide to their new place.
function slide(body, before) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return
  for (const line of body.querySelectorAll("tr.row")) {
    const moved = before.get(line.dataset.chunk) - line.offsetTop
    if (moved) line.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], { duration: 300, easing: "ease-out" })
  }
}

export default drawing((root, data, state) => {
  const before = new Map([...root.querySelectorAll("tr.row")].map((line) => [line.dataset.chunk, line.offsetTop]))
  root.style.setProperty("--colour", data.colour)
  const table = element("table")
  const first = heading({ name: "Passage", meaning: "Title of the document the passage is from." }, "title")
  const columns = [...data.leads.map((column) => heading(column, "lead")), ...data.lists.map((column) => heading(column, "cell"))]
  const body = element("tbody", "", ...data.rows.flatMap((row) => build(row, data, state)))
  table.append(element("thead", "", element("tr", "", first, ...columns)), body)
  root.replaceChildren(table)
  slide(body, before)
})
