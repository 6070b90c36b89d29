// The way of a run through its loops. Text reaches the page through textContent alone, so nothing in it is ever
// interpreted.
function element(tag, name, text) {
  const node = document.createElement(tag)
  if (name) node.className = name
  if (text !== undefined) node.textContent = text
  return node
}

function chip(grade, label) {
  const sign = grade.half ? "◐" : grade.passes ? "✓" : "✗"
  const node = element("span", `chip ${grade.passes ? "passes" : "fails"}`, `${label}${sign} ${grade.verdict}`)
  node.title = [grade.about, grade.reason].filter(Boolean).join(": ")
  return node
}

function stage(name, ...content) {
  const node = element("div", "stage")
  node.append(element("span", "name", name))
  const held = element("div", "held")
  held.append(...content)
  node.append(held)
  return node
}

function draft(lap, state) {
  const fold = element("details", "draft")
  fold.open = state.open.has(lap.number)
  fold.ontoggle = () => (fold.open ? state.open.add(lap.number) : state.open.delete(lap.number))
  const head = element("summary", "", `Draft ${lap.number}`)
  if (lap.returned) head.append(element("span", "returned", "returned"))
  fold.append(head, element("p", "", lap.draft))
  return fold
}

function build(lap, state) {
  const row = element("section", `lap ${lap.way}`)
  const head = element("div", "head")
  head.append(element("span", "title", lap.title))
  if (lap.search) head.append(element("span", "search", lap.search))
  const stages = element("div", "stages")
  if (lap.found !== null) {
    stages.append(stage("Retrieve", element("span", "", `${lap.found} passages`)))
    stages.append(stage("IsRel, passage by passage", ...lap.chunks.map((grade) => chip(grade, ""))))
  }
  if (lap.draft) stages.append(stage("Generate", draft(lap, state)))
  for (const grade of lap.answer) stages.append(stage(grade.what, chip(grade, "")))
  row.append(head, stages)
  const arrow = { back: "↺", done: "→", cap: "■", open: "…" }[lap.way]
  row.append(element("p", "led", `${arrow} ${lap.led || "Under way"}`))
  return row
}

const states = new WeakMap()

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = states.get(root) ?? { open: new Set(), drawn: "" }
  states.set(root, state)
  const drawn = JSON.stringify(data)
  if (drawn === state.drawn) return
  state.drawn = drawn
  root.style.setProperty("--colour", data.colour)
  root.replaceChildren(...data.laps.map((lap) => build(lap, state)))
}
