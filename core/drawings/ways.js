// The steps of a plan through a graph as columns: what each could go on with, and the path that was chosen.
import { button, counted, element, fold, shape } from "./parts.js"
import { arrows, curve, framed, picture, points, says, tell } from "./picture.js"
export { default as css } from "./ways.css" with { type: "text" }

function chip(one, key, state) {
  const node = button(`chip${one.chosen ? " chosen" : ""}${state.data.choosable ? " choosable" : ""}`)
  if (one.by) node.append(element("span", "by", one.by))
  const name = element("span", "name", one.chosen ? element("b", "", "✓ ") : null)
  name.append(one.name)
  node.append(name)
  if (one.tag) node.append(element("span", "by tag", one.tag))
  node.setAttribute("aria-label", one.told)
  node.dataset.key = key
  points(node, (on) => {
    state.lit = on ? one : null
    if (node.matches(":focus")) state.at = key
    dress(state)
  })
  // An explorable goes on with what is chosen (`choosable`); else its facts are shown.
  node.onclick = () => {
    if (state.data.choosable) return node.dispatchEvent(new CustomEvent("chosen", { bubbles: true, composed: true, detail: { step: Number(key.split(" ")[0]), key: one.key } }))
    state.facts.open = !state.facts.open
  }
  return node
}

function column(step, at, state) {
  const node = element("section", step.candidates.length ? "" : "waiting")
  const head = element("header")
  const text = element("span", "step", step.text)
  text.title = step.text
  head.append(element("span", "number", String(step.number)), text, element("span", "kind", step.explore))
  node.append(head)
  step.candidates.forEach((one, place) => node.append(chip(one, `${at} ${place}`, state)))
  if (step.more) node.append(element("span", "more-of", `and ${step.more} more`))
  if (!step.candidates.length) node.append(element("span", "more-of", state.data.running ? "Not explored yet" : "Not explored"))
  return node
}

function end(data) {
  const node = element("div", `ending ${data.verdict}`)
  if (!data.verdict) return node
  node.append(element("b", "", `${data.verdict === "refine" ? "↺" : data.verdict === "respond" ? "→" : "…"} ${data.word}`))
  if (data.reason) node.append(element("p", "", data.reason))
  const cited = new Set(data.facts.filter((one) => one.cited).map((one) => one.triple))
  if (cited.size) node.append(element("p", "", "The answer cites:"), element("ul", "", ...[...cited].map((triple) => element("li", "", triple))))
  return node
}

function facts(data, state) {
  const node = fold("facts", counted(data.facts.length, "fact on the path", "facts on the path"), state.open, "facts")
  for (const one of data.facts) {
    const fact = element("div", "fact", element("b", "", one.triple), one.quote ? element("q", "", one.quote) : null)
    if (one.where) fact.append(element("span", "where", one.where))
    node.append(fact)
  }
  node.hidden = !data.facts.length
  return node
}

function dress(state) {
  const { data, lit } = state
  if (lit) says(state, `${lit.by} ${lit.name}`.trim(), lit.told)
  else says(state, data.summary, data.given_up.at(-1) ? `The plan before was given up: ${data.given_up.at(-1)}` : data.reached)
  for (const node of state.map.querySelectorAll(".chip")) node.tabIndex = node.dataset.key === state.at ? 0 : -1
}

function lines(state) {
  const zero = state.svg.getBoundingClientRect()
  if (!zero.width) return
  const boxes = [...state.columns.children].map((node) => [...node.querySelectorAll(".chosen")].map((one) => one.getBoundingClientRect()))
  const paths = []
  state.data.steps.forEach((step, at) => {
    step.candidates.filter((one) => one.chosen).forEach((one, place) => {
      for (const from of one.from) {
        const [start, to] = [boxes[at - 1][from], boxes[at][place]]
        if (start && to) paths.push(shape("path", { d: curve(start, { left: to.left - 3, top: to.top, height: to.height }, zero), "marker-end": "url(#tip)" }))
      }
    })
  })
  state.svg.replaceChildren(state.tips, ...(state.root.classList.contains("narrow") ? [] : paths))
}

function put(root, data, state) {
  const focused = state.map?.contains(root.getRootNode().activeElement)
  Object.assign(state, { data, lit: null, at: state.at ?? "0 0" })
  state.columns = element("div", "columns")
  root.style.setProperty("--columns", Math.max(1, data.steps.length))
  state.columns.append(...data.steps.map((step, at) => column(step, at, state)))
  framed(root, state, "The steps of the plan and what each could choose from; arrow keys lead from one to the next", state.columns)
  state.map.onkeydown = (event) => {
    const columns = [...state.columns.children].map((node) => [...node.querySelectorAll(".chip")].filter((one) => one.offsetParent)).filter((nodes) => nodes.length)
    const at = state.map.querySelector(`.chip[data-key="${state.at}"]`)
    if (at) arrows(event, columns, at)
  }
  state.facts = facts(data, state)
  state.text.before(end(data), state.facts)
  tell(state, `${data.summary}. ${data.verdict} ${data.reason}`, data.steps.map((step) => `Step ${step.number}, ${step.explore}: ${step.text}. ${step.candidates.filter((one) => one.chosen).map((one) => one.told).join(" ") || "Nothing is chosen."}`))
  if (!state.map.querySelector(`.chip[data-key="${state.at}"]`)) state.at = "0 0"
  if (focused) state.map.querySelector(`.chip[data-key="${state.at}"]`)?.focus({ preventScroll: true })
}

export default picture(put, dress, lines, (data) => Math.max(480, 150 * data.steps.length))
