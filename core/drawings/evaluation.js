// The table of an evaluation: a column per setting, a row per metric; differences to the baseline lead.
import { drawing, element } from "./parts.js"

function mark(column) {
  const node = element("span", "mark", column.mark)
  node.style.setProperty("--colour", column.colour)
  return node
}

function heading(column) {
  const node = element("th", column.baseline ? "base" : "")
  node.scope = "col"
  node.title = column.name
  const name = element("div", "name")
  name.append(mark(column), element("span", "label", column.name))
  node.append(name)
  if (column.baseline) node.append(element("div", "small", "baseline"))
  if (column.bound) node.append(element("div", "small", "upper bound"))
  return node
}

const VERDICTS = { better: "good", worse: "bad", higher: "other", lower: "other" }

function filled(cell, baseline) {
  const node = element("td", baseline ? "base" : "")
  if (!cell) {
    node.append(element("span", "small", "–"))
    return node
  }
  const apart = cell.apart ? [element("div", "apart", cell.apart)] : []
  node.title = cell.verdict ? `${cell.verdict}. ${cell.detail}` : cell.detail
  if (!cell.difference) {
    node.append(element("div", "lead", cell.mean), element("div", "small", cell.interval), ...apart)
    return node
  }
  const lead = element("div", `lead ${VERDICTS[cell.verdict] ?? "same"}`, element("span", "sign", cell.mark), ` ${cell.difference}`)
  node.append(lead, element("div", "small", cell.interval), element("div", "mean", cell.mean), ...apart)
  return node
}

function line(row, columns) {
  const node = element("tr")
  const name = element("th", "metric", row.title)
  name.scope = "row"
  name.title = row.help
  node.append(name)
  row.cells.forEach((cell, place) => node.append(filled(cell, columns[place].baseline)))
  return node
}

export default drawing((root, data) => {
  const table = element("table", "", element("thead", "", element("tr", "", element("td", "metric"), ...data.columns.map(heading))))
  for (const group of data.groups) {
    const body = element("tbody")
    const title = element("th", "group", group.title)
    title.colSpan = 1 + data.columns.length
    title.scope = "rowgroup"
    body.append(element("tr", "", title), ...group.rows.map((row) => line(row, data.columns)))
    table.append(body)
  }
  root.replaceChildren(table)
})
