// Triples in one or more columns; a hypernode is a box around the triple that it is made of.
import { drawing, element } from "./parts.js"

function end(side) {
  if (!side.inner) return element("span", side.hyper ? "node hyper" : "node", side.name)
  const box = element("span", "node hyper")
  box.title = "A hypernode: a whole triple that is a node itself"
  box.append(...arrow(side.inner))
  return box
}

function arrow(triple) {
  return [end(triple.subject), element("span", "arrow", `—[${triple.relation}]→`), end(triple.object)]
}

function row(line, fresh) {
  const node = element("li", fresh ? "line fresh" : "line")
  const triple = element("div", "triple")
  triple.append(...arrow(line.triple))
  if (line.shared) triple.append(element("span", "shared", "said of both"))
  node.append(triple)
  if (line.quote) {
    node.append(element("div", "said", element("q", "quote", line.quote), line.where ? element("span", "where", line.where) : null))
  }
  return node
}

function column(content, before) {
  const node = element("section", "column")
  if (content.head) {
    const head = element("div", "head")
    head.append(element("b", "name", content.head), element("span", "note", content.note))
    node.append(head)
  }
  const list = element("ul")
  for (const line of content.lines) list.append(row(line, before !== null && !before.has(JSON.stringify(line))))
  node.append(list)
  return node
}

export default drawing((root, data, state) => {
  // What was not there when this was last drawn lights up for a moment.
  const before = state.lines ?? (data.growing ? new Set() : null)
  state.lines = new Set(data.columns.flatMap((content) => content.lines.map((line) => JSON.stringify(line))))
  root.style.setProperty("--columns", data.columns.length)
  root.replaceChildren(...data.columns.map((content) => column(content, data.growing ? before : null)))
})
