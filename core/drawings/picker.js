// Strategies by families, of which one is chosen: a group of radio buttons, a column for each family. The dot of one that
// is recorded for the question has a ring.
import { button, changed, element, recall } from "./parts.js"
import { pictogram } from "./pictograms.js"

function tile(strategy, act) {
  const node = button("tile")
  node.dataset.key = strategy.key
  node.setAttribute("role", "radio")
  node.style.setProperty("--mark", strategy.colour)
  const dots = element("span", "dots")
  for (let place = 0; place < 3; place++) dots.append(element("i", place < strategy.level ? "full" : ""))
  node.append(element("i", "mark"), element("span", "name", strategy.title), dots)
  node.onclick = () => act(strategy.key)
  return node
}

function build(root, data, state) {
  const group = element("div", "families")
  group.setAttribute("role", "radiogroup")
  group.setAttribute("aria-label", "Strategy")
  for (const family of data.families) {
    const column = element("section")
    const head = element("h3")
    head.title = `${family.title}: ${family.idea}`
    head.append(pictogram(family.key), element("span", "", family.title))
    column.append(head, ...family.strategies.map((one) => tile(one, (key) => state.act(key))))
    group.append(column)
  }
  group.onkeydown = (event) => step(state, event)
  state.tiles = [...group.querySelectorAll(".tile")]
  state.said = element("p", "said")
  state.ring = element("span", "", "◎ recorded for this question")
  const costs = element("span", "costs", "● 1 model call, ●● 2–3, ●●● more")
  root.replaceChildren(group, element("div", "foot", state.said, element("p", "legend", state.ring, costs)))
}

// Arrows lead up and down a column, and to the column beside it; what they reach is chosen, as with radio buttons.
function step(state, event) {
  const at = state.tiles.find((one) => one === event.target)
  if (!at) return
  const columns = [...new Set(state.tiles.map((one) => one.parentElement))]
  const own = [...at.parentElement.querySelectorAll(".tile")]
  const row = own.indexOf(at)
  const beside = (by) => {
    const next = columns[(columns.indexOf(at.parentElement) + by + columns.length) % columns.length]
    const tiles = [...next.querySelectorAll(".tile")]
    return tiles[Math.min(row, tiles.length - 1)]
  }
  const along = (by) => state.tiles[(state.tiles.indexOf(at) + by + state.tiles.length) % state.tiles.length]
  const found = {
    ArrowDown: () => along(1),
    ArrowUp: () => along(-1),
    ArrowRight: () => beside(1),
    ArrowLeft: () => beside(-1),
    Home: () => state.tiles[0],
    End: () => state.tiles.at(-1),
  }[event.key]?.()
  if (!found) return
  event.preventDefault()
  found.focus()
  state.act(found.dataset.key)
}

function dress(state) {
  for (const node of state.tiles) {
    const on = node.dataset.key === state.chosen
    node.setAttribute("aria-checked", String(on))
    node.tabIndex = on ? 0 : -1
    const one = state.known.get(node.dataset.key)
    const recorded = state.recorded.has(one.key)
    node.classList.toggle("recorded", recorded)
    node.setAttribute("aria-label", `${one.title}, ${one.cost}${recorded ? ", recorded for this question" : ""}`)
    node.title = `${one.idea} ${one.cost[0].toUpperCase()}${one.cost.slice(1)}.${recorded ? " ◎ Recorded for this question." : ""}`
  }
  const strategy = state.known.get(state.chosen)
  state.said.textContent = strategy.idea
  state.ring.hidden = !state.recorded.size
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".root")
  const state = recall(root)
  state.act = (key) => {
    if (key === state.chosen) return
    state.chosen = key
    dress(state) // at once; the page follows
    setTriggerValue("chosen", key)
  }
  state.known = new Map(data.families.flatMap((family) => family.strategies).map((one) => [one.key, one]))
  if (changed(state, data.families)) build(root, data, state)
  state.chosen = data.chosen
  state.recorded = new Set(data.recorded)
  dress(state)
}
