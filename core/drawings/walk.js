// A walk along mentions, step by step: who is at which passage, and by which mentions one comes to it. All of it is
// computed here from the chance to be at a passage after each step, for any restart probability.
const MILLISECONDS = 900
const THIN = 0.004 // flows that are not drawn

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
  head.append(element("span", "rank", String(one.rank)), element("span", "title", one.title))
  node.append(head)
  const bar = element("span", "bar")
  node.stopped = element("i", "stopped")
  node.going = element("i", "going")
  bar.append(node.stopped, node.going)
  node.says = element("span", "says")
  node.append(bar, node.says)
  node.title = `${one.where} · cosine with the question ${one.cosine.toFixed(3)} · place ${one.rank} by walk and cosine${one.given ? ", given to the answer" : ""}`
  node.onclick = () => {
    state.chosen = one.id
    update()
  }
  return node
}

// Shows the mentions that lead from a first hit to a passage, each in its sentence. Returns the passages on that way.
function why(node, data, state) {
  const known = new Map(passages(data).map((one) => [one.id, one]))
  const way = []
  for (let one = known.get(state.chosen); one && way.length <= known.size; one = known.get(one.via)) way.unshift(one)
  const end = way.at(-1)
  node.replaceChildren(element("h4", "", `Why is “${end.title}” here?`))
  const text = fold("text", "The passage", state.open, "text")
  text.append(words(end))
  if (!end.visits.some(Boolean)) {
    node.append(element("p", "", "The search found it. No mention leads to it from the first hits."), text)
    return []
  }
  const list = element("ol")
  way.forEach((one, place) => {
    const item = element("li")
    const before = way[place - 1]
    const link = before && data.links.find((each) => [each.source, each.target].includes(one.id) && [each.source, each.target].includes(before.id))
    if (!before) item.append(element("b", "", one.title), element("span", "how", "is one of the first hits."))
    else {
      const mentions = link && link.source === before.id
      item.append(element("b", "", one.title), element("span", "how", mentions ? "is what that passage mentions:" : "mentions that document:"))
      if (link) item.append(fill(element("q"), link.pieces))
    }
    list.append(item)
  })
  node.append(list, text)
  return way.map((one) => one.id)
}

function lines(state, data) {
  const map = state.map.getBoundingClientRect()
  state.map.querySelector("svg")?.remove()
  if (state.stacked.matches) return
  const svg = shape("svg", { "aria-hidden": true, width: map.width, height: map.height })
  const known = new Map(passages(data).map((one) => [one.id, one]))
  const on = (id, other) => {
    const place = state.way.indexOf(id)
    return place >= 0 && (state.way[place + 1] === other || state.way[place - 1] === other)
  }
  for (const link of data.links) {
    const [one, other] = [link.source, link.target].map((id) => state.boxes.get(id).getBoundingClientRect())
    const [left, right] = one.left <= other.left ? [one, other] : [other, one]
    const middle = (rect) => (rect.top + rect.bottom) / 2 - map.top
    const same = Math.abs(left.left - right.left) < 1
    const x1 = left.right - map.left
    const x2 = (same ? right.right : right.left) - map.left
    const bend = same ? 18 : (x2 - x1) / 2
    const d = `M${x1} ${middle(left)} C${x1 + bend} ${middle(left)} ${x2 + (same ? bend : -bend)} ${middle(right)} ${x2} ${middle(right)}`
    const moved =
      flow(known.get(link.source), link.onward, state.restart, state.step) +
      flow(known.get(link.target), link.back, state.restart, state.step)
    const name = [on(link.source, link.target) ? "way" : "", moved > THIN ? "flows" : ""].join(" ").trim()
    svg.append(shape("path", { d, class: name, "stroke-width": 1.5 + Math.min(12, 40 * moved) }))
  }
  state.map.prepend(svg)
}

function dress(state, data) {
  const end = state.step === state.steps
  const { input, says } = state.scrubber
  input.value = state.step
  says.textContent = end ? "the end" : String(state.step)
  state.slider.says.textContent = `${state.restart.toFixed(2)}${state.restart === data.restart ? " as in the run" : ""}`
  state.play.textContent = state.timer ? "Pause" : "▶ Play"
  const all = passages(data).map((one) => [one, shares(one.visits, state.restart, state.step)])
  const most = Math.max(...all.map(([, { stopped, going }]) => stopped + going), 0.01)
  for (const [one, { stopped, going }] of all) {
    const node = state.boxes.get(one.id)
    node.stopped.style.width = `${(100 * stopped) / most}%`
    node.going.style.width = `${(100 * going) / most}%`
    node.says.textContent = end ? percent(stopped) : `${percent(stopped)} + ${percent(going)}`
    node.setAttribute("aria-pressed", String(one.id === state.chosen))
  }
  state.way = why(state.why, data, state)
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
    Object.assign(state, { timer: null, steps: steps(data), step: steps(data), restart: data.restart })
    state.chosen = (reached[0] ?? passages(data)[0]).id
    state.stacked = window.matchMedia("(max-width: 640px)")
    root.style.setProperty("--mark", data.colour)
    root.style.setProperty("--columns", data.columns.length)
    state.boxes = new Map(passages(data).map((one) => [one.id, box(one, state, update)]))
    state.map = element("div", "map")
    for (const column of data.columns) {
      const node = element("section")
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
