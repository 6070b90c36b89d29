// A walk along mentions, step by step: who is at which passage, and by which mentions one comes to it. All of it is
// computed here from the chance to be at a passage after each step, for any restart probability.
const MILLISECONDS = 900
const THIN = 0.004 // flows that are not drawn
const NARROW = 230 // pixels for a column, below which the room between columns is small
const STACKED = 150 // and below which they stand below one another

const passages = (data) => data.columns.flatMap((column) => column.passages)
const steps = (data) => passages(data)[0].visits.length - 1
const percent = (part) => `${(100 * part).toFixed(part < 0.0995 ? 1 : 0)} %`

// The share of all readers who have stopped at a passage by a step, and who are there and go on. After the last, all stop.
function shares(visits, restart, step) {
  const last = visits.length - 1
  let stopped = 0
  let left = 1
  for (let j = 0; j <= step; j++) {
    const stops = j === last ? 1 : restart
    stopped += left * stops * visits[j]
    left *= 1 - stops
  }
  return { stopped, going: left * visits[step] }
}

// The share of all readers that a link brings from one of its ends to the other, in the step to `step`.
function flow(from, share, restart, step) {
  return step ? (1 - restart) ** step * from.visits[step - 1] * share : 0
}

function controls(state, update) {
  const bar = element("div", "controls")
  const range = (name, label, value, bounds, act) => {
    const box = element("label", name)
    const input = element("input")
    Object.assign(input, { type: "range", ...bounds })
    input.value = value
    input.setAttribute("aria-label", label)
    const says = element("output")
    box.append(element("span", "", label), input, says)
    input.oninput = () => act(Number(input.value))
    bar.append(box)
    return { input, says }
  }
  const halt = () => {
    clearInterval(state.timer)
    state.timer = null
  }
  state.play = button("play", "▶ Play")
  state.play.title = "One step after the other"
  state.play.onclick = () => {
    if (state.timer) halt()
    else {
      if (state.step >= state.steps) state.step = -1
      const on = () => {
        state.step += 1
        if (state.step >= state.steps) halt()
        update()
      }
      state.timer = setInterval(on, MILLISECONDS)
      on()
    }
    update()
  }
  bar.append(state.play)
  state.scrubber = range("scrubber", "Step", state.step, { min: 0, max: state.steps, step: 1 }, (value) => {
    halt()
    state.step = value
    update()
  })
  state.slider = range("restart", "Restart probability", state.restart, { min: 0.05, max: 1, step: 0.05 }, (value) => {
    state.restart = value
    update()
  })
  return bar
}

function box(one, state, update) {
  const node = button(`passage${one.given ? " given" : ""}`)
  node.dataset.id = one.id
  const head = element("span", "head")
  head.append(element("span", "rank", String(one.rank)), element("span", "title", one.short))
  node.append(head)
  const bar = element("span", "bar")
  node.stopped = element("i", "stopped")
  node.going = element("i", "going")
  bar.append(node.stopped, node.going)
  node.says = element("span", "says")
  if (one.visits.some(Boolean)) node.append(bar, node.says)
  node.title = `${one.title}\n${one.where} · cosine with the question ${one.cosine.toFixed(3)} · place ${one.rank} by walk and cosine${one.given ? ", given to the answer" : ""}`
  node.onclick = () => {
    state.chosen = one.id
    update()
  }
  return node
}

// How a link joins a passage with the one before it, which is number `place` of the way.
function joins(link, before, place) {
  const told = link && link.source === before.id
  if (link?.entity) return told ? `tells of “${link.name}”, of which ${place} says:` : `tells of “${link.name}”, as ${place} does:`
  return told ? `is mentioned in ${place}:` : `mentions the document of ${place}:`
}

// Shows the mentions that lead from a first hit to the chosen passage, each in its sentence; `state.way` is that way.
function why(data, state) {
  const known = new Map(passages(data).map((one) => [one.id, one]))
  const way = []
  for (let one = known.get(state.chosen); one && way.length <= known.size; one = known.get(one.via)) way.unshift(one)
  const end = way.at(-1)
  const text = fold("text", "The passage", state.open, "text")
  text.append(words(end))
  const list = element("ol")
  way.forEach((one, place) => {
    const item = element("li")
    const before = way[place - 1]
    const link = before && data.links.find((each) => [each.source, each.target].includes(one.id) && [each.source, each.target].includes(before.id))
    const found = before ? joins(link, before, place) : "is one of the first hits."
    const how = end.visits.some(Boolean) ? found : "was found by the search. No mention leads to it from the first hits."
    item.append(element("b", "", one.title), element("span", "how", how))
    if (link) item.append(fill(element("q"), link.pieces))
    list.append(item)
  })
  state.why.replaceChildren(element("h4", "", "Why is this passage here?"), list, text)
  state.way = end.visits.some(Boolean) ? way.map((one) => one.id) : []
}

