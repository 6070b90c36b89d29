// What happens between question and answer, in five scenes: question, queries, lists, fused order, answer.
import { button, changed, element, recall, resized, shape } from "./parts.js"

const SECONDS = [1.2, 2.1, 2.1, 2.6]
const GLIDE = { duration: 300, easing: "ease-out", fill: "backwards" }
const PLAYED = "rag-loupe-welcome-played"
const QUERIES = 1, LISTS = 2, FUSED = 3, ANSWER = 4

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches

// Pages that may not keep anything play it each time.
function played(now) {
  try {
    if (now) sessionStorage.setItem(PLAYED, "1")
    return sessionStorage.getItem(PLAYED) !== null
  } catch {
    return false
  }
}

function box(id, data) {
  const passage = data.passages[id]
  const node = element("span", passage.star ? "hit star" : "hit", passage.star ? "★" : "")
  node.dataset.chunk = id
  node.title = passage.name
  node.style.setProperty("--mark", passage.colour)
  return node
}

function build(root, data, state) {
  state.question = element("p", "question")
  state.question.append(element("span", "label", `Example: ${data.strategy}`), element("span", "words", data.question))

  state.rows = data.lists.map((list) => {
    const row = element("li")
    const hits = element("span", "hits")
    hits.append(...list.hits.map((id) => box(id, data)))
    const text = element("span", "query")
    text.append(element("span", "", list.text))
    text.title = list.text
    row.append(text, hits)
    return row
  })
  const queries = element("ul", "queries", ...state.rows)

  state.fused = data.fused.map((id, index) => {
    const passage = data.passages[id]
    const item = element("li", passage.star ? "star" : "")
    item.dataset.chunk = id
    item.style.setProperty("--mark", passage.colour)
    item.title = passage.name
    item.append(element("b", "", index + 1), element("span", "", passage.title))
    if (passage.detail) item.append(element("span", "detail", passage.detail))
    return item
  })
  const fused = element("ol", "fused")
  fused.append(...state.fused)

  const titles = ["Queries", "Found, best first", "Fused into one list"].map((text) => element("span", "label", text))
  state.titles = titles
  state.map = element("div", "map")
  state.svg = shape("svg", { class: "lines" })
  state.map.append(...titles, queries, fused, state.svg)
  state.map.setAttribute("aria-hidden", "true")

  state.answer = element("p", "answer")
  state.answer.append(element("span", "label", "Answer"), element("span", "words", data.answer))
  state.answer.title = data.answer

  state.caption = element("p", "caption")
  const controls = element("div", "controls")
  const make = (text, act) => {
    const node = button("control", text)
    node.onclick = act
    controls.append(node)
    return node
  }
  state.back = make("Step back", () => step(state, -1))
  state.play = make("Pause", () => (state.timer ? pause(state) : play(state)))
  state.next = make("Step", () => step(state, 1))
  if (data.run) make("Open this run", state.open).classList.add("open")
  const foot = element("div", "foot", state.caption, controls)

  const stage = element("div", "stage", state.question, state.map, state.answer, foot, aloud(data))
  root.replaceChildren(stage)
}

// The same facts as text, for who cannot see the picture.
function aloud(data) {
  const node = element("div", "aloud")
  const list = element("ol", "", ...data.scenes.map((one) => element("li", "", one)))
  const queries = element("ul")
  for (const one of data.lists) {
    queries.append(element("li", "", `${one.text}: finds ${one.hits.map((id) => data.passages[id].name).join("; ")}`))
  }
  const fused = element("ol", "", ...data.fused.map((id) => element("li", "", data.passages[id].name)))
  node.append(list, element("p", "", "Queries"), queries, element("p", "", "Fused order"), fused)
  return node
}

