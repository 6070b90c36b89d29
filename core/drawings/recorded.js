// What is recorded: a table of questions and strategies. A cell says what came of the run; a click plays it.
import { button, changed, element, recall, resized } from "./parts.js"

function headOf(data) {
  const line = element("tr")
  const corner = element("th", "corner", "Question")
  corner.scope = "col"
  line.append(corner)
  for (const column of data.columns) {
    const head = element("th", "strategy")
    head.scope = "col"
    head.style.setProperty("--mark", column.colour)
    head.append(element("span", "", column.title))
    line.append(head)
  }
  return element("thead", "", line)
}

function cellOf(cell, place, act) {
  const node = element("td")
  if (!cell) {
    node.append(element("span", "unseen", "not recorded"))
    return node
  }
  const inside = button(`cell ${cell.tone}`, cell.sign)
  inside.setAttribute("aria-label", cell.label)
  inside.title = `${cell.label}. Plays the run.`
  inside.onclick = () => act(place)
  node.append(inside)
  return node
}

function rowOf(row, number, data, act) {
  const line = element("tr", row.whole ? "whole" : "")
  const question = element("th", "question", row.question)
  question.scope = "row"
  question.title = row.question
  line.append(question)
  row.cells.forEach((cell, place) => line.append(cellOf(cell, `${number}:${data.columns[place].key}`, act)))
  return line
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.act = (place) => setTriggerValue("chosen", place)
  const hinted = () => resized(state, [state.scroll], () => (state.hint.hidden = state.scroll.scrollWidth <= state.scroll.clientWidth))
  if (!changed(state, data)) return hinted()
  const legend = element("p", "legend")
  for (const one of data.legend) {
    legend.append(element("span", "", element("b", one.tone, one.sign), ` ${one.words}`))
  }
  legend.append(element("span", "", "empty: not recorded"))
  const table = element("table", "", element("caption", "unseen", "What is recorded: questions and strategies"), headOf(data))
  const body = element("tbody")
  data.rows.forEach((row, number) => body.append(rowOf(row, number, data, (place) => state.act(place))))
  table.append(body)
  const scroll = (state.scroll = element("div", "scroll"))
  scroll.tabIndex = 0
  scroll.setAttribute("role", "region")
  scroll.setAttribute("aria-label", "What is recorded")
  scroll.append(table)
  state.hint = element("p", "hint", "Scroll sideways to see all strategies")
  root.replaceChildren(legend, state.hint, scroll)
  return hinted()
}
