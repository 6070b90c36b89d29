// What explorables share: handles, their state in the address's fragment, the answer in words, and a reset. An explorable
// is the picture of a recorded run with handles: `handles` are what can be moved, `compute` works out what comes of it,
// without the page, and `show` draws that. Where its data has a guess, that is asked above the handles.
import { GUESS, guessHandle, guessValues, isAtGuess, panel } from "./guess.js"
import { apart, button, changed, element, recall, resized, states } from "./parts.js"
import { glide, tell } from "./picture.js"

const PARAMETER = "explore"

// Kinds of handles. Each has a `start`, says how a value stands in the address, and reads only what it could have said.

export function range(name, label, { min, max, step = 1, start, told = String }) {
  const parse = (text) => {
    const number = Number(text)
    if (text === "" || !Number.isFinite(number)) return start
    return Number((Math.round((Math.min(Math.max(number, min), max) - min) / step) * step + min).toFixed(6))
  }
  const draw = (set) => {
    const node = element("label", "handle range")
    const field = Object.assign(element("input"), { type: "range", min, max, step })
    const value = element("output")
    field.oninput = () => set(Number(field.value))
    node.append(element("span", "name", label), field, value)
    return [node, (now) => {
      field.value = now
      value.textContent = told(now)
      field.setAttribute("aria-valuetext", told(now))
    }]
  }
  return { name, start, print: String, parse, draw }
}

// One of several; `options` are pairs of a key and its label.
export function choice(name, label, { options, start }) {
  const keys = options.map(([key]) => key)
  const draw = (set) => {
    const node = element("fieldset", "handle choice", element("legend", "name", label))
    const fields = options.map(([key, text]) => {
      const field = Object.assign(element("input"), { type: "radio", name: `choice-${name}`, value: key })
      field.onchange = () => set(key)
      node.append(element("label", "", field, element("span", "", text)))
      return field
    })
    return [node, (now) => fields.forEach((field) => (field.checked = field.value === now))]
  }
  return { name, start, print: (value) => value, parse: (text) => (keys.includes(text) ? text : start), draw }
}

const LONG = 85

// A choice among long texts.
export function picked(name, label, texts) {
  const made = choice(name, label, { options: texts.map((text, at) => [String(at), text]), start: "0" })
  const draw = (set) => {
    const node = element("label", "handle picked")
    const field = element("select", "", ...texts.map((text, at) => Object.assign(element("option", "", text), { value: String(at) })))
    field.onchange = () => set(field.value)
    // Where there is no room in the field, all of the text stands below it.
    const whole = element("span", "whole")
    whole.setAttribute("aria-hidden", "true")
    node.append(element("span", "name", label), field, whole)
    return [node, (now) => {
      field.value = now
      whole.textContent = texts[Number(now)]
      whole.classList.toggle("long", whole.textContent.length > LONG)
    }]
  }
  return { ...made, draw }
}

// Several that are on or off; `options` are `{ text, title, colour }`, and the address names those that are not as at first.
export function switches(name, label, { options, start = options.map(() => true) }) {
  const print = (value) => value.flatMap((on, at) => (on === start[at] ? [] : [at])).join(".")
  const parse = (text) => {
    const said = text ? text.split(".") : []
    const other = new Set(said.map(Number))
    if (other.size !== said.length || !said.every((one) => /^\d+$/.test(one) && Number(one) < start.length)) return start
    return start.map((on, at) => (other.has(at) ? !on : on))
  }
  const draw = (set, values) => {
    const node = element("div", "handle switches")
    node.setAttribute("role", "group")
    node.setAttribute("aria-label", label)
    node.append(element("span", "name", label))
    const buttons = options.map((option, at) => {
      const one = button("switch", element("i"), element("span", "", option.text))
      one.title = option.title ?? ""
      if (option.colour) one.style.setProperty("--mark", option.colour)
      one.onclick = () => set(values()[name].map((on, place) => (place === at ? !on : on)))
      node.append(one)
      return one
    })
    return [node, (now) => buttons.forEach((one, at) => one.setAttribute("aria-pressed", String(now[at])))]
  }
  return { name, start, print, parse, draw }
}

// Orders of several lists, moved in the picture itself; `sizes` are their lengths. The address names lists that were moved.
export function orders(name, sizes) {
  const start = sizes.map((size) => [...Array(size).keys()])
  const moved = (order) => order.some((one, at) => one !== at)
  const print = (value) => value.flatMap((order, at) => (moved(order) ? [`${at}-${order.join(".")}`] : [])).join("_")
  const parse = (text) => {
    const found = structuredClone(start)
    for (const part of text ? text.split("_") : []) {
      const [at, written = ""] = part.split("-")
      const order = written.split(".").map(Number)
      const whole = order.length === found[at]?.length && new Set(order).size === order.length && order.every((one) => one in found[at])
      if (whole) found[at] = order
    }
    return found
  }
  return { name, start, print, parse }
}

export function written(handles, values) {
  const parts = handles.map((one) => [one.name, one.print(values[one.name])]).filter(([name, text]) => text !== starts(handles)[name])
  return parts.map(([name, text]) => `&${name}=${encodeURIComponent(text)}`).join("")
}

const starts = (handles) => Object.fromEntries(handles.map((one) => [one.name, one.print(one.start)]))

export function ordinal(rank) {
  const last = rank % 100 > 10 && rank % 100 < 14 ? 0 : rank % 10
  return `${rank}${["th", "st", "nd", "rd"][last] ?? "th"}`
}