function lines(state) {
  const zero = state.map.getBoundingClientRect()
  const made = []
  for (const item of state.fused) {
    const to = item.getBoundingClientRect()
    for (const row of state.rows) {
      const hit = [...row.querySelectorAll(".hit")].find((one) => one.dataset.chunk === item.dataset.chunk)
      if (!hit) continue
      const from = hit.getBoundingClientRect()
      const [x, y] = [from.right - zero.left, from.top + from.height / 2 - zero.top]
      const [u, v] = [to.left - zero.left, to.top + to.height / 2 - zero.top]
      const path = shape("path", { d: `M ${x} ${y} C ${(x + u) / 2} ${y}, ${(x + u) / 2} ${v}, ${u} ${v}` })
      path.style.setProperty("--mark", item.style.getPropertyValue("--mark"))
      if (item.classList.contains("star")) path.classList.add("star")
      made.push(path)
    }
  }
  state.svg.replaceChildren(...made)
}

// What a scene shows; what is new in it comes from where it was.
function dress(state, moves) {
  const { scene } = state
  const shows = (nodes, from) => nodes.forEach((node) => node.classList.toggle("unseen", scene < from))
  shows([state.titles[0], ...state.rows.slice(1).map((row) => row.firstChild), state.rows[0].firstChild], QUERIES)
  shows([state.titles[1], ...state.rows.map((row) => row.lastChild)], LISTS)
  shows([state.titles[2], ...state.fused, state.svg], FUSED)
  shows([state.answer], ANSWER)
  state.map.classList.toggle("told", scene === ANSWER)
  state.caption.textContent = `${scene + 1} of ${state.data.scenes.length}. ${state.data.scenes[scene]}`
  state.back.disabled = scene === 0
  state.next.disabled = scene === ANSWER
  state.play.textContent = state.timer ? "Pause" : scene === ANSWER ? "Play again" : "Play"
  if (!moves || still()) return
  const glide = (node, x, y, delay) => node.animate([{ transform: `translate(${x}px, ${y}px)`, opacity: 0 }, { transform: "none" }], { ...GLIDE, delay })
  if (scene === QUERIES) {
    const from = state.question.getBoundingClientRect()
    state.rows.forEach((row, at) => glide(row.firstChild, 0, from.top - row.getBoundingClientRect().top, at * 220))
  }
  if (scene === LISTS) {
    state.rows.forEach((row, at) => [...row.querySelectorAll(".hit")].forEach((hit, rank) => glide(hit, -24, 0, at * 140 + rank * 110)))
  }
  if (scene === FUSED) {
    state.fused.forEach((item, at) => {
      const hit = state.map.querySelector(`.hit[data-chunk="${CSS.escape(item.dataset.chunk)}"]`)?.getBoundingClientRect()
      const to = item.getBoundingClientRect()
      if (hit) glide(item, hit.left - to.left, hit.top - to.top, at * 220)
    })
  }
  if (scene === ANSWER) glide(state.answer, 0, -24, 0)
}

function pause(state) {
  clearTimeout(state.timer)
  state.timer = 0
  dress(state, false)
}

function play(state) {
  if (state.scene === ANSWER) state.scene = 0
  const go = () => {
    state.timer = state.scene === ANSWER ? 0 : setTimeout(() => {
      state.scene += 1
      go()
    }, 1000 * SECONDS[state.scene])
    if (state.scene === ANSWER) played(true)
    dress(state, true)
  }
  go()
}

function step(state, by) {
  clearTimeout(state.timer)
  state.timer = 0
  state.scene = Math.min(ANSWER, Math.max(0, state.scene + by))
  dress(state, by > 0)
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.open = () => setTriggerValue("opened", true)
  if (changed(state, data)) {
    clearTimeout(state.timer)
    state.timer = 0
    state.data = data
    build(root, data, state)
    state.scene = ANSWER
    if (still() || played(false)) dress(state, false)
    else play(state)
  }
  const settle = () => lines(state)
  settle()
  const end = resized(state, [state.map], settle)
  return () => {
    end()
    if (!root.isConnected) clearTimeout(state.timer)
  }
}