// Columns stand below one another where they would be too narrow to read.
function fit(state) {
  const room = state.map.clientWidth / state.columns
  state.map.classList.toggle("narrow", room < NARROW)
  state.map.classList.toggle("stacked", room < STACKED)
}

function lines(state, data) {
  fit(state)
  const map = state.map.getBoundingClientRect()
  const known = new Map(passages(data).map((one) => [one.id, one]))
  const on = (id, other) => {
    const place = state.way.indexOf(id)
    return place >= 0 && (state.way[place + 1] === other || state.way[place - 1] === other)
  }
  for (const [link, path] of state.paths) {
    const [one, other] = [link.source, link.target].map((id) => state.boxes.get(id).getBoundingClientRect())
    const [left, right] = one.left <= other.left ? [one, other] : [other, one]
    const middle = (rect) => (rect.top + rect.bottom) / 2 - map.top
    const same = Math.abs(left.left - right.left) < 1
    const x1 = left.right - map.left
    const x2 = (same ? right.right : right.left) - map.left
    const bend = same ? 18 : (x2 - x1) / 2
    path.setAttribute("d", `M${x1} ${middle(left)} C${x1 + bend} ${middle(left)} ${x2 + (same ? bend : -bend)} ${middle(right)} ${x2} ${middle(right)}`)
    const onward = flow(known.get(link.source), link.onward, state.restart, state.step)
    const back = flow(known.get(link.target), link.back, state.restart, state.step)
    const moved = onward + back
    path.classList.toggle("way", on(link.source, link.target))
    path.classList.toggle("flows", moved > THIN)
    // Dashes run the way that most go while it is played.
    path.classList.toggle("back", onward > back !== (left === one))
    path.setAttribute("stroke-width", 1.5 + Math.min(12, 40 * moved))
  }
}

function dress(state, data) {
  const end = state.step === state.steps
  const { input, says } = state.scrubber
  input.value = state.step
  says.textContent = end ? "the end" : String(state.step)
  input.setAttribute("aria-valuetext", end ? "the end" : `${state.step} of ${state.steps}`)
  state.slider.says.textContent = `${state.restart.toFixed(2)}${state.restart === data.restart ? " as in the run" : ""}`
  state.play.textContent = state.timer ? "Pause" : "▶ Play"
  state.map.classList.toggle("playing", Boolean(state.timer))
  const all = passages(data).map((one) => [one, shares(one.visits, state.restart, state.step)])
  const most = Math.max(...all.map(([, { stopped, going }]) => stopped + going), 0.01)
  for (const [one, { stopped, going }] of all) {
    const node = state.boxes.get(one.id)
    node.stopped.style.width = `${(100 * stopped) / most}%`
    node.going.style.width = `${(100 * going) / most}%`
    node.says.textContent = end ? percent(stopped) : `${percent(stopped)} + ${percent(going)}`
    node.setAttribute("aria-pressed", String(one.id === state.chosen))
  }
  // Said anew only when another passage is chosen: it is read aloud then, and not at every step.
  if (state.told !== state.chosen) why(data, state)
  state.told = state.chosen
  for (const [id, node] of state.boxes) node.classList.toggle("way", state.way.includes(id))
  lines(state, data)
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  const update = () => dress(state, data)
  if (changed(state, data)) {
    clearInterval(state.timer)
    const reached = passages(data).filter((one) => one.via && one.given)
    Object.assign(state, { timer: null, steps: steps(data), step: steps(data), restart: data.restart, told: "" })
    state.chosen = (reached[0] ?? passages(data)[0]).id
    state.columns = data.columns.filter((column) => column.reached).length
    root.style.setProperty("--mark", data.colour)
    root.style.setProperty("--columns", state.columns)
    state.boxes = new Map(passages(data).map((one) => [one.id, box(one, state, update)]))
    state.paths = new Map(data.links.map((link) => [link, shape("path", { class: link.entity ? "entity" : "" })]))
    state.map = element("div", "map")
    const svg = shape("svg", { "aria-hidden": true })
    svg.append(...state.paths.values())
    state.map.append(svg)
    for (const column of data.columns) {
      const node = element("section", column.reached ? "" : "apart")
      node.append(element("h4", "", column.title), ...column.passages.map((one) => state.boxes.get(one.id)))
      state.map.append(node)
    }
    state.why = element("div", "why")
    state.why.setAttribute("aria-live", "polite")
    root.replaceChildren(controls(state, update), state.map, state.why)
  }
  update()
  const end = resized(state, [state.map], () => lines(state, data))
  return () => {
    clearInterval(state.timer)
    end()
  }
}
