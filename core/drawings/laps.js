// The way of a run through its loops.

function chip(grade) {
  const node = verdict(grade)
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
  const node = fold("draft", `Draft ${lap.number}`, state.open, lap.number)
  if (lap.returned) node.firstElementChild.append(element("span", "returned", "returned"))
  node.append(element("p", "", lap.draft))
  return node
}

function build(lap, state) {
  const row = element("section", `lap ${lap.way}`)
  const head = element("div", "head")
  head.append(element("span", "title", lap.title))
  if (lap.search) head.append(element("span", "search", lap.search))
  const stages = element("div", "stages")
  if (lap.found !== null) {
    stages.append(stage("Retrieve", element("span", "", `${lap.found} passages`)))
    stages.append(stage("IsRel, passage by passage", ...lap.chunks.map((grade) => chip(grade))))
  }
  if (lap.draft) stages.append(stage("Generate", draft(lap, state)))
  for (const grade of lap.answer) stages.append(stage(grade.what, chip(grade)))
  row.append(head, stages)
  const arrow = { back: "↺", done: "→", cap: "■", open: "…" }[lap.way]
  row.append(element("p", "led", `${arrow} ${lap.led || "Under way"}`))
  return row
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  if (!changed(state, data)) return
  root.style.setProperty("--colour", data.colour)
  root.replaceChildren(...data.laps.map((lap) => build(lap, state)))
}
