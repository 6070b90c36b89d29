// A question, the goals that it was split into, the tool calls of each, and the verdict on each round.
import { button, element, fold, shape, words } from "./parts.js"
import { arrows, curve, framed, picture, reads, says, selects, tell } from "./picture.js"
export { default as css } from "./goals.css" with { type: "text" }

function callOf(call, state) {
  const node = button(`call ${call.outcome === "found" ? "found" : "lost"}${call.used ? " used" : ""}`)
  node.dataset.number = call.number
  const words = element("span", "about", element("span", "tool", call.tool), element("span", "brief", call.brief))
  if (call.text) words.append(element("span", "result", call.text))
  node.append(element("span", "number", String(call.number)), words)
  node.setAttribute("aria-label", `Call ${call.number}. ${call.told} ${call.text}`)
  selects(node, state, call.number, 0, dress)
  return node
}

function roundOf(round, several, state) {
  const node = element("section", "round", several ? element("h4", "", `Round ${round.number}`) : null)
  for (const goal of round.goals) {
    const row = element("div", "goal")
    const calls = element("div", "calls")
    calls.append(...goal.calls.map((call) => callOf(call, state)))
    const text = element("div", "asked", goal.text)
    text.title = goal.text
    row.append(text, calls)
    node.append(row)
  }
  if (round.critique) {
    const verdict = element("p", `verdict ${round.critique.complete ? "enough" : "missing"}`)
    verdict.append(element("b", "", `${round.critique.complete ? "✓" : "↺"} ${round.critique.word}`), element("span", "", ` ${round.critique.reason}`))
    node.append(verdict)
  }
  return node
}

function read(call, state) {
  const nodes = [element("b", "", `${call.number}. ${call.told}`)]
  for (const text of [call.why, call.text, call.error, call.note]) if (text) nodes.push(element("p", "", text))
  if (call.rows.length) {
    const table = element("table")
    for (const values of [call.columns, ...call.rows]) {
      table.append(element("tr", "", ...values.map((value) => element(values === call.columns ? "th" : "td", "", value))))
    }
    nodes.push(table)
    if (call.hidden) nodes.push(element("p", "brief", `and ${call.hidden} more rows`))
  }
  if (call.cypher) nodes.push(element("pre", "", call.cypher))
  for (const card of call.cards) {
    const node = fold("passage", "", state.open, `${call.number} ${card.id}`)
    node.querySelector("summary").append(element("b", "", card.rank), ` ${card.title}`)
    node.append(words(card))
    nodes.push(node)
  }
  return nodes
}

const everyCall = (data) => data.rounds.flatMap((round) => round.goals.flatMap((goal) => goal.calls))

function dress(state) {
  const { data } = state
  const numbered = (number) => everyCall(data).find((call) => call.number === number)
  const chosen = numbered(state.chosen)
  const lit = numbered(state.lit) ?? chosen
  says(state, lit ? `${lit.number}. ${lit.tool}` : data.summary, lit ? lit.told : data.cited)
  for (const node of state.map.querySelectorAll(".call")) {
    node.setAttribute("aria-pressed", String(Number(node.dataset.number) === state.chosen))
    node.tabIndex = Number(node.dataset.number) === state.at ? 0 : -1
  }
  reads(state, chosen, (call) => read(call, state))
}

// Branches: from the question to each goal, and from a goal to its calls.
function lines(state) {
  const zero = state.svg.getBoundingClientRect()
  if (!zero.width) return
  const top = state.top.getBoundingClientRect()
  const narrow = state.root.classList.contains("narrow")
  const paths = []
  for (const goal of state.map.querySelectorAll(".goal")) {
    const asked = goal.firstElementChild.getBoundingClientRect()
    const x = top.left + 12 - zero.left
    const y = asked.top + 17 - zero.top
    paths.push(shape("path", { d: `M ${x} ${top.bottom - zero.top} V ${y - 8} q 0 8 8 8 H ${asked.left - zero.left}` }))
    if (!narrow) for (const call of goal.querySelectorAll(".call")) paths.push(shape("path", { class: call.classList.contains("used") ? "used" : "", d: curve({ right: asked.right, top: asked.top, height: 34 }, call.getBoundingClientRect(), zero) }))
  }
  state.svg.replaceChildren(...paths)
}

function put(root, data, state) {
  const focused = state.map?.contains(root.getRootNode().activeElement)
  Object.assign(state, { data, lit: 0, chosen: data.opened ?? state.chosen ?? 0, at: state.at ?? 1 })
  state.top = element("div", "top", data.question)
  framed(root, state, "Goals and their tool calls; arrow keys lead from call to call", state.top, ...data.rounds.map((round) => roundOf(round, data.rounds.length > 1, state)))
  state.map.onkeydown = (event) => {
    const calls = [...state.map.querySelectorAll(".call")]
    arrows(event, [calls], calls.find((node) => Number(node.dataset.number) === state.at))
  }
  tell(state, `${data.summary}. ${data.question}`, data.rounds.flatMap((round) => [...round.goals.map((goal) => `${goal.text}: ${goal.calls.map((call) => `${call.told} ${call.text}`).join(" ")}`), ...(round.critique ? [`${round.critique.word}. ${round.critique.reason}`] : [])]))
  if (focused) state.map.querySelector(`.call[data-number="${state.at}"]`)?.focus({ preventScroll: true })
}

export default picture(put, dress, lines, () => 560)