// What the address says of this explorable; all as at first where it speaks of another one.
function addressed(key, handles) {
  const said = new URLSearchParams(location.hash.slice(1))
  const own = said.get(PARAMETER) === key
  return Object.fromEntries(handles.map((one) => [one.name, own && said.has(one.name) ? one.parse(said.get(one.name)) : one.start]))
}

// Only a fragment that is this explorable's own is ever taken away.
export function note(key, handles, values) {
  const text = written(handles, values)
  const own = new URLSearchParams(location.hash.slice(1)).get(PARAMETER) === key
  if (!text && !own) return
  history.replaceState(history.state, "", `${location.pathname}${location.search}${text ? `#${PARAMETER}=${key}${text}` : ""}`)
}

// A drawing that an explorable has in it; returns what draws it.
export function held(place, drawing) {
  const inside = apart(drawing)
  place.append(inside)
  return (data) => drawing.default({ data, parentElement: inside.shadowRoot })
}

// An answer as one line of sentences, without citation marks; a line without its full stop gets one.
export function flat(text) {
  const lines = text.split("\n").map((line) => line.replace(/\s*\[\d+\]/g, "").trim()).filter(Boolean)
  return lines.map((line) => (/[.!?…]["”’]?$/.test(line) ? line : `${line}.`)).join(" ")
}

// With mean 0 and standard deviation 1, as `standardise` of `core.models.embedding_vectors` does.
export function standardised(values) {
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length
  const spread = Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length)
  return values.map((one) => (spread > 0 ? (one - mean) / spread : 0))
}

// Boxes in a row: what is counted, how many, and a remark.
export function figures(place, told) {
  place.replaceChildren(...told.map(([name, number, remark]) => {
    return element("div", "", element("span", "", name), element("b", "", number), element("span", "", remark))
  }))
}

// Puts hits in their order into `state.list`, each with the item that it has in `state.items`; what moves glides. `item`
// makes one, `write` says in it what is true of the hit now.
export function hitList(state, hits, item, write) {
  const items = hits.map((hit) => {
    if (!state.items.has(hit.place)) state.items.set(hit.place, item(state, hit.place))
    return state.items.get(hit.place)
  })
  const same = items.length === state.list.children.length && items.every((one, at) => state.list.children[at] === one)
  glide(() => state.items.values(), () => {
    hits.forEach((hit, at) => write(items[at], hit))
    if (!same) state.list.replaceChildren(...items)
  }, () => {})
}

function update(state) {
  const { guess } = state.data
  if (guess) {
    const own = state.values[GUESS]
    const still = isAtGuess(guess, state.handles, state.values)
    if (own.option && still) own.seen = true
    state.guess(own, still)
  }
  const made = state.spec.compute(state.data, state.values)
  for (const [one, write] of state.drawn) write(state.values[one.name])
  state.spec.show(state, made)
  if (state.answer.textContent !== made.says) state.answer.textContent = made.says
  tell(state, made.says, made.facts)
  state.reset.disabled = !written(state.handles, state.values)
}

// Sets handles to what was asked for, and shows what comes of it.
export function set(state, values) {
  Object.assign(state.values, values)
  update(state)
  note(state.data.key, state.noted, state.values)
}

function frame(root, state) {
  const top = element("div", "handles")
  const all = top.appendChild(element("div", "all"))
  state.drawn = []
  for (const one of state.handles) {
    if (!one.draw) continue
    const [node, write] = one.draw((value) => set(state, { [one.name]: value }), () => state.values)
    all.append(node)
    state.drawn.push([one, write])
  }
  state.reset = button("reset", "Reset")
  state.reset.onclick = () => {
    const focused = state.reset
    set(state, structuredClone(Object.fromEntries(state.handles.map((one) => [one.name, one.start]))))
    if (focused.disabled) top.querySelector("input, button")?.focus()
  }
  top.append(state.reset)
  state.answer = element("p", "answer")
  state.answer.setAttribute("role", "status")
  state.stage = element("div", "stage")
  state.aloud = element("div")
  const about = element("div", "about")
  about.append(element("h3", "", state.data.question), element("span", "", state.data.about))
  const { guess } = state.data
  const asked = []
  if (guess) {
    const [node, write] = panel(guess, (value) => set(state, { [GUESS]: value }), () => set(state, guessValues(guess, state.handles)))
    asked.push(node)
    state.guess = write
  }
  root.replaceChildren(about, ...asked, element("p", "how", state.data.how), top, state.answer, state.stage, state.aloud)
}

export const explorable = (spec) => ({ data, parentElement }) => {
  const root = parentElement.querySelector(".root")
  const before = recall(root)
  if (changed(before, data)) {
    // What the stage held goes with it, and nothing draws there any more.
    before.observer?.disconnect()
    const handles = spec.handles(data)
    const noted = data.guess ? [...handles, guessHandle(data.guess)] : handles // what the address tells
    states.set(root, { open: before.open, drawn: before.drawn, data, spec, handles, noted, width: 0 })
  }
  const state = recall(root)
  const read = () => {
    state.values = structuredClone(addressed(data.key, state.noted))
    update(state)
  }
  const fit = () => {
    if (root.clientWidth === state.width) return
    state.width = root.clientWidth
    root.classList.toggle("narrow", state.width < 700)
    root.classList.toggle("slim", state.width < 520)
    update(state)
  }
  if (!state.stage) {
    frame(root, state)
    read()
  }
  addEventListener("hashchange", read)
  const stop = resized(state, [root], fit)
  return () => {
    stop()
    removeEventListener("hashchange", read)
  }
}
