// A walk along mentions as a flow, from the question to the first hits and from passage to passage: a band is as wide as
// the share of all readers that it has brought. All of it is computed here from the chance to be at a passage after each
// step, for any restart probability.
import { button, changed, element, fill, fold, recall, shape, words } from "./parts.js"
import { arrows, framed, reads, says, selects, settled, tell } from "./picture.js"
export { default as css } from "./walk.css" with { type: "text" }

const MILLISECONDS = 900
const BAND = 90 // pixels, if it brought all readers
const THIN = 0.004 // flows that are not drawn
const SEEN = 5 // passages of a column before one asks for all
const NARROW = 190 // pixels for a column, below which the question and the room between columns are left out
const STACKED = 150 // and below which they stand below one another

const passages = (data) => data.columns.flatMap((column) => column.passages)
const percent = (part) => `${(100 * part).toFixed(part < 0.0995 ? 1 : 0)} %`
const whole = (one) => [one.title, one.detail].filter(Boolean).join(" · ")

// The share of all readers who have stopped at a passage by a step, and who are there and go on. After the last, all stop.
export function shares(visits, restart, step) {
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

// The share of all readers that a link has brought from one of its ends to the other by a step; `share` of those who are at
// that end go there in a step.
function brought(from, share, restart, step) {
  let sum = 0
  for (let j = 1; j <= step; j++) sum += (1 - restart) ** j * from.visits[j - 1] * share
  return sum
}

function range(bar, name, label, bounds, act) {
  const box = element("label", name)
  const input = element("input")
  Object.assign(input, { type: "range", ...bounds })
  input.setAttribute("aria-label", label)
  const told = element("output")
  box.append(element("span", "", label), input, told)
  input.oninput = () => act(Number(input.value))
  bar.append(box)
  return { input, told }
}

// The restart probability has its slider here, unless an explorable sets it (`handled`).
function controls(state, handled, update) {
  const bar = element("div", "controls")
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
  state.scrubber = range(bar, "scrubber", "Step", { min: 0, max: state.steps, step: 1 }, (value) => {
    halt()
    state.step = value
    update()
  })
  if (handled) return bar
  state.slider = range(bar, "restart", "Restart probability", { min: 0.05, max: 1, step: 0.05 }, (value) => {
    state.restart = value
    update()
  })
  return bar
}

function box(one, state, update) {
  const node = button(`passage${one.given ? " given" : ""}`)
  node.dataset.id = one.id
  const head = element("span", "head", element("span", "rank", String(one.rank)), element("span", "title", one.title))
  if (one.detail) head.append(element("span", "detail", one.detail))
  node.append(head)
  node.stopped = element("i", "stopped")
  node.going = element("i", "going")
  node.share = element("span", "share")
  const bar = element("span", "bar", node.stopped, node.going)
  if (one.visits.some(Boolean)) node.append(bar, node.share)
  node.setAttribute("aria-label", `${whole(one)}. ${one.told}`)
  selects(node, state, one.id, "", update)
  return node
}

function columnOf(column, state) {
  return element("section", column.reached ? "" : "apart", element("h4", "", column.title), ...column.passages.map((one) => state.boxes.get(one.id)))
}

// How a link joins a passage with the one before it, which is number `place` of the way.
function joins(link, before, place) {
  const told = link && link.source === before.id
  if (link?.entity) return told ? `tells about “${link.name}”; ${place} says about it:` : `tells about “${link.name}”, as ${place} does:`
  return told ? `is mentioned in ${place}:` : `mentions the document of ${place}:`
}

// The passages from a first hit to this one, along which most come.
export function wayTo(data, id) {
  const known = new Map(passages(data).map((one) => [one.id, one]))
  const way = []
  for (let one = known.get(id); one && way.length <= known.size; one = known.get(one.via)) way.unshift(one)
  return way.at(-1)?.visits.some(Boolean) ? way : []
}

// The mentions that lead from a first hit to the chosen passage, each in its sentence.
function why(data, one, state) {
  const way = wayTo(data, one.id)
  const node = element("div", "why")
  const list = element("ol")
  way.forEach((each, place) => {
    const item = element("li")
    const before = way[place - 1]
    const link = before && data.links.find((some) => [some.source, some.target].includes(each.id) && [some.source, some.target].includes(before.id))
    item.append(element("b", "", whole(each)), element("span", "how", before ? joins(link, before, place) : each.visits[0] ? "is one of the first hits." : "is reached by passages that are not drawn."))
    if (link) item.append(fill(element("q"), link.pieces))
    list.append(item)
  })
  const text = fold("text", `The passage: ${whole(one)}`, state.open, "text", words(one))
  node.append(element("h4", "", "Why is this passage here?"), way.length ? list : element("p", "", "The search found it. No mention leads to it from the first hits."), text)
  return node
}

function lines(state, data) {
  const room = state.map.clientWidth / (state.columns.childElementCount || 1)
  state.map.classList.toggle("narrow", room < NARROW)
  state.map.classList.toggle("stacked", room < STACKED)
  const zero = state.svg.getBoundingClientRect()
  if (!zero.width) return
  const known = new Map(passages(data).map((one) => [one.id, one]))
  const way = wayTo(data, state.lit || state.chosen).map((one) => one.id)
  const place = (id) => state.boxes.get(id).getBoundingClientRect()
  const drawn = []
  const add = (d, part, names) => drawn.push(shape("path", { d, class: names.filter(Boolean).join(" "), "stroke-width": Math.max(1, BAND * part) }))
  // From the question: bands side by side, as wide together as all readers.
  const asked = state.question.getBoundingClientRect()
  let above = asked.top + asked.height / 2 - BAND / 2 - zero.top
  for (const one of passages(data)) {
    const part = one.visits[0]
    if (!part || !asked.width || state.boxes.get(one.id).hidden) continue
    const [x, y] = [asked.right - zero.left, above + (BAND * part) / 2]
    const to = place(one.id)
    const [u, v] = [to.left - zero.left, to.top + to.height / 2 - zero.top]
    add(`M${x} ${y} C${(x + u) / 2} ${y} ${(x + u) / 2} ${v} ${u} ${v}`, part, ["flows", way[0] === one.id && "way"])
    above += BAND * part
  }
  for (const link of data.links) {
    if ([link.source, link.target].some((id) => state.boxes.get(id).hidden)) continue
    const [one, other] = [link.source, link.target].map(place)
    const [left, right] = one.left <= other.left ? [one, other] : [other, one]
    const middle = (rect) => (rect.top + rect.bottom) / 2 - zero.top
    const same = Math.abs(left.left - right.left) < 1
    const x1 = left.right - zero.left
    const x2 = (same ? right.right : right.left) - zero.left
    const bend = same ? 18 : (x2 - x1) / 2
    const onward = brought(known.get(link.source), link.onward, state.restart, state.step)
    const back = brought(known.get(link.target), link.back, state.restart, state.step)
    const at = way.indexOf(link.source)
    const on = at >= 0 && [way[at - 1], way[at + 1]].includes(link.target)
    // Dashes run the way that most go while it is played.
    const names = [link.entity && "entity", on && "way", onward + back > THIN && "flows", onward > back !== (left === one) && "back"]
    add(`M${x1} ${middle(left)} C${x1 + bend} ${middle(left)} ${x2 + (same ? bend : -bend)} ${middle(right)} ${x2} ${middle(right)}`, onward + back, names)
  }
  state.svg.replaceChildren(...drawn)
}

function say(state, data, lit) {
  if (!lit) return says(state, data.summary, state.rest)
  const way = wayTo(data, lit.id)
  const before = way.at(-2)
  const link = before && data.links.find((some) => [some.source, some.target].includes(lit.id) && [some.source, some.target].includes(before.id))
  const from = before ? ` It ${joins(link, before, whole(before)).replace(/:$/, ".")}` : ""
  says(state, `${lit.rank}. ${whole(lit)}`, `${lit.told}${from}`)
}

function dress(state, data) {
  const end = state.step === state.steps
  const { input, told } = state.scrubber
  input.value = state.step
  told.textContent = end ? "the end" : String(state.step)
  input.setAttribute("aria-valuetext", end ? "the end" : `${state.step} of ${state.steps}`)
  if (state.slider) state.slider.input.value = state.restart
  if (state.slider) state.slider.told.textContent = `${state.restart.toFixed(2)}${state.restart === data.restart ? " as in the run" : ""}`
  state.play.textContent = state.timer ? "Pause" : "▶ Play"
  state.map.classList.toggle("playing", Boolean(state.timer))
  const every = passages(data)
  const all = every.map((one) => [one, shares(one.visits, state.restart, state.step)])
  const most = Math.max(...all.map(([, { stopped, going }]) => stopped + going), 0.01)
  const here = all.reduce((sum, [, { stopped, going }]) => sum + stopped + going, 0)
  state.rest = data.others && here < 0.999 ? `${percent(1 - here)} of the readers ${end ? "stop" : "are"} at ${data.others} other passages.` : ""
  const way = wayTo(data, state.lit || state.chosen).map((one) => one.id)
  for (const [one, { stopped, going }] of all) {
    const node = state.boxes.get(one.id)
    node.stopped.style.width = `${(100 * stopped) / most}%`
    node.going.style.width = `${(100 * going) / most}%`
    node.share.textContent = end ? percent(stopped) : `${percent(stopped)} + ${percent(going)}`
    node.setAttribute("aria-pressed", String(one.id === state.chosen))
    node.classList.toggle("way", way.includes(one.id))
    node.tabIndex = one.id === state.at ? 0 : -1
  }
  let hidden = 0
  for (const column of data.columns) {
    column.passages.forEach((one, place) => (state.boxes.get(one.id).hidden = !state.all && place >= SEEN))
    hidden += Math.max(0, column.passages.length - SEEN)
  }
  state.more.hidden = !hidden
  state.more.textContent = state.all ? "Show fewer passages" : `Show ${hidden} more`
  say(state, data, every.find((one) => one.id === (state.lit || state.chosen)))
  reads(state, every.find((one) => one.id === state.chosen), (one) => [why(data, one, state)])
}

function build(root, state, data, update) {
  clearInterval(state.timer)
  const every = passages(data)
  const steps = every[0].visits.length - 1
  const again = data.handled && every.some((one) => one.id === state.at) // what the reader has chosen stays
  Object.assign(state, { timer: null, steps, restart: data.restart, lit: "" }, again ? {} : { step: steps, chosen: "", all: false, at: every[0].id })
  state.boxes = new Map(every.map((one) => [one.id, box(one, state, update)]))
  state.question = element("div", "question", data.question)
  const asked = element("section", "asked", element("h4", "", "Question"), state.question)
  state.columns = element("div", "columns")
  state.columns.append(asked, ...data.columns.filter((column) => column.reached).map((column) => columnOf(column, state)))
  framed(root, state, "How readers flow from passage to passage; arrow keys lead from one to the next", state.columns, ...data.columns.filter((column) => !column.reached).map((column) => columnOf(column, state)))
  state.map.onkeydown = (event) => {
    const nodes = [...state.map.querySelectorAll("section")].map((node) => [...node.querySelectorAll(".passage")].filter((one) => !one.hidden))
    arrows(event, nodes.filter((column) => column.length), state.boxes.get(state.at))
  }
  state.more = button("more")
  state.more.onclick = () => {
    state.all = !state.all
    update()
  }
  state.map.before(controls(state, data.handled, update))
  state.map.after(state.more)
  root.style.setProperty("--columns", state.columns.childElementCount - 1)
  tell(state, data.summary, every.map((one) => `${whole(one)}: ${one.told}`))
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  const update = () => {
    dress(state, data)
    lines(state, data)
  }
  root.style.setProperty("--colour", data.colour)
  if (changed(state, data)) build(root, state, data, update)
  const end = settled(state, 0, update)
  return () => {
    clearInterval(state.timer)
    end()
  }
}
