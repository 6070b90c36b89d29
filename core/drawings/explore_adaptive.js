// Adaptive RAG with handles: the reader is the router, and sends each question a way; then all ways are shown.
import { choice, explorable, flat, set } from "./explorable.js"
import { button, counted, element } from "./parts.js"
import { STAR } from "./picture.js"

const SIGNS = { right: "✓ right", wrong: "✗ wrong", refusal: "– no answer", unclear: "? unclear" }
const NOT_SENT = ""

export function handles(data) {
  return data.asked.map((one, at) => ({ ...choice(`way${at + 1}`, one.question, { options: data.ways.map(({ key, name }) => [key, name]), start: NOT_SENT }), draw: undefined }))
}

const total = (runs) => ({ right: runs.filter((run) => run.verdict === "right").length, calls: runs.reduce((sum, run) => sum + run.calls, 0) })
const calls = (count) => counted(count, "call")
const nameOf = (data, way) => data.ways.find(({ key }) => key === way).name.toLowerCase()

function sentence(data, sent, totals) {
  if (!sent.length) return "Choose a way for each question. What came of it is shown at once."
  const said = ({ right, calls: count }) => `${right} of ${sent.length} right, ${calls(count)}`
  const { at, way } = sent.at(-1)
  const { router } = data.asked[at]
  const last = totals.router.right < sent.length ? " Where the router errs, nothing corrects it." : sent.length > 1 ? "" : way === router.way ? ` The router chose ${nameOf(data, way)}, too.` : ` The router chose ${nameOf(data, router.way)}.`
  return `You: ${said(totals.you)}. The router: ${said(totals.router)}, ${sent.length === 1 ? "one" : sent.length} of them for routing. Always ${nameOf(data, data.ways.at(-1).key)}: ${said(totals[data.ways.at(-1).key])}.${last}`
}

export function compute(data, values) {
  const ways = data.asked.map((_, at) => values[`way${at + 1}`])
  const sent = ways.flatMap((way, at) => (way === NOT_SENT ? [] : [{ at, way, asked: data.asked[at] }]))
  const totals = {
    you: total(sent.map(({ way, asked }) => asked.runs[way])),
    router: total(sent.map(({ asked }) => asked.router)),
    ...Object.fromEntries(data.ways.map(({ key }) => [key, total(sent.map(({ asked }) => asked.runs[key]))])),
  }
  return {
    totals,
    says: sentence(data, sent, totals),
    facts: data.asked.flatMap((one, at) => (ways[at] === NOT_SENT ? [`${one.question} No way is chosen yet.`] : data.ways.map(({ key, name }) => `${one.question} ${name}${key === ways[at] ? ", your way" : ""}${key === one.router.way ? ", the router's way" : ""}: ${outcome(one, key)}`))),
    ways,
    sent,
  }
}

const outcome = (asked, way) => `${SIGNS[asked.runs[way].verdict]}, ${calls(asked.runs[way].calls)}, ${asked.runs[way].found} of ${asked.of} ${STAR}`

function cell(state, at, way) {
  const node = button("way", element("b"), element("span", "cost"), element("span", "marks"))
  node.onclick = () => {
    state.read = { at, way: way.key }
    set(state, { [`way${at + 1}`]: way.key })
  }
  return node
}

function write(state, made, node, at, way) {
  const asked = state.data.asked[at]
  const [lead, cost, marks] = node.children
  const open = made.ways[at] !== NOT_SENT
  const run = asked.runs[way.key]
  lead.textContent = open ? SIGNS[run.verdict] : "?"
  cost.textContent = open ? `${calls(run.calls)} · ${run.found} of ${asked.of} ${STAR}` : way.cost
  marks.textContent = [made.ways[at] === way.key && "you", open && asked.router.way === way.key && "the router"].filter(Boolean).join(" and ")
  node.className = `way ${open ? run.verdict : ""}`
  node.setAttribute("aria-pressed", String(made.ways[at] === way.key))
  node.setAttribute("aria-label", `${asked.question} ${way.name}: ${lead.textContent} ${cost.textContent} ${marks.textContent}`)
}

function build(state) {
  const { data, stage } = state
  const grid = stage.appendChild(element("div", "grid"))
  grid.append(element("span", "corner"))
  for (const way of data.ways) {
    const head = grid.appendChild(element("div", "head"))
    head.append(element("b", "", way.name), element("span", "", way.about))
  }
  state.cells = data.asked.map((asked, at) => {
    grid.append(element("p", "asked", asked.question))
    return data.ways.map((way) => grid.appendChild(cell(state, at, way)))
  })
  state.said = stage.appendChild(element("div", "said"))
  const sums = stage.appendChild(element("section"))
  state.sums = element("table")
  sums.append(element("h4", "", "All questions that you have sent"), state.sums, element("p", "aid", "The longer a bar, the more model calls; those for routing count as the router's. A router pays only where many questions are easy."))
}

function sums(state, made) {
  const { data } = state
  const rows = [["you", "Your ways"], ["router", "The router's ways"], ...data.ways.map(({ key, name }) => [key, `Always ${name.toLowerCase()}`])]
  const most = Math.max(1, ...Object.values(made.totals).map((one) => one.calls))
  state.sums.replaceChildren(...rows.map(([key, name]) => {
    const row = element("tr", key === "you" || key === "router" ? key : "")
    const bar = element("td", "bar", element("i"))
    bar.firstChild.style.width = `${(100 * made.totals[key].calls) / most}%`
    row.append(element("th", "", name), element("td", "right", `${made.totals[key].right} of ${made.sent.length} right`), bar, element("td", "count", calls(made.totals[key].calls)))
    return row
  }))
}

// The run of the cell that was chosen last.
function read(state, made) {
  const now = state.read && made.ways[state.read.at] === state.read.way ? state.read : made.sent.at(-1)
  if (!now) return state.said.replaceChildren(element("p", "", "The answer of the way that you choose appears here, with the router's reason for its own choice."))
  const asked = state.data.asked[now.at]
  const run = asked.runs[now.way]
  const line = (name, text) => {
    return element("p", "", element("b", "", `${name} `), text)
  }
  state.said.replaceChildren(
    line(`${SIGNS[run.verdict]}:`, flat(run.answer.split("\n\n")[0])),
    line("Right:", asked.right),
    line("Given:", run.given ? `${run.given} passages${run.stars.length ? `, of them ${run.stars.join("; ")}` : ", none with evidence"}` : "no passage"),
    line("The router:", `“${asked.router.reason}” So it chose ${nameOf(state.data, asked.router.way)}.`),
  )
}

function show(state, made) {
  if (!state.cells) build(state)
  state.cells.forEach((row, at) => row.forEach((node, place) => write(state, made, node, at, state.data.ways[place])))
  read(state, made)
  sums(state, made)
}

export default explorable({ handles, compute, show })
